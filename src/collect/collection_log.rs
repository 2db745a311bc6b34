//! What the collections of a portal showed: when they ran, what they cost, and how long their counts hold.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{info, warn};

use crate::clock::Moment;
use crate::collect::read_plan::ReadPlan;
use crate::collect::read_schedule::{Cost, CycleChange, ReadCycles};
use crate::collect::settings::Settings;
use crate::config::{Collect, Rate};
use crate::model::Timestamp;
use crate::schedule::Tick;
use crate::snapshot::{Collections, LastRun, RunResult};

/// Counts are shown for this many intervals at least (docs/metrics.md, Stale counts).
const STALE_INTERVALS: u32 = 3;

/// And for as many cycles (docs/metrics.md, Stale counts).
const STALE_CYCLES: u32 = 2;

/// The collections of a portal, one after the other.
#[derive(Default)]
pub(super) struct CollectionLog {
    pub shown: Collections,
    cycles: ReadCycles,
    /// Whether a collection has chosen its folders before.
    has_planned: bool,
}

impl CollectionLog {
    /// What was stored of the time before this process.
    pub fn restore(&mut self, last_success: Option<Timestamp>) {
        self.shown.last_success = self.shown.last_success.max(last_success);
    }

    pub fn ticked(&mut self, tick: Tick) {
        self.shown.gap = Some(tick.interval);
        self.shown.next = tick.next;
    }

    /// A collection has chosen its folders. Logs what reading the portal costs, once, and what is new about the cycle.
    pub fn planned(&mut self, plan: &ReadPlan, rate: Rate, settings: &Settings, now: Instant) {
        self.shown.cycle = plan.cycle;
        let portal = &settings.portal.name;
        let first = !std::mem::replace(&mut self.has_planned, true);
        if let Some(intervals) = plan.intervals.filter(|_| first) {
            let cost = Cost {
                reads: plan.load.total(),
                intervals,
                rate,
            };
            info!(%portal, folders = plan.folders, "{cost}");
        }
        match self.cycles.update(plan.cycle, now) {
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

    /// The age from which on counts are withdrawn: an idle folder keeps its counts until it is read when it is due again.
    pub fn stale_after(&self, collect: &Collect) -> Duration {
        let interval = self.shown.interval().unwrap_or_default();
        let longest_cycle = self.cycles.longest(Moment::now().steady);
        let waits = (interval * STALE_INTERVALS).max(longest_cycle * STALE_CYCLES);
        let idle = match self.shown.gap {
            Some(gap) if gap < collect.quiet_every => collect.quiet_every,
            _ => Duration::ZERO,
        };
        collect.stale_after.max(idle.saturating_add(waits))
    }
}
