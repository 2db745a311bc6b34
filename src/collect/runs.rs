//! The collections of a portal: each is the list of folders, and the reads that it made due.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Moment;
use crate::collect::due::ReadOutcome;
use crate::config::Collect;
use crate::model::{FolderId, Timestamp};
use crate::schedule::Tick;
use crate::snapshot::{Collections, LastRun, RunResult};

/// Counts of folders that cannot be read are shown for this many intervals at least (docs/metrics.md, Stale counts).
const STALE_INTERVALS: u32 = 3;

/// A collection that is under way.
struct Run {
    began: Moment,
    /// When it ends, whatever is outstanding (`collect.timeout`).
    deadline: Instant,
    /// The folders that it made due and that are not read yet.
    outstanding: HashSet<FolderId>,
    counted: usize,
    failed: usize,
    /// Requests to the portal before it began.
    requests_before: u64,
}

/// When collections ran and run, and those that are under way.
#[derive(Default)]
pub(super) struct Runs {
    pub shown: Collections,
    /// The time from the beginning of the last collection to the next one, if one is known to come.
    pub interval: Option<Duration>,
    /// Waits for its list.
    listing: Option<Run>,
    reading: Vec<Run>,
}

impl Runs {
    /// Continues from the last success before this process.
    pub fn restored(last_success: Option<Timestamp>) -> Self {
        let mut runs = Self::default();
        runs.shown.last_success = last_success;
        runs
    }

    /// A collection begins, on schedule or alone.
    pub fn ticked(&mut self, tick: Option<Tick>) {
        self.interval = tick.map(|tick| tick.next.since(Moment::now().wall));
        if let Some(tick) = tick {
            self.shown.gap = Some(tick.interval);
            self.shown.next = Some(tick.next);
        }
    }

    /// Whether no further collection is scheduled.
    pub fn is_single(&self) -> bool {
        self.interval.is_none()
    }

    /// The age from which on counts are withdrawn of a folder whose last read failed.
    pub fn stale_after(&self, collect: &Collect) -> Duration {
        let interval = self.shown.interval().unwrap_or_default();
        collect.stale_after.max(interval * STALE_INTERVALS)
    }

    /// Begins a collection, unless the last one still waits for its list.
    pub fn begin(&mut self, began: Moment, timeout: Duration, requests_before: u64) -> bool {
        let begins = self.listing.is_none();
        if begins {
            self.listing = Some(Run {
                began,
                deadline: began.steady + timeout,
                outstanding: HashSet::new(),
                counted: 0,
                failed: 0,
                requests_before,
            });
        }
        begins
    }

    /// The list is there, and these folders are due.
    pub fn listed(&mut self, due: HashSet<FolderId>) {
        if let Some(mut run) = self.listing.take() {
            run.outstanding = due;
            self.reading.push(run);
        }
    }

    /// The list could not be read: nothing was due.
    pub fn list_failed(&mut self) {
        if let Some(run) = &mut self.listing {
            run.failed += 1;
        }
        self.listed(HashSet::new());
    }

    /// The collection that waits for its list is none: all that it could read is still being read.
    pub fn give_up_listing(&mut self) {
        self.listing = None;
    }

    pub fn are_under_way(&self) -> bool {
        self.listing.is_some() || !self.reading.is_empty()
    }

    /// A folder was read, or given up.
    pub fn folder_done(&mut self, folder: FolderId, outcome: ReadOutcome) {
        for run in &mut self.reading {
            if run.outstanding.remove(&folder) {
                match outcome {
                    ReadOutcome::Counted => run.counted += 1,
                    ReadOutcome::NothingToCount => {}
                    ReadOutcome::Failed => run.failed += 1,
                }
            }
        }
    }

    /// Takes out a collection that has nothing outstanding, or no more time: then what is outstanding has failed. A list that cannot be read is one
    /// that failed. `requests`: to the portal by now.
    pub fn take_ended(&mut self, now: Moment, requests: u64) -> Option<LastRun> {
        let has_ended = |run: &Run| run.outstanding.is_empty() || run.deadline <= now.steady;
        let at = self.reading.iter().position(has_ended)?;
        let run = self.reading.remove(at);
        let (counted, failed) = (run.counted, run.failed + run.outstanding.len());
        Some(LastRun {
            ended: now.wall,
            duration: now.elapsed_since(run.began),
            result: match (counted, failed) {
                (_, 0) => RunResult::Success,
                (0, _) => RunResult::Failure,
                _ => RunResult::Partial,
            },
            counted,
            failed,
            requests: requests - run.requests_before,
        })
    }

    /// When the next collection ends that has anything outstanding.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.reading.iter().map(|run| run.deadline).min()
    }

    /// What a collection counted is written.
    pub fn ended(&mut self, run: LastRun) {
        self.shown.last_run = Some(run);
        self.shown.last_success = run.success().or(self.shown.last_success);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReadOutcome::{Counted, Failed, NothingToCount};

    const TIMEOUT: Duration = Duration::from_mins(10);

    fn id(number: usize) -> FolderId {
        uuid::Uuid::from_u128(number as u128).into()
    }

    #[test]
    fn a_collection_is_a_success_when_nothing_failed_and_partial_when_something_was_counted() {
        for (outcomes, list_failed, result) in [
            (&[][..], false, RunResult::Success),
            (&[], true, RunResult::Failure),
            (&[Counted, NothingToCount], false, RunResult::Success),
            (&[Counted, Failed], false, RunResult::Partial),
            (&[Failed], false, RunResult::Failure),
        ] {
            let (mut runs, now) = (Runs::default(), Moment::now());
            assert!(runs.begin(now, TIMEOUT, 0) && !runs.begin(now, TIMEOUT, 0));
            if list_failed {
                runs.list_failed();
            } else {
                runs.listed((0..outcomes.len()).map(id).collect());
            }
            for (number, outcome) in outcomes.iter().enumerate() {
                assert!(runs.take_ended(now, 0).is_none());
                runs.folder_done(id(number), *outcome);
            }
            let run = runs.take_ended(now, 0).unwrap();
            assert_eq!(run.result, result, "{outcomes:?}");
            let counted = outcomes.iter().filter(|outcome| **outcome == Counted);
            assert_eq!(run.counted, counted.count(), "{outcomes:?}");
            assert!(runs.take_ended(now, 0).is_none());
        }
    }
}
