//! Runs a fixed duration apart, on the monotonic clock.

use std::time::Duration;

use tokio::time::Instant;

use super::due::Tick;
use crate::clock::Moment;
use crate::config::Schedule;

/// The shortest and the longest gap (docs/configuration.md, `collect.schedule`).
const GAPS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_hours(7 * 24));

#[derive(Clone, Debug)]
pub(super) struct Timer {
    gap: Duration,
    jitter: Duration,
    next: Option<Next>,
}

#[derive(Clone, Copy, Debug)]
struct Next {
    /// Where the run would be without jitter: marks lie a gap apart, so that jitter and late wake-ups do not add up.
    mark: Instant,
    due: Instant,
}

impl Timer {
    pub(super) fn new(gap: Duration, jitter: Duration) -> Self {
        let gap = gap.clamp(GAPS.0, GAPS.1);
        Self {
            gap,
            jitter: jitter.min(Schedule::longest_jitter(gap)),
            next: None,
        }
    }

    pub(super) fn take(&mut self, now: Moment, draw: f64) -> Option<Tick> {
        if !self.wait(now).is_zero() {
            return None;
        }
        let due = self.set_next(now.steady, draw);
        Some(Tick {
            interval: self.gap,
            next: Some(now.wall.after(due - now.steady)),
        })
    }

    pub(super) fn wait(&self, now: Moment) -> Duration {
        self.next.map_or(Duration::ZERO, |next| {
            next.due.saturating_duration_since(now.steady)
        })
    }

    /// A run that came later than jitter explains pulls the marks along: the next one is still a gap less the jitter away.
    fn set_next(&mut self, now: Instant, draw: f64) -> Instant {
        let last = self.next.map_or(now, |next| next.mark);
        let mark = (last + self.jitter).max(now) + self.gap.saturating_sub(self.jitter);
        let due = mark + self.jitter.mul_f64(draw);
        self.next = Some(Next { mark, due });
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;
    use proptest::prelude::*;

    const BEAT: Duration = Duration::from_secs(1);

    fn at(start: Instant, seconds: f64) -> Moment {
        let passed = Duration::from_secs_f64(seconds);
        Moment {
            wall: Timestamp::from_millis(0).after(passed),
            steady: start + passed,
        }
    }

    /// The seconds, among those at which it was asked, at which a timer without jitter ran.
    fn runs(gap: u64, asked: &[f64]) -> Vec<f64> {
        let start = Moment::now().steady;
        let mut timer = Timer::new(Duration::from_secs(gap), Duration::ZERO);
        let ran = |seconds: &f64| timer.take(at(start, *seconds), 0.0).is_some();
        asked.iter().copied().filter(ran).collect()
    }

    #[test]
    fn the_first_run_is_due_at_once_and_missed_ones_are_one() {
        for (story, gap, asked, expected) in [
            ("at once", 60, vec![0.0], vec![0.0]),
            ("not early", 60, vec![0.0, 1.0, 59.9], vec![0.0]),
            (
                "in time",
                60,
                vec![0.0, 60.0, 119.0, 120.0],
                vec![0.0, 60.0, 120.0],
            ),
            (
                "after a sleep, once",
                60,
                vec![0.0, 3600.0, 3601.0, 3659.0],
                vec![0.0, 3600.0],
            ),
            (
                "and then a gap later",
                60,
                vec![0.0, 3630.0, 3660.0, 3690.0],
                vec![0.0, 3630.0, 3690.0],
            ),
        ] {
            assert_eq!(runs(gap, &asked), expected, "{story}");
        }
    }

    #[test]
    fn the_calendar_changes_nothing() {
        let start = Moment::now().steady;
        let mut timer = Timer::new(Duration::from_mins(1), Duration::ZERO);
        assert!(timer.take(at(start, 0.0), 0.0).is_some());
        for wall in [at(start, 86_400.0).wall, at(start, 0.0).wall] {
            let now = |seconds| Moment {
                wall,
                ..at(start, seconds)
            };
            assert_eq!(timer.take(now(59.0), 0.0), None);
            assert_eq!(timer.wait(now(59.0)), Duration::from_secs(1));
        }
        assert!(timer.take(at(start, 60.0), 0.0).is_some());
    }

    #[test]
    fn a_tick_has_the_interval_and_the_next_due_time() {
        let start = Moment::now().steady;
        let mut timer = Timer::new(Duration::from_mins(1), Duration::from_mins(1));
        let tick = timer
            .take(at(start, 0.0), 0.5)
            .expect("the first is due at once");
        assert_eq!(tick.interval, Duration::from_mins(1));
        // A minute, and half of the jitter, of which a tenth of a minute is left.
        assert_eq!(tick.next, Some(at(start, 63.0).wall));
    }

    proptest! {
        #[test]
        fn runs_keep_their_distance_and_none_is_missed(
            gap in 1_u64..100,
            jitter in 0.0..20.0_f64,
            asks in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 1..500),
        ) {
            let start = Moment::now().steady;
            let mut timer = Timer::new(Duration::from_secs(gap), Duration::from_secs_f64(jitter));
            let (gap, jitter) = (timer.gap, timer.jitter);
            let mut seconds = 0.0;
            let mut last: Option<Instant> = None;
            for (pause, draw) in asks {
                seconds += pause * BEAT.as_secs_f64();
                let now = at(start, seconds);
                let passed = last.map(|last| now.steady - last);
                if timer.take(now, draw).is_some() {
                    prop_assert!(passed.is_none_or(|passed| passed + jitter >= gap));
                    last = Some(now.steady);
                } else {
                    prop_assert!(passed.is_some_and(|passed| passed < gap + jitter + BEAT));
                }
            }
        }

        #[test]
        fn however_late_the_questions_runs_keep_their_distance(
            gap in 1_u64..100,
            asks in prop::collection::vec((0.0..300.0_f64, 0.0..1.0_f64), 1..200),
        ) {
            let start = Moment::now().steady;
            let mut timer = Timer::new(Duration::from_secs(gap), Duration::from_hours(1));
            let mut seconds = 0.0;
            let mut last: Option<Instant> = None;
            for (pause, draw) in asks {
                seconds += pause;
                let now = at(start, seconds);
                if timer.take(now, draw).is_some() {
                    prop_assert!(last.is_none_or(|last| now.steady - last + timer.jitter >= timer.gap));
                    last = Some(now.steady);
                }
            }
        }

        #[test]
        fn late_wake_ups_do_not_add_up_where_jitter_covers_them(late in 0.0..0.05_f64) {
            let start = Moment::now().steady;
            let mut timer = Timer::new(BEAT, Duration::from_millis(100));
            let mut now = at(start, 0.0);
            for _ in 0..100 {
                prop_assert!(timer.take(now, 0.5).is_some());
                let wait = timer.wait(now).as_secs_f64();
                now = at(start, (now.steady - start).as_secs_f64() + wait + late);
            }
            let passed = (now.steady - start).as_secs_f64();
            prop_assert!((passed - 100.0).abs() < 0.2, "100 runs took {passed} s");
        }
    }
}
