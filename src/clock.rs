//! The one clock of the program: only [`Moment::now`] reads the time.
//!
//! The steady time is tokio's, so that it agrees with every timer. A test that pauses tokio's clock moves the calendar along: it is
//! put forward by as much as tokio's clock is ahead of the machine's, which is nothing if the clock is not paused. So no part has
//! to be handed a clock. A thread that tokio did not start does not know of a pause unless it enters the runtime.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the clocks of the machine are read here"
)]

use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::model::Timestamp;

/// One moment on both clocks: the calendar, which is shown, and the monotonic one, which never jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    pub wall: Timestamp,
    /// On the monotonic clock of this process.
    pub steady: Instant,
}

impl Moment {
    pub fn now() -> Self {
        let (calendar, machine) = (SystemTime::now(), std::time::Instant::now());
        let steady = Instant::now();
        let ahead = steady.into_std().saturating_duration_since(machine);
        let behind = machine.saturating_duration_since(steady.into_std());
        Self {
            wall: Timestamp::from(calendar).after(ahead).before(behind),
            steady,
        }
    }

    /// How long after `earlier` this is, by the clock that shows more: a calendar that was set back does not make
    /// old counts young, and neither does a machine that was suspended, whose monotonic clock stood still.
    pub fn since(self, earlier: Self) -> Duration {
        let steady = self.steady.saturating_duration_since(earlier.steady);
        steady.max(self.wall.since(earlier.wall))
    }

    /// How long after `earlier` this is on the monotonic clock alone: for durations of work.
    pub fn elapsed_since(self, earlier: Self) -> Duration {
        self.steady.saturating_duration_since(earlier.steady)
    }
}

/// How long the machine runs, the time for which it was suspended included. It never jumps, and tests can pause it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UpTime(Duration);

impl UpTime {
    pub fn now() -> Self {
        let (running, machine) = (Instant::now().into_std(), std::time::Instant::now());
        let paused = running.saturating_duration_since(machine);
        Self(since_boot() + paused)
    }

    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration))
    }
}

#[cfg(target_os = "linux")]
fn since_boot() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let seconds = Duration::from_secs(time.tv_sec.unsigned_abs());
    seconds + Duration::from_nanos(time.tv_nsec.unsigned_abs())
}

/// Without a clock that goes on in a suspended machine, its monotonic one.
#[cfg(not(target_os = "linux"))]
fn since_boot() -> Duration {
    use std::sync::OnceLock;
    static FIRST: OnceLock<std::time::Instant> = OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed()
}

/// A calendar that was read once and goes on steadily from there: limits end by it, however the machine's calendar is set meanwhile.
#[derive(Debug, Clone, Copy)]
pub struct SteadyCalendar {
    wall: Timestamp,
    read: UpTime,
}

impl SteadyCalendar {
    pub fn start() -> Self {
        Self {
            wall: Moment::now().wall,
            read: UpTime::now(),
        }
    }

    pub fn now(&self) -> Timestamp {
        self.wall.after(UpTime::now().since(self.read))
    }
}

/// Does CPU work, and returns how long it took on the machine's own clock, which no test pauses.
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = std::time::Instant::now();
    let result = work();
    (result, began.elapsed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_follows_the_clock_that_says_more() {
        let start = Moment::now();
        let hour = Duration::from_hours(1);
        let suspended = Moment {
            wall: start.wall.after(hour),
            steady: start.steady,
        };
        let set_back = Moment {
            wall: start.wall.before(hour),
            steady: start.steady + hour,
        };
        assert_eq!(suspended.since(start), hour);
        assert_eq!(set_back.since(start), hour);
    }
}
