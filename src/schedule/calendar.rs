//! Runs at the times that a cron line names, on a calendar that may be set at any moment.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use croner::Cron;

use super::due::{Moment, Tick};
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
    /// When the last run was.
    ran: Instant,
    /// The calendar time at which `next` was computed.
    computed: DateTime<Utc>,
    /// From the last due time to the next.
    gap: Duration,
    next: Option<Occurrence>,
}

#[derive(Clone, Copy, Debug)]
struct Occurrence {
    at: DateTime<Utc>,
    /// Its share of jitter.
    delay: Duration,
}

impl Occurrence {
    fn due(self) -> DateTime<Utc> {
        self.at + self.delay
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
            return Some(self.run(now, now.calendar, Duration::ZERO, draw));
        };
        if now.calendar < ahead.computed {
            ahead = self.set_back(ahead, now, draw);
            self.ahead = Some(ahead);
        }
        let next = ahead.next?;
        (next.due() <= now.calendar).then(|| self.run(now, next.at, ahead.gap, draw))
    }

    pub(super) fn wait(&self, now: Moment) -> Option<Duration> {
        match self.ahead {
            None => Some(Duration::ZERO),
            Some(ahead) => ahead.next.map(|next| between(now.calendar, next.due())),
        }
    }

    /// If further occurrences have passed since the one that was due, this run replaces all of them, and the gap counts from it.
    fn run(&mut self, now: Moment, due: DateTime<Utc>, last_gap: Duration, draw: f64) -> Tick {
        let (from, next) = match self.after(due) {
            Some(missed) if missed <= now.calendar => (now.calendar, self.after(now.calendar)),
            next => (due, next),
        };
        let gap = next.map_or(Duration::ZERO, |next| between(from, next));
        let next = next.map(|at| self.occurrence(at, draw));
        self.ahead = Some(Ahead {
            ran: now.monotonic,
            computed: now.calendar,
            gap,
            next,
        });
        Tick {
            interval: gap.max(last_gap),
            next: next.map(|next| next.due().into()),
        }
    }

    /// Computes the next run again, because the old due time may be far ahead now. An occurrence less than half a gap after the last
    /// run is the one of that run, which comes a second time after a clock was set back a little.
    fn set_back(&self, ahead: Ahead, now: Moment, draw: f64) -> Ahead {
        let passed = now.monotonic.saturating_duration_since(ahead.ran);
        let since_run = |at| passed + between(now.calendar, at);
        let next = match self.after(now.calendar) {
            Some(again) if since_run(again) < ahead.gap / 2 => self.after(again),
            next => next,
        };
        Ahead {
            computed: now.calendar,
            next: next.map(|at| self.occurrence(at, draw)),
            ..ahead
        }
    }

    fn after(&self, time: DateTime<Utc>) -> Option<DateTime<Utc>> {
        next_after(&self.line, self.timezone, time)
    }

    /// Jitter keeps clear of the following occurrence, so that no two become one.
    fn occurrence(&self, at: DateTime<Utc>, draw: f64) -> Occurrence {
        let longest = self.after(at).map(|following| between(at, following) / 10);
        let jitter = longest.map_or(self.jitter, |longest| self.jitter.min(longest));
        Occurrence {
            at,
            delay: jitter.mul_f64(draw),
        }
    }
}

/// Zero when `to` is not after `from`.
fn between(from: DateTime<Utc>, to: DateTime<Utc>) -> Duration {
    (to - from).to_std().unwrap_or_default()
}

#[cfg(test)]
mod tests;
