//! Runs at the times that a cron line names, on a calendar that may be set at any moment.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use croner::Cron;

use super::due::{Moment, Tick};
use super::occurrence::next_after;

#[derive(Clone, Debug)]
pub(super) struct Calendar {
    line: Box<Cron>,
    timezone: Tz,
    jitter: Duration,
    /// None before the first run.
    ahead: Option<Ahead>,
}

/// What lies ahead of the last run.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    /// When the last run was.
    ran: Instant,
    /// What the calendar said when it was looked for the next.
    looked: DateTime<Utc>,
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
    pub(super) fn new(line: Box<Cron>, timezone: Tz, jitter: Duration) -> Self {
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
        if now.calendar < ahead.looked {
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

    /// Where further occurrences have gone by since the one that was due, this run stands for all of them, and the gap counts from it.
    fn run(&mut self, now: Moment, due: DateTime<Utc>, last_gap: Duration, draw: f64) -> Tick {
        let (from, next) = match self.after(due) {
            Some(missed) if missed <= now.calendar => (now.calendar, self.after(now.calendar)),
            next => (due, next),
        };
        let gap = next.map_or(Duration::ZERO, |next| between(from, next));
        let next = next.map(|at| self.occurrence(at, draw));
        self.ahead = Some(Ahead {
            ran: now.monotonic,
            looked: now.calendar,
            gap,
            next,
        });
        Tick {
            interval: gap.max(last_gap),
            next: next.map(|next| next.due().into()),
        }
    }

    /// Looks anew, as the old due time may be far ahead now. An occurrence that comes less than half a gap after the last run
    /// is that run's own, named a second time by a clock that was set back a little.
    fn set_back(&self, ahead: Ahead, now: Moment, draw: f64) -> Ahead {
        let passed = now.monotonic.saturating_duration_since(ahead.ran);
        let since_run = |at| passed + between(now.calendar, at);
        let next = match self.after(now.calendar) {
            Some(again) if since_run(again) < ahead.gap / 2 => self.after(again),
            next => next,
        };
        Ahead {
            looked: now.calendar,
            next: next.map(|at| self.occurrence(at, draw)),
            ..ahead
        }
    }

    fn after(&self, time: DateTime<Utc>) -> Option<DateTime<Utc>> {
        next_after(&self.line, self.timezone, time)
    }

    /// Jitter keeps clear of the following occurrence, so that no two become one.
    fn occurrence(&self, at: DateTime<Utc>, draw: f64) -> Occurrence {
        let room = self.after(at).map(|following| between(at, following) / 10);
        let jitter = room.map_or(self.jitter, |room| self.jitter.min(room));
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
mod tests {
    use super::*;
    use chrono_tz::Europe::Berlin;
    use proptest::prelude::*;

    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;

    fn calendar(line: &str, jitter: u64) -> Calendar {
        let line = Box::new(line.parse().unwrap());
        Calendar::new(line, Tz::UTC, Duration::from_secs(jitter))
    }

    /// Both clocks in seconds: since the start, and since midnight of 1 June 2026.
    fn at(start: Instant, passed: i64, calendar: i64) -> Moment {
        let midnight = DateTime::parse_from_rfc3339("2026-06-01T00:00:00Z").unwrap();
        Moment {
            monotonic: start + Duration::from_secs(passed.try_into().unwrap()),
            calendar: midnight.to_utc() + chrono::Duration::seconds(calendar),
        }
    }

    /// The seconds since the start at which the line ran, asked each second; `steps` set the calendar: (when, by how much).
    fn runs(line: &str, seconds: i64, steps: &[(i64, i64)]) -> Vec<i64> {
        let start = Instant::now();
        let mut calendar = calendar(line, 0);
        (0..seconds)
            .filter(|&passed| {
                let step: i64 = steps
                    .iter()
                    .filter(|step| step.0 <= passed)
                    .map(|step| step.1)
                    .sum();
                calendar
                    .take(at(start, passed, passed + step), 0.0)
                    .is_some()
            })
            .collect()
    }

    #[test]
    fn each_occurrence_runs_once_whatever_is_done_to_the_clock() {
        let (each_five_minutes, nightly) = ("0 */5 * * * *", "0 0 2 * * *");
        for (story, line, seconds, steps, expected) in [
            (
                "left alone",
                each_five_minutes,
                901,
                vec![],
                vec![0, 300, 600, 900],
            ),
            (
                "an hour back",
                each_five_minutes,
                901,
                vec![(400, -HOUR)],
                vec![0, 300, 600, 900],
            ),
            (
                "an hour and a bit back",
                each_five_minutes,
                901,
                vec![(400, -HOUR - 30)],
                vec![0, 300, 630],
            ),
            (
                "a second back, just after a run",
                each_five_minutes,
                901,
                vec![(301, -2)],
                vec![0, 300, 602],
            ),
            (
                "a day forward",
                each_five_minutes,
                901,
                vec![(400, DAY)],
                vec![0, 300, 400, 600, 900],
            ),
            (
                "forward and back",
                each_five_minutes,
                901,
                vec![(400, DAY), (500, -DAY)],
                vec![0, 300, 400, 600, 900],
            ),
            (
                "nightly, an hour back",
                nightly,
                4 * HOUR,
                vec![(2 * HOUR + 60, -HOUR)],
                vec![0, 2 * HOUR],
            ),
            (
                "nightly, a day forward",
                nightly,
                4 * HOUR,
                vec![(HOUR, DAY)],
                vec![0, HOUR, 2 * HOUR],
            ),
        ] {
            assert_eq!(runs(line, seconds, &steps), expected, "{story}");
        }
    }

    #[test]
    fn a_suspended_machine_makes_up_for_all_with_one_run() {
        let start = Instant::now();
        let mut calendar = calendar("0 * * * * *", 0);
        assert!(calendar.take(at(start, 0, 0), 0.0).is_some());
        let tick = calendar
            .take(at(start, 30, DAY + 30), 0.0)
            .expect("many were missed");
        assert_eq!(
            tick.interval,
            Duration::from_mins(1),
            "the sleep is no interval of the schedule"
        );
        assert_eq!(tick.next, Some(at(start, 60, DAY + 60).calendar.into()));
        assert_eq!(calendar.take(at(start, 59, DAY + 59), 0.0), None);
        assert!(calendar.take(at(start, 60, DAY + 60), 0.0).is_some());
    }

    #[test]
    fn the_interval_is_the_longer_of_the_gaps_on_both_sides() {
        let start = Instant::now();
        let mut calendar = calendar("0 0,10 2 * * *", 0);
        let mut interval = |seconds| {
            let tick = calendar
                .take(at(start, seconds, seconds), 0.0)
                .expect("it is due");
            i64::try_from(tick.interval.as_secs()).unwrap()
        };
        assert_eq!(interval(HOUR), HOUR, "started at one o'clock");
        assert_eq!(interval(2 * HOUR), HOUR);
        assert_eq!(interval(2 * HOUR + 600), DAY - 600);
        assert_eq!(interval(DAY + 2 * HOUR), DAY - 600);
    }

    #[test]
    fn jitter_is_a_tenth_of_the_gap_that_follows_at_most() {
        let start = Instant::now();
        let mut calendar = calendar("0 0,10 2 * * *", 7200);
        let mut next = |seconds| {
            let tick = calendar
                .take(at(start, seconds, seconds), 1.0)
                .expect("it is due");
            tick.next.expect("a line for every day")
        };
        assert_eq!(
            next(HOUR),
            at(start, 0, 2 * HOUR + 60).calendar.into(),
            "ten minutes follow"
        );
        assert_eq!(
            next(2 * HOUR + 60),
            at(start, 0, 2 * HOUR + 600 + 7200).calendar.into()
        );
    }

    #[test]
    fn a_line_without_a_time_to_come_waits_for_good() {
        let start = Instant::now();
        let mut calendar = calendar("0 0 0 30 2 *", 0);
        let tick = calendar
            .take(at(start, 0, 0), 0.0)
            .expect("the first is due at once");
        assert_eq!(
            tick,
            Tick {
                interval: Duration::ZERO,
                next: None
            }
        );
        assert_eq!(calendar.wait(at(start, DAY, DAY)), None);
        assert_eq!(calendar.take(at(start, DAY, DAY), 0.0), None);
    }

    proptest! {
        #[test]
        fn runs_keep_their_distance_and_none_is_missed(
            minutes in prop::sample::select(vec![1_i64, 2, 5, 10, 15, 30]),
            jitter in 0..600_u64,
            first in 0..DAY,
            draws in prop::collection::vec(0.0..1.0_f64, 1..2000),
        ) {
            let start = Instant::now();
            let mut calendar = calendar(&format!("0 */{minutes} * * * *"), jitter);
            calendar.timezone = Berlin;
            let gap = minutes * 60;
            let room = gap / 10 + 1;
            let mut last: Option<i64> = None;
            for (passed, draw) in (0_i64..).zip(draws) {
                let since = last.map(|last| passed - last);
                if calendar.take(at(start, passed, first + passed), draw).is_some() {
                    // The first run is no occurrence: it may come just before one.
                    prop_assert!(since.is_none_or(|since| since >= gap - room || last == Some(0)));
                    last = Some(passed);
                } else {
                    prop_assert!(since.is_some_and(|since| since < gap + room));
                }
            }
        }

        #[test]
        fn no_clock_stalls_it_or_makes_it_burst(
            steps in prop::collection::vec((0..3000_i64, -2 * DAY..2 * DAY), 0..4),
        ) {
            let ran = runs("0 */5 * * * *", 3600, &steps);
            // Twelve fit into the hour, the first besides; each step may add one of its own and one for its new rhythm.
            prop_assert!(ran.len() <= 13 + 2 * steps.len(), "burst: {:?}", ran);
            let ends = ran.iter().copied().skip(1).chain([3600]);
            for (&run, next) in ran.iter().zip(ends) {
                let steps_between = steps.iter().filter(|step| (run..=next).contains(&step.0)).count();
                let patience = 300 * (1 + i64::try_from(steps_between).unwrap());
                prop_assert!(next - run <= patience, "stalled: {:?}", ran);
            }
        }
    }
}
