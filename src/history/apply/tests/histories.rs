//! Random histories of a folder whose pages do not fit together, compared with the truth.

use std::collections::BTreeMap;

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
    Torn {
        changes: bool,
    },
    /// The counts are right; of the files that are not done, one in two is listed.
    Sample,
    /// The counts are right, and every file is listed that is not done.
    Walk,
    /// The list is empty, though the folder is not.
    Empty,
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
    /// Files that left a status.
    left: ByStatus<u64>,
}

impl Truth {
    fn new(seed: u64) -> Self {
        let mut truth = Self {
            random: Rng::with_seed(seed),
            files: BTreeMap::new(),
            next: 0,
            entered: ByStatus::default(),
            came: ByStatus::default(),
            left: ByStatus::default(),
        };
        for _ in 0..30 {
            truth.upload();
        }
        truth.begin();
        truth
    }

    fn begin(&mut self) {
        (self.entered, self.came, self.left) = Default::default();
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
        self.left[file.status] += 1;
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
            1 => {
                self.left[self.files[&number].status] += 1;
                self.files.remove(&number);
            }
            _ => {
                let status = [Pending, Done, Failed, Failed, Flagged][self.random.usize(..5)];
                if self.files[&number].status != status {
                    self.set(number, status);
                }
            }
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
            Read::Empty => return Vec::new(),
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
            Read::Torn { changes } => {
                if changes && self.random.bool() {
                    self.change(true);
                    let after = self.files.iter().map(|(n, file)| (*n, file.status));
                    rows.extend(after.collect::<Vec<_>>());
                    self.random.shuffle(&mut rows);
                }
                rows.retain(|_| self.random.u8(..4) > 0);
            }
            Read::Sample => rows.retain(|(_, status)| *status != Done && self.random.bool()),
            Read::Walk => rows.retain(|(_, status)| *status != Done),
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
        let by_boundaries = matches!(read, Read::Sample | Read::Walk);
        story.read_rows(&Rows {
            files: &files,
            created: 0,
            consistent: !matches!(read, Read::Torn { .. }),
            are_all: read != Read::Sample,
            every_row: !by_boundaries,
            counts: by_boundaries.then(|| self.counts()),
        });
    }

    /// Nothing changes within the reads that follow: what they saw to change would be an entry.
    fn forget_seen(&mut self) {
        self.files.values_mut().for_each(|file| file.seen = false);
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
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whichever reads are made of a folder that does not change, nothing enters.
    #[test]
    fn without_a_change_nothing_enters(seed: u64) {
        let (mut truth, mut story) = (Truth::new(seed), Story::default());
        for _ in 0..80 {
            let kinds = [Read::Exact, Read::Torn { changes: false }, Read::Sample, Read::Walk];
            let read = kinds[truth.random.usize(..4)];
            truth.read(&mut story, read);
            assert_none_invented(&story, &ByStatus::default())?;
        }
    }

    /// The same where the list is empty from time to time, once all rows were read.
    #[test]
    fn a_list_that_is_empty_from_time_to_time_is_no_entry(seed: u64) {
        let (mut truth, mut story) = (Truth::new(seed), Story::default());
        truth.read(&mut story, Read::Exact);
        for _ in 0..80 {
            let kinds = [Read::Exact, Read::Torn { changes: false }, Read::Walk, Read::Empty];
            let read = kinds[truth.random.usize(..4)];
            truth.read(&mut story, read);
            assert_none_invented(&story, &ByStatus::default())?;
        }
    }

    /// Once a read has listed everything, each failure is one entry, whatever later reads leave out.
    #[test]
    fn each_failure_is_one_entry_when_every_row_was_read(seed: u64, before in 0_usize..5) {
        let (mut truth, mut story) = (Truth::new(seed), Story::default());
        for _ in 0..before {
            truth.forget_seen();
            truth.read(&mut story, Read::Torn { changes: true });
        }
        truth.forget_seen();
        truth.read(&mut story, Read::Exact);
        truth.begin();
        for _ in 0..80 {
            for _ in 0..truth.random.usize(..3) {
                truth.change(true);
            }
            let kinds = [Read::Torn { changes: true }, Read::Shifted, Read::Exact];
            let read = kinds[truth.random.usize(..3)];
            truth.read(&mut story, read);
            assert_none_invented(&story, &truth.entered)?;
        }
        truth.read(&mut story, Read::Exact);
        assert_all_counted(&story, &truth)?;
    }

    /// The same if no read ever is consistent, once there were enough of them.
    #[test]
    fn each_failure_is_one_entry_after_many_inconsistent_reads(seed: u64) {
        let (mut truth, mut story) = (Truth::new(seed), Story::default());
        for number in 0..120 {
            if number < 16 {
                truth.forget_seen();
                truth.begin();
            } else if number < 80 {
                truth.change(true);
            } else {
                truth.forget_seen();
            }
            truth.read(&mut story, Read::Torn { changes: true });
            assert_none_invented(&story, &truth.entered)?;
        }
        assert_all_counted(&story, &truth)?;
    }

    /// Whatever changes between whichever consistent reads, entries are off by what changed, at most, and never decrease.
    #[test]
    fn entries_are_off_by_what_changed_at_most(seed: u64) {
        let (mut truth, mut story) = (Truth::new(seed), Story::default());
        truth.read(&mut story, Read::Sample);
        truth.begin();
        let mut before = ByStatus::<u64>::default();
        let mut changes = 0;
        for _ in 0..60 {
            for _ in 0..truth.random.u64(..2) {
                truth.change(false);
                changes += 1;
            }
            let kinds = [Read::Sample, Read::Walk, Read::Exact];
            let read = kinds[truth.random.usize(..3)];
            truth.read(&mut story, read);
            for status in BY_IDENTITY {
                let entries = story.entries(status);
                prop_assert!(entries >= before[status], "{status:?}");
                prop_assert!(
                    entries.abs_diff(truth.entered[status]) <= changes,
                    "{status:?}: {entries} of {}, {changes} changes",
                    truth.entered[status]
                );
                before[status] = entries;
            }
        }
    }

    /// Whatever happens between whichever reads, no more is counted than came and left.
    #[test]
    fn no_more_is_counted_than_moved(seed: u64) {
        let (mut truth, mut story) = (Truth::new(seed), Story::default());
        for number in 0..120 {
            if number >= 16 {
                truth.change(false);
            }
            let kinds = [Read::Torn { changes: true }, Read::Sample, Read::Exact];
            let read = kinds[truth.random.usize(..3)];
            truth.read(&mut story, read);
            let mut moved = truth.came;
            moved += truth.left;
            assert_none_invented(&story, &moved)?;
        }
    }
}
