//! Whether the time of day can be trusted: limits count in it, and a step forward would end them early.

use std::time::{Duration, Instant};

use crate::model::Moment;

/// The two clocks may drift apart by this much between two looks.
const MAX_DRIFT: Duration = Duration::from_mins(1);

/// Holds the wall clock against the monotonic one.
#[derive(Debug)]
pub(super) struct Clock {
    last: Moment,
    distrusted_until: Option<Instant>,
}

impl Clock {
    pub fn start(now: Moment) -> Self {
        Self {
            last: now,
            distrusted_until: None,
        }
    }

    /// Whether the wall clock went as the monotonic one did, for the last `pause` at least.
    pub fn trusts(&mut self, now: Moment, pause: Duration) -> bool {
        let steady = now.steady.saturating_duration_since(self.last.steady);
        let forward = now.wall.since(self.last.wall);
        let back = self.last.wall.since(now.wall);
        if forward > steady + MAX_DRIFT || back > MAX_DRIFT || forward + MAX_DRIFT < steady {
            self.distrusted_until = Some(now.steady + pause);
        }
        self.last = now;
        self.distrusted_until
            .is_none_or(|until| now.steady >= until)
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
            let mut clock = Clock::start(at(0, 0));
            assert!(clock.trusts(at(600, 601), pause));
            assert!(!clock.trusts(at(660, 661 + step), pause), "{step}");
            assert!(!clock.trusts(at(4_000, 4_001 + step), pause), "{step}");
            assert!(clock.trusts(at(4_300, 4_301 + step), pause), "{step}");
        }
    }
}
