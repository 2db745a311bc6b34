//! A pace against limits of many kinds.

use super::*;
use crate::clock::Moment;

/// A portal that admits this number of requests a second.
#[derive(Debug, Clone, Copy)]
enum Limiter {
    /// And this many at once after a pause.
    Steady { rate: f64, burst: f64 },
    /// A number of requests in each window of seconds, as fast as they come.
    Windows { requests: f64, seconds: f64 },
}

impl Limiter {
    fn rate(self) -> f64 {
        match self {
            Self::Steady { rate, .. } => rate,
            Self::Windows { requests, seconds } => requests / seconds,
        }
    }
}

/// What a limiter has left, and the second or the window that this holds for.
struct Limited {
    limiter: Limiter,
    left: f64,
    at: f64,
}

impl Limited {
    fn new(limiter: Limiter) -> Self {
        let left = match limiter {
            Limiter::Steady { burst, .. } => burst,
            Limiter::Windows { .. } => 0.0,
        };
        Self {
            limiter,
            left,
            at: -1.0,
        }
    }

    fn admits(&mut self, now: f64) -> bool {
        match self.limiter {
            Limiter::Steady { rate, burst } => {
                let passed = now - self.at.max(0.0);
                self.left = (self.left + passed * rate).min(burst);
                self.at = now;
            }
            Limiter::Windows { requests, seconds } => {
                let window = (now / seconds).floor();
                if window > self.at {
                    (self.at, self.left) = (window, requests);
                }
            }
        }
        let admits = self.left >= 1.0 - 1e-9;
        if admits {
            self.left -= 1.0;
        }
        admits
    }
}

fn steady(rate: f64, burst: f64) -> Limiter {
    Limiter::Steady { rate, burst }
}

/// Sends a request as soon as it may be sent; returns when.
fn send(pace: &mut Pace, now: Instant) -> Instant {
    let slot = pace.slot(1, now);
    pace.take(slot);
    slot
}

/// A story of one who asks, each request as soon as it may be sent.
struct Story {
    pace: Pace,
    start: Instant,
    now: Instant,
}

impl Story {
    fn new(configured: Rate) -> Self {
        let start = Moment::now().steady;
        Self {
            pace: Pace::new(configured),
            start,
            now: start,
        }
    }

    /// Asks for so long; returns how many were answered well and how many were not.
    fn ask(&mut self, portal: &mut Limited, time: Duration) -> (u32, u32) {
        let (mut good, mut refused) = (0, 0);
        let end = self.now + time;
        loop {
            let slot = self.pace.slot(1, self.now);
            if slot >= end {
                self.now = end;
                return (good, refused);
            }
            self.pace.take(slot);
            self.now = slot;
            if portal.admits((slot - self.start).as_secs_f64()) {
                good += 1;
                self.pace.answered(slot);
            } else {
                refused += 1;
                self.pace.refused(slot);
            }
        }
    }
}

#[test]
fn requests_keep_their_distance_whoever_sends_them() {
    let mut pace = Pace::new(Rate::PerSecond(0.5));
    let start = Moment::now().steady;
    let slots: Vec<_> = (0..3).map(|_| send(&mut pace, start) - start).collect();
    assert_eq!(slots, [0, 2, 4].map(Duration::from_secs));
}

#[test]
fn a_pause_is_not_saved_up_for_a_burst() {
    let mut pace = Pace::new(Rate::PerSecond(1.0));
    let start = Moment::now().steady;
    send(&mut pace, start);
    let later = start + Duration::from_mins(1);
    assert_eq!(send(&mut pace, later), later);
    assert_eq!(send(&mut pace, later), later + Duration::from_secs(1));
}

#[test]
fn a_limit_is_used_and_met_by_few_requests() {
    let windows = |requests, seconds| Limiter::Windows { requests, seconds };
    let (settled, hour) = (Duration::from_mins(10), Duration::from_hours(1));
    for (configured, limiter) in [
        (Rate::PerSecond(5.0), steady(1.0, 1.0)),
        (Rate::PerSecond(5.0), steady(1.0, 10.0)),
        (Rate::PerSecond(5.0), steady(1.0, 60.0)),
        (Rate::PerSecond(5.0), steady(0.5, 1.0)),
        (Rate::PerSecond(5.0), steady(3.0, 1.0)),
        (Rate::PerSecond(5.0), steady(3.0, 10.0)),
        (Rate::PerSecond(60.0), steady(25.0, 12.0)),
        (Rate::PerSecond(5.0), steady(4.9, 5.0)),
        (Rate::PerSecond(5.0), windows(60.0, 60.0)),
        (Rate::PerSecond(5.0), windows(30.0, 60.0)),
        (Rate::PerSecond(5.0), windows(20.0, 60.0)),
        (Rate::PerSecond(5.0), windows(100.0, 60.0)),
        (Rate::PerSecond(5.0), steady(0.25, 1.0)),
        (Rate::PerSecond(5.0), windows(10.0, 10.0)),
        (Rate::Unlimited, steady(1.0, 1.0)),
        (Rate::Unlimited, steady(20.0, 5.0)),
    ] {
        let (mut story, mut portal) = (Story::new(configured), Limited::new(limiter));
        story.ask(&mut portal, settled);
        let (good, refused) = story.ask(&mut portal, hour);
        let share = f64::from(refused) / f64::from(good + refused);
        let used = f64::from(good) / (limiter.rate() * hour.as_secs_f64());
        println!("{configured:?}, {limiter:?}: {share:.3} answered 429, {used:.2} used");
        assert!(share < 0.1, "{configured:?}, {limiter:?}: {share} refused");
        assert!(used >= 0.75, "{configured:?}, {limiter:?}: {used} used");
    }
}

#[test]
fn the_configured_rate_returns_when_the_limit_went_away_and_is_never_exceeded() {
    for (configured, limit, minutes) in [(5.0, 1.0, 3), (5.0, 0.2, 10), (0.5, 0.25, 10)] {
        let hour = Duration::from_hours(1);
        let mut story = Story::new(Rate::PerSecond(configured));
        story.ask(&mut Limited::new(steady(limit, 1.0)), hour);
        let mut free = Limited::new(steady(100.0, 100.0));
        story.ask(&mut free, Duration::from_mins(minutes));
        let (good, _) = story.ask(&mut free, hour);
        let rate = f64::from(good) / hour.as_secs_f64();
        assert!(
            (0.99 * configured..=1.01 * configured).contains(&rate),
            "{rate} of {configured}"
        );
    }
}

/// How long it takes until nothing limits the rate, after a minute in which every third answer was 429.
fn time_to_return(seed: u64) -> Duration {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut story = Story::new(Rate::PerSecond(5.0));
    let well = story.now + Duration::from_mins(1);
    while story.now < well || story.pace.lowered().is_some() {
        story.now = send(&mut story.pace, story.now);
        if story.now < well && random.u32(..3) == 0 {
            story.pace.refused(story.now);
        } else {
            story.pace.answered(story.now);
        }
    }
    story.now - well
}

#[test]
fn the_configured_rate_returns_within_minutes_after_one_in_which_every_third_answer_was_429() {
    let mut times: Vec<_> = (0..100).map(time_to_return).collect();
    times.sort_unstable();
    assert!(times[50] < Duration::from_mins(9), "{:?}", times[50]);
    assert!(times[90] < Duration::from_mins(10), "{:?}", times[90]);
}

#[test]
fn answers_of_429_in_a_burst_lower_the_rate_once() {
    let mut pace = Pace::new(Rate::PerSecond(4.0));
    let now = Moment::now().steady;
    for millis in [0, 1_000, 4_900] {
        pace.refused(now + Duration::from_millis(millis));
        assert_eq!(pace.lowered(), Some(4.0 * LOWER), "{millis}");
    }
    pace.refused(now + BURST);
    assert_eq!(pace.lowered(), Some(4.0 * LOWER * LOWER));
}

#[test]
fn the_rate_returns_while_the_portal_is_not_asked() {
    let mut pace = Pace::new(Rate::PerSecond(4.0));
    let now = Moment::now().steady;
    pace.refused(now);
    send(&mut pace, now + Duration::from_secs(15));
    assert!(pace.lowered().is_some_and(|rate| rate > 3.0 && rate < 3.5));
    send(&mut pace, now + Duration::from_secs(45));
    assert_eq!(pace.lowered(), None);
}

#[test]
fn no_limit_makes_the_pace_slower_than_the_slowest() {
    for (configured, slowest) in [(5.0, 5), (0.1, 10)] {
        let mut story = Story::new(Rate::PerSecond(configured));
        let mut closed = Limited::new(steady(0.0, 0.0));
        story.ask(&mut closed, Duration::from_hours(1));
        assert_eq!(story.pace.gap(), Duration::from_secs(slowest));
    }
}
