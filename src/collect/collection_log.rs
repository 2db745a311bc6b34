//! What the collections of a portal showed: when they ran, how long folders wait for their turns, and how long their counts hold.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{info, warn};

use crate::clock::Moment;
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
    /// When the longest cycle that was measured so far ends.
    longest_until: Option<Instant>,
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
        let next = tick.and_then(|tick| tick.next);
        self.interval = next.map(|next| next.since(Moment::now().wall));
        if let Some(tick) = tick {
            self.shown.gap = Some(tick.interval);
            self.shown.next = tick.next;
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

    /// Notes the cycle of the last interval; logs when it becomes too long, and when it is not any more.
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
        if let Some(cycle) = cycle {
            self.longest_until = self.longest_until.max(now.checked_add(cycle.takes));
        } else if self.longest_cycle(now) > Duration::ZERO {
            // It is too early to tell that no folder waits any more.
            return;
        }
        let is_late = |cycle: Option<ReadCycle>| cycle.filter(|cycle| cycle.is_late());
        let before = std::mem::replace(&mut self.shown.cycle, cycle);
        match (is_late(before), is_late(cycle)) {
            (None, Some(late)) => warn!(%portal, "{late}"),
            (Some(_), None) => {
                info!(%portal, "every folder is read within collect.quiet_every again");
            }
            (None, None) | (Some(_), Some(_)) => {}
        }
    }

    /// The cycle that counts may have waited for: it grows at once, and shrinks no faster than time passes.
    fn longest_cycle(&self, now: Instant) -> Duration {
        let until = self.longest_until;
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
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
        let longest_cycle = self.longest_cycle(Moment::now().steady);
        let waits = (interval * STALE_INTERVALS).max(longest_cycle * STALE_CYCLES);
        let quiet = match self.shown.gap {
            Some(gap) if gap < collect.quiet_every => collect.quiet_every,
            _ => Duration::ZERO,
        };
        collect.stale_after.max(quiet.saturating_add(waits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{BaseUrl, Config, HiddenPath, KeySource, Portal};

    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn a_long_cycle_is_waited_for_until_it_is_over_and_shown_as_it_is() {
        let portal = Portal::new(
            PortalName::new("main").unwrap(),
            BaseUrl::parse("http://127.0.0.1").unwrap(),
            KeySource::File(HiddenPath::file("api_key_file", "key")),
        );
        let collect = Config::for_portal(portal.clone()).collect;
        let mut log = CollectionLog {
            interval: Some(MINUTE),
            has_read_all: true,
            ..CollectionLog::default()
        };
        let start = Moment::now().steady;
        // At a minute, a folder was read again after so long: the longest cycle from then on, and the one that is shown.
        for (at, measured, longest, shown) in [
            (0, 20, 20, Some(20)),
            (5, 2, 15, Some(2)),
            (6, 30, 30, Some(30)),
            (35, 0, 1, Some(30)),
            (36, 0, 0, None),
        ] {
            let now = start + at * MINUTE;
            log.longest_gap = measured * MINUTE;
            log.measure(&collect, &portal.name, now);
            assert_eq!(log.longest_cycle(now), longest * MINUTE, "{at}");
            let takes = log.shown.cycle.map(|cycle| cycle.takes);
            assert_eq!(takes, shown.map(|shown: u32| shown * MINUTE), "{at}");
        }
    }
}
