//! The clock of a database, and steps of it.
//!
//! State and ledger in a folder have the clock of the machine; in PostgreSQL, where several processes share them, that of the server. Between
//! two transactions the time goes on with the monotonic clock of this machine, so a step of the wall clock is noticed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::clock::Moment;

/// The two clocks may drift apart by this much between two readings,
const MAX_DRIFT: Duration = Duration::from_secs(5);

/// or by this part of the time between them: twice what a clock is slewed by.
const MAX_SLEW: u32 = 1_000;

/// The clock of a database. Cheap to clone; clones tell one time.
#[derive(Debug, Clone, Default)]
pub struct StoreClock(Arc<Mutex<Option<Moment>>>);

impl StoreClock {
    /// The time by this clock; the machine's before a server told its time.
    pub fn now(&self) -> Moment {
        let now = Moment::now();
        let told = self.told();
        let wall = told.map_or(now.wall, |told| told.wall.after(now.elapsed_since(told)));
        Moment { wall, ..now }
    }

    /// By how many milliseconds it is ahead of the clock of this machine.
    pub fn ahead(&self) -> i64 {
        let told = self.told();
        let here = Moment::now();
        let ahead = |told: Moment| {
            let there = told.wall.after(here.elapsed_since(told));
            there.as_millis().saturating_sub(here.wall.as_millis())
        };
        told.map_or(0, ahead)
    }

    /// The server tells its time.
    pub(super) fn set(&self, told: Moment) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
    }

    /// What a server told last.
    pub(super) fn told(&self) -> Option<Moment> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The clock at a moment, and the steps of it that were known then. Steps that are not known yet are found by comparing it with the monotonic clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    pub at: Moment,
    /// In milliseconds, all together.
    pub steps: i64,
}

impl Reading {
    /// By how many milliseconds the clock was set between two readings, beside what is known; `None` if it went on as the monotonic one did.
    pub fn unknown_step(self, later: Self) -> Option<i64> {
        let steady = later.at.elapsed_since(self.at);
        let passed = i64::try_from(steady.as_millis()).unwrap_or(i64::MAX);
        let wall = later.at.wall.as_millis() - self.at.wall.as_millis();
        let known = later.steps.saturating_sub(self.steps);
        let step = wall.saturating_sub(passed).saturating_sub(known);
        let drift = MAX_DRIFT.max(steady / MAX_SLEW);
        (u128::from(step.unsigned_abs()) > drift.as_millis()).then_some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    #[test]
    fn a_step_is_distinguished_from_a_clock_that_drifts_and_from_what_is_known() {
        let start = Moment::now().steady;
        let reading = |steady: u64, wall: i64, steps: i64| Reading {
            at: Moment {
                steady: start + Duration::from_secs(steady),
                wall: Timestamp::from_millis((1_000_000 + wall) * 1_000),
            },
            steps: steps * 1_000,
        };
        for (steady, wall, known, step) in [
            (600, 604, 0, None),
            (600, 606, 0, Some(6_000)),
            (600, -3_000, 0, Some(-3_600_000)),
            (600, -3_000, -3_600, None),
            (600, 606, 10, None),
            (600, 600, 3_600, Some(-3_600_000)),
            // Slewed for a day.
            (86_400, 86_400 + 80, 0, None),
        ] {
            let later = reading(steady, wall, known);
            assert_eq!(reading(0, 0, 0).unknown_step(later), step);
        }
    }
}
