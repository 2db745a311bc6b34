//! What the collections of a portal showed: when they ran, how long folders wait for their turns, and how long their counts hold.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{info, warn};

use crate::clock::Moment;
use crate::collect::due::ReadIntervals;
use crate::collect::read_cycles::{CycleChange, ReadCycles};
use crate::config::Collect;
use crate::model::{PortalName, Timestamp};
use crate::schedule::Tick;
use crate::snapshot::{Collections, LastRun, ReadCycle, RunResult};

/// Counts are shown for this many intervals at least (docs/metrics.md, Stale counts).
const STALE_INTERVALS: u32 = 3;

/// And for as many cycles (docs/metrics.md, Stale counts).
const STALE_CYCLES: u32 = 2;

/// The collections of a portal, one after the other.
#[derive(Default)]
pub(super) struct CollectionLog {
    pub shown: Collections,
    /// The time from the beginning of the last collection to the next one, if one is known to come.
    interval: Option<Duration>,
    /// The longest time between two reads of a folder since the last collection began, of those that waited for their turn.
    longest_gap: Duration,
    /// Whether a folder waited or had its turn since then that this process had not read.
    found_unread: bool,
    /// Whether every folder was read once: before that, folders wait longer than later.
    has_read_all: bool,
    cycles: ReadCycles,
}

impl CollectionLog {
    /// What was stored of the time before this process.
    pub fn restore(&mut self, last_success: Option<Timestamp>) {
        self.shown.last_success = self.shown.last_success.max(last_success);
    }

    /// A collection begins, on schedule or alone.
    pub fn ticked(&mut self, tick: Option<Tick>) {
        let next = tick.and_then(|tick| tick.next);
        self.interval = next.map(|next| next.since(Moment::now().wall));
        if let Some(tick) = tick {
            self.shown.gap = Some(tick.interval);
            self.shown.next = tick.next;
        }
    }

    /// The times between two reads of a folder; `None` if no further collection is scheduled.
    pub fn intervals(&self, collect: &Collect) -> Option<ReadIntervals> {
        self.interval.map(|interval| ReadIntervals {
            interval,
            quiet_every: collect.quiet_every,
        })
    }

    /// A folder waits for its turn, or has its turn now, since it was due; `read_before`: when this process read it last.
    pub fn waited(&mut self, due: Instant, read_before: Option<Instant>, now: Instant) {
        let late = now.saturating_duration_since(due);
        match read_before {
            None => self.found_unread = true,
            Some(before) if self.interval.is_some_and(|interval| late > interval) => {
                let gap = now.saturating_duration_since(before);
                self.longest_gap = self.longest_gap.max(gap);
            }
            Some(_) => {}
        }
    }

    /// Notes the cycle of the last interval; logs what is new about it.
    pub fn measure(&mut self, collect: &Collect, portal: &PortalName, now: Instant) {
        let gap = std::mem::take(&mut self.longest_gap);
        let found_unread = std::mem::take(&mut self.found_unread);
        self.has_read_all |= self.shown.last_run.is_some() && !found_unread;
        let cycle = self
            .interval
            .filter(|_| gap > Duration::ZERO && self.has_read_all);
        let cycle = cycle.map(|interval| ReadCycle {
            takes: gap,
            interval,
            quiet_every: collect.quiet_every,
        });
        let news = self.cycles.update(cycle, now);
        self.shown.cycle = self.cycles.current();
        match news {
            None => {}
            Some(CycleChange::Changed(cycle)) if cycle.is_late() => warn!(%portal, "{cycle}"),
            Some(CycleChange::Changed(cycle)) => info!(%portal, "{cycle}"),
            Some(CycleChange::Fits) => {
                info!(%portal, "every folder fits into the interval again");
            }
        }
    }

    pub fn ended(&mut self, run: LastRun) {
        self.shown.last_run = Some(run);
        if run.result == RunResult::Success {
            self.shown.last_success = Some(run.ended);
        }
    }

    /// The age from which on counts are withdrawn: a quiet folder keeps its counts until it is read when it is due again.
    pub fn stale_after(&self, collect: &Collect) -> Duration {
        let interval = self.shown.interval().unwrap_or_default();
        let longest_cycle = self.cycles.longest(Moment::now().steady);
        let waits = (interval * STALE_INTERVALS).max(longest_cycle * STALE_CYCLES);
        let quiet = match self.shown.gap {
            Some(gap) if gap < collect.quiet_every => collect.quiet_every,
            _ => Duration::ZERO,
        };
        collect.stale_after.max(quiet.saturating_add(waits))
    }
}
