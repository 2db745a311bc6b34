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
    /// The longer of the gaps between the last two and the next due times, without jitter
    /// (docs/metrics.md, `kb_collection_interval_seconds`).
    pub interval: Duration,
    /// When the next collection is due on the calendar, jitter included.
    pub next: Timestamp,
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
    next: Run,
}

#[derive(Clone, Copy, Debug, Default)]
struct Run {
    /// The time that the schedule names. The next one is counted from it, so that jitter and late wake-ups do not add up.
    at: Timestamp,
    /// The same with jitter.
    due: Timestamp,
    /// From the due time before.
    gap: Duration,
    /// When this was computed.
    computed: Timestamp,
}

impl Due {
    /// Every run but the first is put off by up to `jitter`, and by no more than a tenth of the gap that follows it.
    pub fn new(schedule: Schedule, timezone: Tz, jitter: Duration) -> Self {
        Self {
            schedule,
            timezone,
            jitter,
            start: Moment::now(),
            // Overdue since long ago.
            next: Run::default(),
        }
    }

    /// Takes the tick that is due now, if one is, and sets the next. `draw`, from 0 to 1, is the share of the jitter that the next run gets.
    pub fn take(&mut self, now: Moment, draw: f64) -> Option<Tick> {
        let (time, run) = (self.read(now), self.next);
        let is_set_back = time.after(CORRECTION) < run.computed;
        if !is_set_back && time < run.due {
            return None;
        }
        let is_rhythm_lost = is_set_back || self.named_after(run.at) <= time;
        let from = if is_rhythm_lost { time } else { run.at };
        self.next = self.run_after(from, time, draw);
        (!is_set_back).then(|| Tick {
            interval: self.next.gap.max(run.gap),
            next: now.wall.after(self.next.due.since(time)),
        })
    }

    /// How long it is until the next tick is due, if no clock is set meanwhile.
    pub fn wait(&self, now: Moment) -> Duration {
        self.next.due.since(self.read(now))
    }

    /// The run that follows a due time. Its jitter keeps clear of the run after it, so that no two become one.
    fn run_after(&self, from: Timestamp, computed: Timestamp, draw: f64) -> Run {
        let at = self.named_after(from);
        let longest = Schedule::longest_jitter(self.named_after(at).since(at));
        Run {
            at,
            due: at.after(self.jitter.min(longest).mul_f64(draw)),
            gap: at.since(from),
            computed,
        }
    }

    /// The first time after `time` that the schedule names.
    fn named_after(&self, time: Timestamp) -> Timestamp {
        match &self.schedule {
            Schedule::Every(gap) => time.after(*gap),
            Schedule::Cron(line) => {
                let next = next_after(line.pattern(), self.timezone, time.into());
                // A line names some time, or it is no configuration; one that is not found is looked for again.
                next.map_or(time.after(Duration::from_hours(24)), Timestamp::from)
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
