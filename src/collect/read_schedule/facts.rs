//! What is known of one folder that tells when to read it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::collect::read_schedule::{Need, Reading};
use crate::collect::sorted::PAGES_OF_A_RUN;
use crate::model::{Moment, Status, Timestamp};
use crate::portal::{ListedFolder, PAGE_SIZE};
use crate::snapshot::{Counts, Way};

/// So many reads in a row that found nothing new, and a folder is read less often from then on.
const STEADY: u32 = 3;

/// The time between two reads is doubled so often, at most: far more than any `quiet_every` allows.
const MAX_DOUBLINGS: u32 = 20;

/// A read may begin earlier than it should by this part of an interval, because collections do not begin to the second.
const EARLY_SHARE: u32 = 4;

/// A folder's entry in the list, as far as it tells of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    file_count: u64,
    updated_at: Option<Timestamp>,
}

impl Entry {
    /// Whether this differs from an earlier one. What the portal does not say is no difference.
    fn differs(self, earlier: Self) -> bool {
        let updated = self.updated_at.zip(earlier.updated_at);
        self.file_count != earlier.file_count || updated.is_some_and(|(now, then)| now != then)
    }
}

/// How a read came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It counted the folder.
    Counted,
    /// There is nothing to count: the portal answered 403 or 404.
    Nothing,
    /// It could not count the folder.
    Failed,
}

/// How a read is made now, and what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Present {
    /// How the folder is counted.
    pub way: Way,
    /// Requests, as far as they follow from what is known of the folder.
    pub requests: u64,
}

/// How often folders are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Often {
    /// Those that changed or hold files not done: in each interval.
    pub interval: Duration,
    /// Quiet ones: the longest time between two reads (`collect.quiet_every`).
    pub quiet: Duration,
}

impl Often {
    /// How often a quiet folder is read in the end: never more often than in each interval.
    pub fn quiet(self) -> Duration {
        self.quiet.max(self.interval)
    }
}

/// What is known of one folder.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    listed: Option<Entry>,
    last: Option<LastRead>,
    /// How the last read that came to its end did.
    ended: Option<Ending>,
    /// Reads in a row that ended alike and found nothing new.
    alike: u32,
}

/// The last read of a folder.
#[derive(Debug)]
struct LastRead {
    began: Instant,
    /// The entry of the list that it began with.
    entry: Option<Entry>,
    has_place: Arc<AtomicBool>,
    /// None while it is under way, or where it was given up.
    ending: Option<Ending>,
}

impl Facts {
    /// The list names the folder.
    pub fn listed(&mut self, folder: &ListedFolder) {
        self.listed = Some(Entry {
            file_count: folder.file_count,
            updated_at: folder.updated_at,
        });
    }

    /// A read begins; it says when it has a place.
    pub fn begin(&mut self, now: Instant) -> Arc<AtomicBool> {
        let has_place = Arc::<AtomicBool>::default();
        self.last = Some(LastRead {
            began: now,
            entry: self.listed,
            has_place: Arc::clone(&has_place),
            ending: None,
        });
        has_place
    }

    /// The read came to its end; `same` tells of one that counted the folder whether it found what the last one found.
    pub fn end(&mut self, ending: Ending, same: bool) {
        let alike = match ending {
            Ending::Counted => same,
            Ending::Nothing => true,
            Ending::Failed => false,
        };
        let again = self.ended.replace(ending) == Some(ending);
        self.alike = match (alike, again) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => self.alike.saturating_add(1),
        };
        if let Some(last) = &mut self.last {
            last.ending = Some(ending);
        }
    }

    /// Why the folder should be read, when it is not being read.
    pub fn need(&self, counts: Option<&Counts>) -> Need {
        match &self.last {
            None => Need::New,
            Some(LastRead { ending: None, .. }) => Need::Unfinished,
            Some(_) if self.is_pressing(counts) => Need::Pressing,
            Some(_) => Need::Quiet,
        }
    }

    /// Whether a read is wanted in each interval. What the list says of a folder that is refused, or of one that was deleted, does not tell
    /// when that ends.
    pub fn is_pressing(&self, counts: Option<&Counts>) -> bool {
        let not_done = |counts: &Counts| counts.files.total() > counts.files[Status::Done];
        self.last.as_ref().is_some_and(|last| {
            let changed = self.listed.zip(last.entry);
            last.ending != Some(Ending::Nothing)
                && (last.ending == Some(Ending::Failed)
                    || counts.is_some_and(not_done)
                    || changed.is_some_and(|(now, then)| now.differs(then)))
        })
    }

    /// Whether a read would come too early: the last ones found nothing new, and nothing speaks for a change.
    pub fn rests(&self, counts: Option<&Counts>, often: Often, now: Instant) -> bool {
        let Some(LastRead {
            began,
            ending: Some(ending),
            ..
        }) = &self.last
        else {
            return false;
        };
        let wait = self.wait(*ending, often);
        let waited = now.saturating_duration_since(*began) + often.interval / EARLY_SHARE;
        wait > often.interval && waited < wait && !self.is_pressing(counts)
    }

    /// The time between two reads. It is doubled with each one that found nothing new: from the first on where there is nothing to count,
    /// and from the third on where there is.
    fn wait(&self, ending: Ending, often: Often) -> Duration {
        let doublings = match ending {
            Ending::Nothing => self.alike,
            Ending::Counted | Ending::Failed => (self.alike + 1).saturating_sub(STEADY),
        };
        let times = 1_u32 << doublings.min(MAX_DOUBLINGS);
        often.interval.saturating_mul(times).min(often.quiet())
    }

    /// How long ago the last read began; where this process made none, since the folder was last counted, and without end where
    /// it never was.
    pub fn waited(&self, counted: Option<Timestamp>, now: Moment) -> Duration {
        match &self.last {
            Some(last) => now.steady.saturating_duration_since(last.began),
            None => counted.map_or(Duration::MAX, |counted| now.wall.since(counted)),
        }
    }

    /// Requests that a read is expected to take: one where the last was refused; where it was and is counted by boundaries, what that took,
    /// and the pages of files that came since; else what follows from the present way.
    pub fn requests(&self, counts: Option<&Counts>, present: Present) -> u64 {
        let files = |entry: Option<Entry>| entry.map_or(0, |entry| entry.file_count);
        let expected = match (counts, &self.last) {
            (_, Some(last)) if last.ending == Some(Ending::Nothing) => 1,
            (Some(counts), Some(last))
                if counts.way == Way::Sorted && present.way == Way::Sorted =>
            {
                let came = files(self.listed).saturating_sub(files(last.entry));
                // What came waits, in one run. The list may tell any number.
                let pages = came.div_ceil(PAGE_SIZE).min(PAGES_OF_A_RUN);
                counts.requests.saturating_add(pages)
            }
            _ => present.requests,
        };
        expected.max(1)
    }

    /// What a read that is under way still claims, which takes so many requests in all.
    pub fn reading(&self, requests: u64) -> Reading {
        let last = self.last.as_ref();
        if last.is_some_and(|last| last.has_place.load(Ordering::Relaxed)) {
            Reading::Begun { requests }
        } else {
            Reading::Waiting { requests }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ByStatus, FolderId, FolderName};
    use crate::snapshot::Way;

    fn listed(file_count: u64, updated_at: Option<i64>) -> ListedFolder {
        ListedFolder {
            id: FolderId::from(uuid::Uuid::nil()),
            name: FolderName::new("Inbox"),
            file_count,
            updated_at: updated_at.map(Timestamp::from_millis),
        }
    }

    /// A folder that was read when the list said so.
    fn read_at(entry: &ListedFolder, ending: Ending) -> Facts {
        let mut facts = Facts::default();
        facts.listed(entry);
        facts.begin(Instant::now());
        facts.end(ending, false);
        facts
    }

    fn full(requests: u64) -> Present {
        Present {
            way: Way::Full,
            requests,
        }
    }

    fn sorted(requests: u64) -> Present {
        Present {
            way: Way::Sorted,
            requests,
        }
    }

    fn counts(done: u64, failed: u64, requests: u64) -> Counts {
        let mut files = ByStatus::default();
        files[Status::Done] = done;
        files[Status::Failed] = failed;
        Counts {
            files,
            way: Way::Full,
            errors: Vec::new(),
            oldest: ByStatus::default(),
            consistent: true,
            counted: Moment::now(),
            duration: Duration::from_secs(1),
            requests,
            interval: None,
        }
    }

    #[test]
    fn an_entry_that_differs_in_what_is_known_of_it_is_pressing() {
        for (then, now, need) in [
            ((3, Some(1)), (3, Some(1)), Need::Quiet),
            ((3, Some(1)), (3, Some(2)), Need::Pressing),
            ((3, Some(2)), (3, Some(1)), Need::Pressing),
            ((3, Some(1)), (4, Some(1)), Need::Pressing),
            ((3, None), (2, None), Need::Pressing),
            ((3, None), (3, None), Need::Quiet),
            ((3, Some(1)), (3, None), Need::Quiet),
            ((3, None), (3, Some(1)), Need::Quiet),
        ] {
            let mut facts = read_at(&listed(then.0, then.1), Ending::Counted);
            facts.listed(&listed(now.0, now.1));
            assert_eq!(facts.need(None), need, "{then:?} {now:?}");
        }
    }

    #[test]
    fn what_the_last_read_left_open_tells_the_need() {
        let entry = listed(3, None);
        let (well, ill) = (counts(3, 0, 1), counts(2, 1, 1));
        for (ending, counts, need) in [
            (Ending::Counted, Some(&well), Need::Quiet),
            (Ending::Counted, Some(&ill), Need::Pressing),
            (Ending::Nothing, None, Need::Quiet),
            (Ending::Nothing, Some(&ill), Need::Quiet),
            (Ending::Failed, None, Need::Pressing),
            (Ending::Failed, Some(&well), Need::Pressing),
        ] {
            assert_eq!(read_at(&entry, ending).need(counts), need, "{ending:?}");
        }
        let mut facts = Facts::default();
        assert_eq!(facts.need(None), Need::New);
        facts.begin(Instant::now());
        assert_eq!(facts.need(None), Need::Unfinished);
    }

    #[test]
    fn a_read_by_boundaries_takes_what_the_last_one_took_and_the_pages_that_came_since() {
        let mut facts = Facts::default();
        assert_eq!(facts.requests(None, sorted(0)), 1);
        facts.listed(&listed(12_345, None));
        assert_eq!(facts.requests(None, sorted(11)), 11);
        let mut facts = read_at(&listed(12_345, None), Ending::Counted);
        let counts = Counts {
            way: Way::Sorted,
            ..counts(12_345, 0, 4)
        };
        for (files, requests) in [(12_345, 4), (12_346, 5), (12_545, 6), (100, 4)] {
            facts.listed(&listed(files, None));
            assert_eq!(
                facts.requests(Some(&counts), sorted(11)),
                requests,
                "{files}"
            );
        }
    }

    #[test]
    fn what_the_last_read_took_says_nothing_of_one_that_is_made_another_way() {
        let facts = read_at(&listed(12_345, None), Ending::Counted);
        let by_boundaries = Counts {
            way: Way::Sorted,
            ..counts(12_345, 0, 4)
        };
        assert_eq!(facts.requests(Some(&by_boundaries), full(124)), 124);
        let by_pages = counts(12_345, 0, 124);
        assert_eq!(facts.requests(Some(&by_pages), sorted(4)), 4);
        assert_eq!(facts.requests(Some(&by_pages), full(1)), 1);
    }

    #[test]
    fn a_folder_that_is_refused_takes_one_request_however_large_it_was() {
        let facts = read_at(&listed(450_000, None), Ending::Nothing);
        let before = counts(450_000, 0, 4_500);
        for known in [None, Some(&before)] {
            assert_eq!(facts.requests(known, full(4_500)), 1);
        }
    }

    /// The minutes in which a folder is read, by what each read finds; nothing more is found after the last.
    fn read_in(reads: &[(Ending, bool)], counts: Option<&Counts>, quiet: u64) -> Vec<u64> {
        const MINUTE: Duration = Duration::from_mins(1);
        let often = Often {
            interval: MINUTE,
            quiet: Duration::from_mins(quiet),
        };
        let (start, mut facts, mut reads) = (Instant::now(), Facts::default(), reads.iter());
        facts.listed(&listed(3, None));
        let mut minutes = Vec::new();
        for minute in 0.. {
            let now = start + MINUTE * u32::try_from(minute).unwrap();
            if facts.rests(counts, often, now) {
                continue;
            }
            let Some((ending, same)) = reads.next() else {
                break;
            };
            facts.begin(now);
            facts.end(*ending, *same);
            minutes.push(minute);
        }
        minutes
    }

    #[test]
    fn the_time_between_reads_that_find_nothing_new_is_doubled_up_to_quiet_every() {
        use Ending::{Counted, Failed, Nothing};
        let (done, failed) = (counts(3, 0, 1), counts(2, 1, 1));
        let (same, other) = ((Counted, true), (Counted, false));
        let found = [other, same, same, same, same, same, same];
        for (story, reads, counts, quiet, minutes) in [
            ("quiet", &found[..], &done, 5, vec![0, 1, 2, 3, 5, 9, 14]),
            ("longer", &found, &done, 60, vec![0, 1, 2, 3, 5, 9, 17]),
            (
                "no longer than an interval",
                &found,
                &done,
                1,
                vec![0, 1, 2, 3, 4, 5, 6],
            ),
            (
                "files not done",
                &found,
                &failed,
                5,
                vec![0, 1, 2, 3, 4, 5, 6],
            ),
            (
                "changes that the list does not tell",
                &[other, same, same, same, other, same, same, same, same],
                &done,
                5,
                vec![0, 1, 2, 3, 5, 6, 7, 8, 10],
            ),
            (
                "failures",
                &[(Failed, false); 4],
                &done,
                5,
                vec![0, 1, 2, 3],
            ),
            (
                "refusals",
                &[(Nothing, false); 5],
                &failed,
                5,
                vec![0, 2, 6, 11, 16],
            ),
            (
                "counted again",
                &[(Nothing, false), (Nothing, false), other, same],
                &done,
                5,
                vec![0, 2, 6, 7],
            ),
        ] {
            let read_at = read_in(reads, Some(counts), quiet);
            assert_eq!(read_at, minutes, "{story}");
        }
    }

    #[test]
    fn a_change_in_the_list_ends_the_rest_of_a_folder_at_once() {
        let often = Often {
            interval: Duration::from_mins(1),
            quiet: Duration::from_mins(5),
        };
        let (now, mut facts) = (Instant::now(), Facts::default());
        facts.listed(&listed(3, Some(1)));
        for _ in 0..9 {
            facts.begin(now);
            facts.end(Ending::Counted, true);
        }
        let soon = now + often.interval;
        assert!(facts.rests(Some(&counts(3, 0, 1)), often, soon));
        facts.listed(&listed(3, Some(2)));
        assert!(!facts.rests(Some(&counts(3, 0, 1)), often, soon));
    }

    #[test]
    fn who_was_never_read_at_waits_since_the_last_count_and_without_one_longest() {
        let now = Moment::now();
        let hour = Duration::from_hours(1);
        let mut facts = Facts::default();
        assert_eq!(facts.waited(None, now), Duration::MAX);
        assert_eq!(facts.waited(Some(now.wall.before(hour)), now), hour);
        facts.begin(now.steady);
        assert_eq!(
            facts.waited(Some(now.wall.before(hour)), now),
            Duration::ZERO
        );
    }

    #[test]
    fn a_read_claims_all_of_its_requests_until_it_has_a_place() {
        let mut facts = Facts::default();
        let has_place = facts.begin(Instant::now());
        assert_eq!(facts.reading(7), Reading::Waiting { requests: 7 });
        has_place.store(true, Ordering::Relaxed);
        assert_eq!(facts.reading(7), Reading::Begun { requests: 7 });
    }
}
