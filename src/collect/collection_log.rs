//! What the collections of a portal showed: when they ran, and how long counts are shown of folders that cannot be read.

use std::time::Duration;

use crate::clock::Moment;
use crate::config::Collect;
use crate::model::Timestamp;
use crate::schedule::Tick;
use crate::snapshot::{Collections, LastRun, RunResult};

/// Counts are shown for this many intervals at least (docs/metrics.md, Stale counts).
const STALE_INTERVALS: u32 = 3;

/// The collections of a portal, one after the other.
#[derive(Default)]
pub(super) struct CollectionLog {
    pub shown: Collections,
    /// The time from the beginning of the last collection to the next one, if one is known to come.
    interval: Option<Duration>,
}

impl CollectionLog {
    /// What was stored of the time before this process.
    pub fn restored(last_success: Option<Timestamp>) -> Self {
        let mut log = Self::default();
        log.shown.last_success = last_success;
        log
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

    /// How often a quiet folder is read: in every collection if no further one is scheduled.
    pub fn quiet_every(&self, collect: &Collect) -> Duration {
        if self.is_single() {
            Duration::ZERO
        } else {
            collect.quiet_every
        }
    }

    pub fn ended(&mut self, run: LastRun) {
        self.shown.last_run = Some(run);
        if run.result == RunResult::Success {
            self.shown.last_success = Some(run.ended);
        }
    }

    /// The time until the next collection, by the schedule; none if no further one is scheduled.
    pub fn interval(&self) -> Option<Duration> {
        self.interval
    }

    /// The age from which on counts are withdrawn of a folder whose last read failed.
    pub fn stale_after(&self, collect: &Collect) -> Duration {
        let interval = self.shown.interval().unwrap_or_default();
        collect.stale_after.max(interval * STALE_INTERVALS)
    }
}
