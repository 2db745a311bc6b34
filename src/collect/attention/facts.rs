//! What is known of one folder that tells when to look at it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::collect::attention::{Need, Reading};
use crate::model::{Moment, Status, Timestamp};
use crate::portal::{ListedFolder, PAGE_SIZE};
use crate::snapshot::Counts;

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

/// How a look came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It counted the folder.
    Counted,
    /// There is nothing to count: the portal answered 403 or 404.
    Nothing,
    /// It could not count the folder.
    Failed,
}

/// What is known of one folder.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    listed: Option<Entry>,
    last: Option<LastLook>,
}

/// The last look at a folder.
#[derive(Debug)]
struct LastLook {
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

    /// A look begins; it says when it has a place.
    pub fn begin(&mut self, now: Instant) -> Arc<AtomicBool> {
        let has_place = Arc::<AtomicBool>::default();
        self.last = Some(LastLook {
            began: now,
            entry: self.listed,
            has_place: Arc::clone(&has_place),
            ending: None,
        });
        has_place
    }

    /// The look came to its end.
    pub fn end(&mut self, ending: Ending) {
        if let Some(last) = &mut self.last {
            last.ending = Some(ending);
        }
    }

    /// Why the folder should be looked at, when it is not being looked at.
    pub fn need(&self, counts: Option<&Counts>) -> Need {
        match &self.last {
            None => Need::New,
            Some(LastLook { ending: None, .. }) => Need::Unfinished,
            Some(_) if self.is_pressing(counts) => Need::Pressing,
            Some(_) => Need::Quiet,
        }
    }

    /// Whether a look is wanted in each interval.
    pub fn is_pressing(&self, counts: Option<&Counts>) -> bool {
        let not_done = |counts: &Counts| counts.files.total() > counts.files[Status::Done];
        self.last.as_ref().is_some_and(|last| {
            let changed = self.listed.zip(last.entry);
            last.ending == Some(Ending::Failed)
                || counts.is_some_and(not_done)
                || changed.is_some_and(|(now, then)| now.differs(then))
        })
    }

    /// How long ago the last look began; where this process made none, since the folder was last counted, and without end where
    /// it never was.
    pub fn waited(&self, counted: Option<Timestamp>, now: Moment) -> Duration {
        match &self.last {
            Some(last) => now.steady.saturating_duration_since(last.began),
            None => counted.map_or(Duration::MAX, |counted| now.wall.since(counted)),
        }
    }

    /// Requests that a look is expected to take, `most` at most: what the last count took and the pages of files that came since, or else
    /// every page.
    pub fn requests(&self, counts: Option<&Counts>, most: u64) -> u64 {
        let files = |entry: Option<Entry>| entry.map_or(0, |entry| entry.file_count);
        let now = files(self.listed);
        let expected = match (counts, &self.last) {
            (Some(counts), Some(last)) => {
                let came = now.saturating_sub(files(last.entry));
                counts.requests.saturating_add(came.div_ceil(PAGE_SIZE))
            }
            _ => now.div_ceil(PAGE_SIZE),
        };
        expected.clamp(1, most.max(1))
    }

    /// What a look that is under way still claims, which takes so many requests in all.
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

    /// A folder that was looked at when the list said so.
    fn looked_at(entry: &ListedFolder, ending: Ending) -> Facts {
        let mut facts = Facts::default();
        facts.listed(entry);
        facts.begin(Instant::now());
        facts.end(ending);
        facts
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
            let mut facts = looked_at(&listed(then.0, then.1), Ending::Counted);
            facts.listed(&listed(now.0, now.1));
            assert_eq!(facts.need(None), need, "{then:?} {now:?}");
        }
    }

    #[test]
    fn what_the_last_look_left_open_tells_the_need() {
        let entry = listed(3, None);
        let (well, ill) = (counts(3, 0, 1), counts(2, 1, 1));
        for (ending, counts, need) in [
            (Ending::Counted, Some(&well), Need::Quiet),
            (Ending::Counted, Some(&ill), Need::Pressing),
            (Ending::Nothing, None, Need::Quiet),
            (Ending::Failed, None, Need::Pressing),
            (Ending::Failed, Some(&well), Need::Pressing),
        ] {
            assert_eq!(looked_at(&entry, ending).need(counts), need, "{ending:?}");
        }
        let mut facts = Facts::default();
        assert_eq!(facts.need(None), Need::New);
        facts.begin(Instant::now());
        assert_eq!(facts.need(None), Need::Unfinished);
    }

    #[test]
    fn a_look_takes_what_the_last_one_took_and_the_pages_that_came_since() {
        let mut facts = Facts::default();
        assert_eq!(facts.requests(None, 1_000), 1);
        facts.listed(&listed(12_345, None));
        assert_eq!(facts.requests(None, 1_000), 124);
        assert_eq!(facts.requests(None, 20), 20);
        let mut facts = looked_at(&listed(12_345, None), Ending::Counted);
        let counts = counts(12_345, 0, 4);
        for (files, requests) in [(12_345, 4), (12_346, 5), (12_545, 6), (100, 4)] {
            facts.listed(&listed(files, None));
            assert_eq!(facts.requests(Some(&counts), 1_000), requests, "{files}");
        }
    }

    #[test]
    fn who_was_never_looked_at_waits_since_the_last_count_and_without_one_longest() {
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
    fn a_look_claims_all_of_its_requests_until_it_has_a_place() {
        let mut facts = Facts::default();
        let has_place = facts.begin(Instant::now());
        assert_eq!(facts.reading(7), Reading::Waiting { requests: 7 });
        has_place.store(true, Ordering::Relaxed);
        assert_eq!(facts.reading(7), Reading::Begun { requests: 7 });
    }
}
