//! Random histories of a folder whose pages do not fit together, compared with the truth.

use std::collections::{BTreeMap, HashSet};

use fastrand::Rng;
use proptest::prelude::*;

use super::*;

/// The settled statuses whose entries are by identity.
const BY_IDENTITY: [Status; 2] = [Failed, Flagged];

/// How much of a folder a read lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    Exact,
    /// Everything but one file: another one came where it should have been.
    Shifted,
    /// One file in four is left out, some come twice, and one may change meanwhile.
    Torn,
    /// The counts are right; of the files, one in two is listed, and none that is done.
    Counted,
}

#[derive(Debug, Clone, Copy)]
struct File {
    status: Status,
    /// The last status in which processing ended.
    settled: Option<Status>,
    /// Whether a read has listed it since it has this status.
    seen: bool,
    /// Whether a whole read has left it out since it was listed last.
    left_out: bool,
}

/// A folder and all that ever happened in it.
struct Truth {
    random: Rng,
    files: BTreeMap<u128, File>,
    next: u128,
    /// Files that came to a status from another settled one.
    entered: ByStatus<u64>,
    /// Files that came to a status, from whichever.
    came: ByStatus<u64>,
}

impl Truth {
    fn new(seed: u64) -> Self {
        let mut truth = Self {
            random: Rng::with_seed(seed),
            files: BTreeMap::new(),
            next: 0,
            entered: ByStatus::default(),
            came: ByStatus::default(),
        };
        for _ in 0..30 {
            truth.upload();
        }
        truth.begin();
        truth
    }

    fn begin(&mut self) {
        (self.entered, self.came) = Default::default();
    }

    fn upload(&mut self) {
        let status = [Pending, Done, Done, Failed, Flagged][self.random.usize(..5)];
        let file = File {
            status: Pending,
            settled: None,
            seen: false,
            left_out: false,
        };
        self.files.insert(self.next, file);
        self.set(self.next, status);
        self.next += 1;
    }

    fn set(&mut self, number: u128, status: Status) {
        let Some(file) = self.files.get_mut(&number) else {
            return;
        };
        self.came[status] += 1;
        let settles = !matches!(status, Pending | Processing);
        if settles && file.settled != Some(status) {
            self.entered[status] += 1;
        }
        if settles {
            file.settled = Some(status);
        }
        (file.status, file.seen) = (status, false);
    }

    /// Something happens to a file; where `seen`, to one that was listed in its status.
    fn change(&mut self, seen: bool) {
        let files = self.files.iter().filter(|(_, file)| file.seen || !seen);
        let numbers: Vec<_> = files.map(|(number, _)| *number).collect();
        let Some(number) = self.random.choice(numbers) else {
            return;
        };
        match self.random.u8(..10) {
            0 => self.upload(),
            1 => drop(self.files.remove(&number)),
            _ => {
                let status = [Pending, Done, Failed, Failed, Flagged][self.random.usize(..5)];
                if self.files[&number].status != status {
                    self.set(number, status);
                }
            }
        }
    }

    fn fail_one(&mut self) {
        let done = self.files.iter().filter(|(_, file)| file.status == Done);
        if let Some(number) = done.map(|(number, _)| *number).next() {
            self.set(number, Failed);
        }
    }

    fn rows(&mut self, read: Read) -> Vec<(u128, Status)> {
        let mut rows: Vec<_> = self
            .files
            .iter()
            .map(|(n, file)| (*n, file.status))
            .collect();
        match read {
            Read::Exact => {}
            Read::Shifted => {
                let movable: Vec<_> = (0..rows.len())
                    .filter(|at| !self.files[&rows[*at].0].left_out)
                    .collect();
                if let Some(at) = self.random.choice(movable) {
                    let (number, _) = rows.remove(at);
                    self.files
                        .entry(number)
                        .and_modify(|file| file.left_out = true);
                }
            }
            Read::Torn => {
                if self.random.bool() {
                    self.change(true);
                    let after = self.files.iter().map(|(n, file)| (*n, file.status));
                    rows.extend(after.collect::<Vec<_>>());
                    self.random.shuffle(&mut rows);
                }
                rows.retain(|_| self.random.u8(..4) > 0);
            }
            Read::Counted => rows.retain(|(_, status)| *status != Done && self.random.bool()),
        }
        self.note(&rows);
        rows
    }

    /// Notes what was listed. A file that was listed in two statuses was not seen for certain in either.
    fn note(&mut self, rows: &[(u128, Status)]) {
        let mut listed = BTreeMap::<u128, HashSet<Status>>::new();
        for (number, status) in rows {
            listed.entry(*number).or_default().insert(*status);
        }
        for (number, statuses) in listed {
            if let Some(file) = self.files.get_mut(&number) {
                file.left_out = false;
                file.seen |= statuses == HashSet::from([file.status]);
            }
        }
    }

    fn counts(&self) -> ByStatus<u64> {
        let mut counts = ByStatus::default();
        for file in self.files.values() {
            counts[file.status] += 1;
        }
        counts
    }

    /// Reads the folder and applies what was listed.
    fn read(&mut self, story: &mut Story, read: Read) {
        let files = self.rows(read);
        let counts = (read == Read::Counted).then(|| self.counts());
        let rows = Rows {
            files: &files,
            created: 0,
            consistent: read != Read::Torn,
            complete: counts.is_none(),
            every_row: counts.is_none(),
        };
        story.read_with_counts(&rows, counts);
    }
}

fn assert_none_invented(story: &Story, most: &ByStatus<u64>) -> Result<(), TestCaseError> {
    for status in BY_IDENTITY {
        prop_assert!(
            story.entries(status) <= most[status],
            "{status:?}: {} of {}",
            story.entries(status),
            most[status]
        );
    }
    Ok(())
}

fn assert_all_counted(story: &Story, truth: &Truth) -> Result<(), TestCaseError> {
    for status in BY_IDENTITY {
        prop_assert_eq!(story.entries(status), truth.entered[status], "{:?}", status);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Once two whole reads have listed everything, each failure is one entry, whatever reads leave out, those two among them.
    #[test]
    fn each_failure_is_one_entry_when_reads_were_whole(seed: u64, before in 0_usize..5) {
        let (mut truth, mut story) = (Truth::new(seed), Story::default());
        for _ in 0..before {
            // Nothing changes within these reads: what they saw to change would be an entry.
            truth.files.values_mut().for_each(|file| file.seen = false);
            truth.read(&mut story, Read::Torn);
        }
        truth.files.values_mut().for_each(|file| file.seen = false);
        truth.begin();
        for _ in 0..2 {
            let read = [Read::Shifted, Read::Exact][truth.random.usize(..2)];
            truth.read(&mut story, read);
            assert_none_invented(&story, &truth.entered)?;
        }
        for _ in 0..80 {
            for _ in 0..truth.random.usize(..3) {
                truth.change(true);
            }
            let kinds = [Read::Torn, Read::Torn, Read::Shifted, Read::Exact];
            let read = kinds[truth.random.usize(..4)];
            truth.read(&mut story, read);
            assert_none_invented(&story, &truth.entered)?;
        }
        truth.read(&mut story, Read::Exact);
        assert_all_counted(&story, &truth)?;
    }

    /// The same if no read ever is whole, once there were enough of them.
    #[test]
    fn each_failure_is_one_entry_after_many_torn_reads(seed: u64) {
        let (mut truth, mut story) = (Truth::new(seed), Story::default());
        for number in 0..120 {
            if number < 16 {
                truth.files.values_mut().for_each(|file| file.seen = false);
                truth.begin();
            } else if number < 80 {
                truth.change(true);
            } else {
                truth.files.values_mut().for_each(|file| file.seen = false);
            }
            truth.read(&mut story, Read::Torn);
            assert_none_invented(&story, &truth.entered)?;
        }
        assert_all_counted(&story, &truth)?;
    }

    /// Files that only fail are counted at every consistent read, whole or not, and never twice.
    #[test]
    fn failures_are_counted_once_by_growth_and_by_identity(seed: u64, before in 0_usize..5) {
        let (mut truth, mut story) = (Truth::new(seed), Story::default());
        for _ in 0..before {
            truth.files.values_mut().for_each(|file| file.seen = false);
            truth.read(&mut story, Read::Torn);
        }
        truth.begin();
        truth.read(&mut story, Read::Counted);
        for _ in 0..60 {
            truth.fail_one();
            truth.files.values_mut().for_each(|file| file.seen = false);
            let kinds = [Read::Torn, Read::Torn, Read::Counted, Read::Exact];
            let read = kinds[truth.random.usize(..4)];
            truth.read(&mut story, read);
            assert_none_invented(&story, &truth.entered)?;
            if read != Read::Torn {
                assert_all_counted(&story, &truth)?;
            }
        }
    }

    /// Whatever happens between whichever reads, no more is counted than came.
    #[test]
    fn no_more_is_counted_than_came(seed: u64) {
        let (mut truth, mut story) = (Truth::new(seed), Story::default());
        for number in 0..120 {
            if number >= 16 {
                truth.change(false);
            }
            let kinds = [Read::Torn, Read::Counted, Read::Exact];
            let read = kinds[truth.random.usize(..3)];
            truth.read(&mut story, read);
            assert_none_invented(&story, &truth.came)?;
        }
    }
}
