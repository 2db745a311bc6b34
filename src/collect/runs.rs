//! The collections of a portal that are under way: each is the list of folders, and the reads that it made due.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Moment;
use crate::collect::due::ReadOutcome;
use crate::model::FolderId;
use crate::snapshot::{LastRun, RunResult};

/// A collection that is under way.
pub(super) struct Run {
    began: Moment,
    /// When it ends, whatever is outstanding (`collect.timeout`).
    deadline: Instant,
    /// The folders that it made due and that are not read yet.
    outstanding: HashSet<FolderId>,
    pub counted: usize,
    pub failed: usize,
    /// Requests to the portal before it began.
    requests_before: u64,
}

/// The collections that are under way.
#[derive(Default)]
pub(super) struct Runs {
    /// Waits for its list.
    listing: Option<Run>,
    reading: Vec<Run>,
    /// Whether a collection was skipped since the last one ended.
    has_skipped: bool,
}

impl Runs {
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

    /// A collection was skipped; returns whether it is the first since one ended.
    pub fn skipped(&mut self) -> bool {
        !std::mem::replace(&mut self.has_skipped, true)
    }

    /// A folder was read, or given up.
    pub fn folder_done(&mut self, folder: FolderId, outcome: ReadOutcome) {
        for run in &mut self.reading {
            if run.outstanding.remove(&folder) {
                match outcome {
                    ReadOutcome::Counted | ReadOutcome::NothingToCount => run.counted += 1,
                    ReadOutcome::Failed => run.failed += 1,
                }
            }
        }
    }

    /// Takes out a collection that has nothing outstanding, or no more time: then what is outstanding has failed.
    pub fn take_ended(&mut self, now: Instant) -> Option<Run> {
        let has_ended = |run: &Run| run.outstanding.is_empty() || run.deadline <= now;
        let at = self.reading.iter().position(has_ended)?;
        let mut run = self.reading.remove(at);
        run.failed += run.outstanding.len();
        self.has_skipped = false;
        Some(run)
    }

    /// When the next collection ends that has anything outstanding.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.reading.iter().map(|run| run.deadline).min()
    }
}

impl Run {
    /// How it ended. A list that cannot be read is one that failed.
    pub fn ended(&self, now: Moment, requests: u64) -> LastRun {
        LastRun {
            ended: now.wall,
            duration: now.elapsed_since(self.began),
            result: match (self.counted, self.failed) {
                (_, 0) => RunResult::Success,
                (0, _) => RunResult::Failure,
                _ => RunResult::Partial,
            },
            requests: requests - self.requests_before,
        }
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
                assert!(runs.take_ended(now.steady).is_none());
                runs.folder_done(id(number), *outcome);
            }
            let run = runs.take_ended(now.steady).unwrap();
            assert_eq!(run.ended(now, 0).result, result, "{outcomes:?}");
            assert!(runs.take_ended(now.steady).is_none());
        }
    }

    #[test]
    fn a_collection_ends_in_time_and_what_was_not_read_by_then_has_failed() {
        let (mut runs, now) = (Runs::default(), Moment::now());
        runs.begin(now, TIMEOUT, 0);
        runs.listed([id(1), id(2)].into());
        runs.folder_done(id(1), Counted);
        assert_eq!(runs.next_deadline(), Some(now.steady + TIMEOUT));
        let run = runs.take_ended(now.steady + TIMEOUT).unwrap();
        assert_eq!(run.ended(now, 0).result, RunResult::Partial);
        runs.folder_done(id(2), Counted);
        assert_eq!(runs.next_deadline(), None);
    }
}
