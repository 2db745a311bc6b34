//! Steps of the wall clock while the program runs. Limits count in its time: a step forward would end them early.
//!
//! Every time in the ledger moves forward with the clock. When the clock is set back, times move back by no more than they were moved
//! forward before: a clock that is wrong for a while leaves them where they were, and none is ever earlier than it was written. What
//! then lies in the future holds reindexing until that time, or until somebody says that it is wrong
//! ([`crate::ledger::Forgiven::Clock`]). Steps while the program does not run cannot be seen.

use std::time::Duration;

use crate::clock::Moment;

/// The two clocks may drift apart by this much between two reads,
const MAX_DRIFT: Duration = Duration::from_secs(5);

/// or by this part of the time between them: twice what a clock is slewed by.
const MAX_SLEW: u32 = 1_000;

/// Finds steps of the wall clock by comparing it with the monotonic one.
#[derive(Debug)]
pub(super) struct StepDetector {
    last: Moment,
}

impl StepDetector {
    pub const fn new(now: Moment) -> Self {
        Self { last: now }
    }

    /// By how many milliseconds the wall clock was set since the last read; `None`, where it went on as the monotonic one did.
    pub fn step(&self, now: Moment) -> Option<i64> {
        let steady = now.steady.saturating_duration_since(self.last.steady);
        let passed = i64::try_from(steady.as_millis()).unwrap_or(i64::MAX);
        let wall = now
            .wall
            .as_millis()
            .saturating_sub(self.last.wall.as_millis());
        let step = wall.saturating_sub(passed);
        let drift = MAX_DRIFT.max(steady / MAX_SLEW);
        (u128::from(step.unsigned_abs()) > drift.as_millis()).then_some(step)
    }

    /// Accepts the wall clock as it is now: the next step is measured from here.
    pub const fn accept(&mut self, now: Moment) {
        self.last = now;
    }
}

/// By how much times move when the clock is set by `step`, after they were moved by `moved` in all. `was_behind`: whether the clock was behind
/// a time that is written: then it was wrong, and the times are right.
pub(super) fn follow(step: i64, moved: i64, was_behind: bool) -> i64 {
    if was_behind && step > 0 {
        return 0;
    }
    step.max(moved.max(0).saturating_neg())
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::model::Timestamp;

    #[test]
    fn a_step_is_distinguished_from_a_clock_that_drifts() {
        let start = Moment::now().steady;
        let at = |steady: u64, wall: i64| Moment {
            steady: start + Duration::from_secs(steady),
            wall: Timestamp::from_millis((1_000_000 + wall) * 1_000),
        };
        let mut clock = StepDetector::new(at(0, 0));
        assert_eq!(clock.step(at(600, 604)), None);
        assert_eq!(clock.step(at(600, 606)), Some(6_000));
        assert_eq!(clock.step(at(600, -3_000)), Some(-3_600_000));
        assert_eq!(
            clock.step(at(86_400, 86_400 + 80)),
            None,
            "slewed for a day"
        );
        clock.accept(at(600, 606));
        assert_eq!(clock.step(at(660, 666)), None);
    }

    #[test]
    fn times_never_move_to_before_they_were_written() {
        for (step, moved, was_behind, by) in [
            (6_000, 0, false, 6_000),
            (6_000, 0, true, 0),
            (-6_000, 0, false, 0),
            (-6_000, 4_000, false, -4_000),
            (-6_000, 9_000, true, -6_000),
        ] {
            let followed = follow(step, moved, was_behind);
            assert_eq!(followed, by, "{step} after {moved}, behind: {was_behind}");
        }
    }
}
