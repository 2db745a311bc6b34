//! When a folder is read next, from its reads and its entry in the list.

use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Moment;
use crate::collect::read_schedule::Need;
use crate::collect::sorted::PAGES_OF_A_RUN;
use crate::count::Way;
use crate::model::Timestamp;
use crate::portal::{ListedFolder, PAGE_SIZE};
use crate::snapshot::Counts;

/// After this many reads in a row that found nothing new, a folder is read less often.
const STEADY: u32 = 3;

/// The time between two reads is doubled at most this many times: far more than any `quiet_every` allows.
const MAX_DOUBLINGS: u32 = 20;

/// A read may begin earlier than it should by this part of an interval, because collections do not begin to the second.
const EARLY_SHARE: u32 = 4;

/// The parts of a folder's entry in the list that show changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    file_count: u64,
    updated_at: Option<Timestamp>,
}

impl Entry {
    /// Whether this differs from an earlier one. A missing `updated_at` is no difference.
    fn differs(self, earlier: Self) -> bool {
        let updated = self.updated_at.zip(earlier.updated_at);
        self.file_count != earlier.file_count || updated.is_some_and(|(now, then)| now != then)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadOutcome {
    Counted,
    /// The folder is gone, or refused while it is listed: the portal answered 403 or 404.
    NothingToCount,
    /// It could not count the folder.
    Failed,
}

/// How a read would be made now, and the requests that it would take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Estimate {
    pub way: Way,
    pub requests: u64,
}

/// The time between two reads of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReadIntervals {
    /// Folders that changed or have files that move: in each interval.
    pub interval: Duration,
    /// Quiet ones: the longest time between two reads (`collect.quiet_every`).
    pub quiet_every: Duration,
}

impl ReadIntervals {
    /// The longest time between two reads of a quiet folder: never shorter than an interval.
    pub fn quiet(self) -> Duration {
        self.quiet_every.max(self.interval)
    }
}

#[derive(Debug, Default)]
pub(crate) struct ReadLog {
    listed: Option<Entry>,
    last: Option<LastRead>,
    /// How the last read ended that was not given up.
    ended: Option<ReadOutcome>,
    /// Reads in a row that ended alike and found nothing new.
    alike: u32,
}

/// The last read of a folder.
#[derive(Debug)]
struct LastRead {
    began: Instant,
    /// The entry of the list that it began with.
    entry: Option<Entry>,
    /// None while it is under way, or if it was given up.
    ending: Option<ReadOutcome>,
}

impl ReadLog {
    pub fn listed(&mut self, folder: &ListedFolder) {
        self.listed = Some(Entry {
            file_count: folder.file_count,
            updated_at: folder.updated_at,
        });
    }

    pub fn begin(&mut self, now: Instant) {
        self.last = Some(LastRead {
            began: now,
            entry: self.listed,
            ending: None,
        });
    }

    /// The read ended; `same` is whether one that counted the folder found what the last one found.
    pub fn end(&mut self, ending: ReadOutcome, same: bool) {
        let alike = match ending {
            ReadOutcome::Counted => same,
            ReadOutcome::NothingToCount => true,
            ReadOutcome::Failed => false,
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

    /// Why the folder should be read, when it is not being read. `moves`: whether its files may change their status by themselves.
    pub fn need(&self, moves: bool) -> Need {
        match &self.last {
            None => Need::New,
            Some(LastRead { ending: None, .. }) => Need::Unfinished,
            Some(_) if self.is_pressing(moves) => Need::Pressing,
            Some(_) => Need::Quiet,
        }
    }

    /// Whether a read is wanted in each interval. For a folder that is refused, or was deleted, its entry in the list does not show
    /// when that ends.
    pub fn is_pressing(&self, moves: bool) -> bool {
        self.last.as_ref().is_some_and(|last| {
            let changed = self.listed.zip(last.entry);
            last.ending != Some(ReadOutcome::NothingToCount)
                && (last.ending == Some(ReadOutcome::Failed)
                    || moves
                    || changed.is_some_and(|(now, then)| now.differs(then)))
        })
    }

    /// Whether a read would come too early: the last ones found nothing new, and nothing indicates a change.
    pub fn is_idle(&self, moves: bool, intervals: ReadIntervals, now: Instant) -> bool {
        let Some(last) = &self.last else {
            return false;
        };
        let Some(ending) = last.ending else {
            return false;
        };
        let wait = self.read_interval(ending, intervals);
        let early = intervals.interval / EARLY_SHARE;
        let waited = now.saturating_duration_since(last.began) + early;
        wait > intervals.interval && waited < wait && !self.is_pressing(moves)
    }

    /// The time between two reads. It is doubled with each one that found nothing new: from the first on if there is nothing to count,
    /// and from the third on if there is.
    fn read_interval(&self, ending: ReadOutcome, intervals: ReadIntervals) -> Duration {
        let doublings = match ending {
            ReadOutcome::NothingToCount => self.alike,
            ReadOutcome::Counted | ReadOutcome::Failed => (self.alike + 1).saturating_sub(STEADY),
        };
        let times = 1_u32 << doublings.min(MAX_DOUBLINGS);
        let interval = intervals.interval.saturating_mul(times);
        interval.min(intervals.quiet())
    }

    /// How long ago the last read began; if this process made none, since the folder was last counted, and without end if
    /// it never was.
    pub fn waited(&self, counted: Option<Timestamp>, now: Moment) -> Duration {
        match &self.last {
            Some(last) => now.steady.saturating_duration_since(last.began),
            None => counted.map_or(Duration::MAX, |counted| now.wall.since(counted)),
        }
    }

    /// Expected requests of a read: one if the last was refused; if the folder was and is counted by boundaries, what
    /// that took, and the pages of files that came since; else what is estimated.
    pub fn requests(&self, counts: Option<&Counts>, estimate: Estimate) -> u64 {
        let files = |entry: Option<Entry>| entry.map_or(0, |entry| entry.file_count);
        let expected = match (counts, &self.last) {
            (_, Some(last)) if last.ending == Some(ReadOutcome::NothingToCount) => 1,
            (Some(counts), Some(last))
                if counts.way == Way::Sorted && estimate.way == Way::Sorted =>
            {
                let came = files(self.listed).saturating_sub(files(last.entry));
                // New files wait, in one run. The list may name any number.
                let pages = came.div_ceil(PAGE_SIZE).min(PAGES_OF_A_RUN);
                counts.requests.saturating_add(pages)
            }
            _ => estimate.requests,
        };
        expected.max(1)
    }
}

#[cfg(test)]
mod tests;
