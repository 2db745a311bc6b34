//! The collections of a portal that are under way.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Moment;
use crate::collect::read_schedule::ReadOutcome;
use crate::portal::Session;
use crate::snapshot::{LastRun, RunResult};

pub(super) type RunId = u64;

/// A collection that is under way.
pub(super) struct Run {
    began: Moment,
    pub deadline: Instant,
    /// The time from its beginning to the next collection, if one is known to come.
    pub until_next: Option<Duration>,
    /// The client for its reads; none before the list was read.
    pub session: Option<Arc<Session>>,
    /// Folders that are not read yet.
    outstanding: usize,
    pub counted: usize,
    pub failed: usize,
    /// Requests to the portal before it began.
    pub requests_before: u64,
}

/// The collections that are under way.
#[derive(Default)]
pub(super) struct Runs {
    last: RunId,
    /// Whether a collection was skipped since the last one ended.
    has_skipped: bool,
    under_way: BTreeMap<RunId, Run>,
}

impl Runs {
    pub fn begin(
        &mut self,
        began: Moment,
        deadline: Instant,
        until_next: Option<Duration>,
        requests_before: u64,
    ) -> RunId {
        self.last += 1;
        let run = Run {
            began,
            deadline,
            until_next,
            session: None,
            outstanding: 0,
            counted: 0,
            failed: 0,
            requests_before,
        };
        self.under_way.insert(self.last, run);
        self.last
    }

    /// Whether a collection waits for the list of folders.
    pub fn is_listing(&self) -> bool {
        self.under_way.values().any(|run| run.session.is_none())
    }

    pub fn get(&self, id: RunId) -> Option<&Run> {
        self.under_way.get(&id)
    }

    pub fn get_mut(&mut self, id: RunId) -> Option<&mut Run> {
        self.under_way.get_mut(&id)
    }

    pub fn session(&self, id: RunId) -> Option<&Session> {
        self.get(id)?.session.as_deref()
    }

    /// When reads of a collection must end; now if it is not under way any more.
    pub fn deadline(&self, id: RunId) -> Instant {
        self.get(id)
            .map_or_else(|| Moment::now().steady, |run| run.deadline)
    }

    /// A collection was skipped; returns whether it is the first since one ended.
    pub fn skipped(&mut self) -> bool {
        !std::mem::replace(&mut self.has_skipped, true)
    }

    /// Removes a collection that has nothing outstanding.
    pub fn take_ended(&mut self, id: RunId) -> Option<Run> {
        self.get(id).filter(|run| run.outstanding == 0)?;
        self.has_skipped = false;
        self.remove(id)
    }

    pub fn remove(&mut self, id: RunId) -> Option<Run> {
        self.under_way.remove(&id)
    }
}

impl Run {
    /// The list is there, and this number of folders is going to be read.
    pub fn listed(&mut self, session: Arc<Session>, folders: usize) {
        self.session = Some(session);
        self.outstanding = folders;
    }

    /// One folder was read, or given up.
    pub fn folder_done(&mut self, outcome: ReadOutcome) {
        self.outstanding -= 1;
        match outcome {
            ReadOutcome::Counted | ReadOutcome::NothingToCount => self.counted += 1,
            ReadOutcome::Failed => self.failed += 1,
        }
    }

    pub fn ended(&self, now: Moment) -> LastRun {
        LastRun {
            ended: now.wall,
            duration: now.elapsed_since(self.began),
            result: RunResult::of(self.counted, self.failed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReadOutcome::{Counted, Failed, NothingToCount};

    fn ended(outcomes: &[ReadOutcome], list_failed: bool) -> Option<RunResult> {
        let (mut runs, now) = (Runs::default(), Moment::now());
        let id = runs.begin(now, Moment::now().steady, None, 0);
        assert!(runs.is_listing());
        runs.get_mut(id).unwrap().failed = usize::from(list_failed);
        for outcome in outcomes {
            runs.get_mut(id).unwrap().outstanding += 1;
            assert!(runs.take_ended(id).is_none());
            runs.get_mut(id).unwrap().folder_done(*outcome);
        }
        let ended = runs.take_ended(id).map(|run| run.ended(now).result);
        assert!(!runs.is_listing() && runs.get(id).is_none());
        ended
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
            assert_eq!(ended(outcomes, list_failed), Some(result), "{outcomes:?}");
        }
    }
}
