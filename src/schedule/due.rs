//! When a collection is due: pure, so that tests can set both clocks.

use std::time::Duration;

use chrono_tz::Tz;

use crate::clock::Moment;
use crate::config::Schedule;
use crate::model::Timestamp;

use super::occurrence::next_after;

/// A calendar that goes back by less than this was corrected and not set.
const CORRECTION: Duration = Duration::from_secs(1);

/// Says that a collection is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// The longest of the gaps between the last two and the next due times, without jitter
    /// (docs/metrics.md, `kb_collection_interval_seconds`). Zero only for a lone run, with none before it or after.
    pub interval: Duration,
    /// When the next collection is due on the calendar, jitter included; none when the cron line names no further time.
    pub next: Option<Timestamp>,
}

/// Knows whether a collection is due, and when the next one is: durations by the monotonic clock, cron lines by the calendar.
///
/// The first is due at once. One tick replaces all that were missed, because nobody asked or because the machine slept.
#[derive(Clone, Debug)]
pub struct Due {
    schedule: Schedule,
    timezone: Tz,
    jitter: Duration,
    start: Moment,
    /// None before the first run.
    ahead: Option<Ahead>,
}

#[derive(Clone, Copy, Debug)]
struct Ahead {
    computed: Timestamp,
    /// From the last due time to the next.
    gap: Duration,
    next: Option<Occurrence>,
}

#[derive(Clone, Copy, Debug)]
struct Occurrence {
    /// The time that the schedule names. The next one is counted from it, so that jitter and late wake-ups do not add up.
    at: Timestamp,
    /// The same with jitter.
    due: Timestamp,
}

impl Due {
    /// Every run but the first is put off by up to `jitter`, and by no more than a tenth of the gap that follows it.
    pub fn new(schedule: Schedule, timezone: Tz, jitter: Duration) -> Self {
        Self {
            schedule,
            timezone,
            jitter,
            start: Moment::now(),
            ahead: None,
        }
    }

    /// Takes the tick that is due now, if one is, and sets the next. `draw`, from 0 to 1, is the share of the jitter that the next run gets.
    pub fn take(&mut self, now: Moment, draw: f64) -> Option<Tick> {
        let time = self.read(now);
        let Some(ahead) = self.ahead else {
            return Some(self.run(now, time, Duration::ZERO, draw));
        };
        if time.after(CORRECTION) < ahead.computed {
            self.look_ahead(time, time, ahead.gap, draw);
            return None;
        }
        let next = ahead.next.filter(|next| next.due <= time)?;
        Some(self.run(now, next.at, ahead.gap, draw))
    }

    /// How long it is until the next tick is due, if no clock is set meanwhile; none when no further one is.
    pub fn wait(&self, now: Moment) -> Option<Duration> {
        let next = |ahead: Ahead| ahead.next.map(|next| next.due.since(self.read(now)));
        self.ahead.map_or(Some(Duration::ZERO), next)
    }

    /// If further occurrences have passed since the one that was due, this run replaces all of them.
    fn run(&mut self, now: Moment, due: Timestamp, last_gap: Duration, draw: f64) -> Tick {
        let time = self.read(now);
        let has_missed = self.after(due).is_some_and(|missed| missed <= time);
        let from = if has_missed { time } else { due };
        let gap = self
            .after(from)
            .map_or(Duration::ZERO, |next| next.since(from));
        let next = self.look_ahead(time, from, gap, draw);
        Tick {
            interval: gap.max(last_gap),
            next: next.map(|next| now.wall.after(next.due.since(time))),
        }
    }

    fn look_ahead(
        &mut self,
        computed: Timestamp,
        from: Timestamp,
        gap: Duration,
        draw: f64,
    ) -> Option<Occurrence> {
        let next = self.after(from).map(|at| self.occurrence(at, draw));
        self.ahead = Some(Ahead {
            computed,
            gap,
            next,
        });
        next
    }

    /// Jitter keeps clear of the following occurrence, so that no two become one.
    fn occurrence(&self, at: Timestamp, draw: f64) -> Occurrence {
        let longest = self
            .after(at)
            .map(|next| Schedule::longest_jitter(next.since(at)));
        let jitter = longest.map_or(self.jitter, |longest| self.jitter.min(longest));
        let due = at.after(jitter.mul_f64(draw.clamp(0.0, 1.0)));
        Occurrence { at, due }
    }

    /// The first time after `time` that the schedule names.
    fn after(&self, time: Timestamp) -> Option<Timestamp> {
        match &self.schedule {
            Schedule::Every(gap) => Some(time.after(*gap)),
            Schedule::Cron(line) => {
                next_after(line.pattern(), self.timezone, time.into()).map(Timestamp::from)
            }
        }
    }

    /// Reads the clock that the schedule follows. The monotonic one is read as a calendar that nobody sets.
    fn read(&self, now: Moment) -> Timestamp {
        match self.schedule {
            Schedule::Every(_) => self.start.wall.after(now.elapsed_since(self.start)),
            Schedule::Cron(_) => now.wall,
        }
    }
}

#[cfg(test)]
mod tests;
