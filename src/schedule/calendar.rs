//! Runs at the times that a cron line names, on a calendar that may be set at any moment.

use std::time::Duration;

use chrono_tz::Tz;
use croner::Cron;
use tokio::time::Instant;

use crate::clock::Moment;
use crate::config::Schedule;
use crate::model::Timestamp;

use super::due::Tick;
use super::occurrence::next_after;

#[derive(Clone, Debug)]
pub(super) struct Calendar {
    line: Cron,
    timezone: Tz,
    jitter: Duration,
    /// None before the first run.
    ahead: Option<Ahead>,
}

/// The last run, and the next one.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    ran: Instant,
    /// The calendar time at which `next` was computed.
    computed: Timestamp,
    /// From the last due time to the next.
    gap: Duration,
    next: Option<Occurrence>,
}

#[derive(Clone, Copy, Debug)]
struct Occurrence {
    at: Timestamp,
    delay: Duration,
}

impl Occurrence {
    fn due(self) -> Timestamp {
        self.at.after(self.delay)
    }
}

impl Calendar {
    pub(super) fn new(line: Cron, timezone: Tz, jitter: Duration) -> Self {
        Self {
            line,
            timezone,
            jitter,
            ahead: None,
        }
    }

    pub(super) fn take(&mut self, now: Moment, draw: f64) -> Option<Tick> {
        let Some(mut ahead) = self.ahead else {
            return Some(self.run(now, now.wall, Duration::ZERO, draw));
        };
        if now.wall < ahead.computed {
            ahead = self.set_back(ahead, now, draw);
            self.ahead = Some(ahead);
        }
        let next = ahead.next?;
        (next.due() <= now.wall).then(|| self.run(now, next.at, ahead.gap, draw))
    }

    pub(super) fn wait(&self, now: Moment) -> Option<Duration> {
        match self.ahead {
            None => Some(Duration::ZERO),
            Some(ahead) => ahead.next.map(|next| next.due().since(now.wall)),
        }
    }

    /// If further occurrences have passed since the one that was due, this run replaces all of them, and the gap counts from it.
    fn run(&mut self, now: Moment, due: Timestamp, last_gap: Duration, draw: f64) -> Tick {
        let (from, next) = match self.after(due) {
            Some(missed) if missed <= now.wall => (now.wall, self.after(now.wall)),
            next => (due, next),
        };
        let gap = next.map_or(Duration::ZERO, |next| next.since(from));
        let next = next.map(|at| self.occurrence(at, draw));
        self.ahead = Some(Ahead {
            ran: now.steady,
            computed: now.wall,
            gap,
            next,
        });
        Tick {
            interval: gap.max(last_gap),
            next: next.map(Occurrence::due),
        }
    }

    /// Computes the next run again, because the old due time may be far ahead now. An occurrence less than half a gap after the last
    /// run is the one of that run, which comes a second time after a clock was set back a little.
    fn set_back(&self, ahead: Ahead, now: Moment, draw: f64) -> Ahead {
        let passed = now.steady.saturating_duration_since(ahead.ran);
        let since_run = |at: Timestamp| passed + at.since(now.wall);
        let next = match self.after(now.wall) {
            Some(again) if since_run(again) < ahead.gap / 2 => self.after(again),
            next => next,
        };
        Ahead {
            computed: now.wall,
            next: next.map(|at| self.occurrence(at, draw)),
            ..ahead
        }
    }

    fn after(&self, time: Timestamp) -> Option<Timestamp> {
        next_after(&self.line, self.timezone, time.into()).map(Timestamp::from)
    }

    /// Jitter keeps clear of the following occurrence, so that no two become one.
    fn occurrence(&self, at: Timestamp, draw: f64) -> Occurrence {
        let following = self.after(at);
        let longest = following.map(|following| Schedule::longest_jitter(following.since(at)));
        let jitter = longest.map_or(self.jitter, |longest| self.jitter.min(longest));
        Occurrence {
            at,
            delay: jitter.mul_f64(draw),
        }
    }
}

#[cfg(test)]
mod tests;
