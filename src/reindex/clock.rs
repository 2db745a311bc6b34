//! Whether the time of day can be trusted: limits count in it, and a step forward would end them early.

use std::time::{Duration, Instant};

use tracing::warn;

use crate::model::{Moment, PortalName};

/// The two clocks may drift apart by this much between two looks,
const MAX_DRIFT: Duration = Duration::from_secs(5);

/// or by this part of the time between them: twice what a clock is slewed by.
const MAX_SLEW: u32 = 1_000;

/// Holds the wall clock against the monotonic one.
#[derive(Debug)]
pub(super) struct Clock {
    portal: PortalName,
    last: Moment,
    set_at: Option<Instant>,
}

impl Clock {
    pub fn start(portal: PortalName, now: Moment) -> Self {
        Self {
            portal,
            last: now,
            set_at: None,
        }
    }

    /// Whether the wall clock went as the monotonic one did for as long as the longest limit lasts: before that, a step forward may end one
    /// early that began before it.
    pub fn trusts(&mut self, now: Moment, longest_limit: Duration) -> bool {
        let steady = now.steady.saturating_duration_since(self.last.steady);
        let forward = now.wall.since(self.last.wall);
        let back = self.last.wall.since(now.wall);
        let drift = MAX_DRIFT.max(steady / MAX_SLEW);
        if forward > steady + drift || back > drift || forward + drift < steady {
            warn!(portal = %self.portal, hold = %humantime::format_duration(longest_limit), "the clock was set: nothing is reindexed until no limit counts from before");
            self.set_at = Some(now.steady);
        }
        self.last = now;
        self.set_at.is_none_or(|at| {
            // The rules may be others by now, with longer limits.
            now.steady.saturating_duration_since(at) >= longest_limit
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    #[test]
    fn a_step_of_the_clock_is_distrusted_for_a_pause() {
        let start = Instant::now();
        let pause = Duration::from_hours(1);
        let at = |steady: u64, wall: i64| Moment {
            steady: start + Duration::from_secs(steady),
            wall: Timestamp::from_millis((1_000_000 + wall) * 1_000),
        };
        for step in [3_000, -3_000] {
            let mut clock = Clock::start(PortalName::new("main").unwrap(), at(0, 0));
            assert!(clock.trusts(at(600, 601), pause));
            assert!(!clock.trusts(at(660, 661 + step), pause), "{step}");
            assert!(!clock.trusts(at(4_000, 4_001 + step), pause), "{step}");
            assert!(clock.trusts(at(4_300, 4_301 + step), pause), "{step}");
            assert!(!clock.trusts(at(4_300, 4_301 + step), pause * 2), "{step}");
        }
    }
}
