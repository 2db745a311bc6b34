//! When a collection is due: pure, so that tests can set both clocks.

use std::time::Duration;

use chrono_tz::Tz;
use croner::Cron;

use crate::clock::Moment;
use crate::model::Timestamp;

use super::calendar::Calendar;
use super::timer::Timer;

/// Says that a collection is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// The longest of the gaps between the last two and the next due times, without jitter
    /// (docs/metrics.md, `kb_collection_interval_seconds`). Zero only for a lone run, with none before it or after.
    pub interval: Duration,
    /// When the next collection is due on the calendar, jitter included; none when the cron line names no further time.
    pub next: Option<Timestamp>,
}

/// Knows whether a collection is due, and when the next one is.
///
/// The first is due at once. One tick replaces all that were missed, because nobody asked or because the machine slept.
#[derive(Clone, Debug)]
pub struct Due(Clock);

#[derive(Clone, Debug)]
enum Clock {
    Timer(Timer),
    Calendar(Box<Calendar>),
}

impl Due {
    /// Due after each `gap`, from 1 s to 7 d; what lies outside is taken as the nearest of the two. Each run but the first is put off by
    /// up to `jitter`, and by no more than a tenth of the gap that follows it.
    pub fn every(gap: Duration, jitter: Duration) -> Self {
        Self(Clock::Timer(Timer::new(gap, jitter)))
    }

    /// Due at the times of day in `timezone` that a cron line names, and put off by jitter in the same way.
    pub fn cron(line: Cron, timezone: Tz, jitter: Duration) -> Self {
        Self(Clock::Calendar(Box::new(Calendar::new(
            line, timezone, jitter,
        ))))
    }

    /// Takes the tick that is due now, if one is, and sets the next. `draw`, from 0 to 1, is the share of the jitter that the next run gets.
    pub fn take(&mut self, now: Moment, draw: f64) -> Option<Tick> {
        let draw = draw.clamp(0.0, 1.0);
        match &mut self.0 {
            Clock::Timer(timer) => timer.take(now, draw),
            Clock::Calendar(calendar) => calendar.take(now, draw),
        }
    }

    /// How long it is until the next tick is due, if no clock is set meanwhile; none when no further one is.
    pub fn wait(&self, now: Moment) -> Option<Duration> {
        match &self.0 {
            Clock::Timer(timer) => Some(timer.wait(now)),
            Clock::Calendar(calendar) => calendar.wait(now),
        }
    }
}
