//! The rate at which a portal is asked: the configured one, or what a limit of the portal's allows.
//!
//! A limit is approached from below. An answer of 429 tells its level: the rate falls below it at once, returns to it by small steps, and
//! goes beyond it by steps that grow, so that a limit that went away is forgotten soon. While only 429 comes, as until the end of a limit's
//! window, the requests are farther and farther apart. The configured rate is never exceeded.

use std::time::Duration;

use tokio::time::Instant;

use crate::config::Rate;

/// What is left of the rate after an answer of 429 at the level where one came before.
const BACK_FROM_LEVEL: f64 = 0.75;

/// The same where the limit was not known yet, or is lower than it was.
const BACK: f64 = 0.5;

/// From this part of the level on, an answer of 429 says that the level is as it was.
const AT_LEVEL: f64 = 0.9;

/// The step of a good answer, as a part of the level.
const STEP: f64 = 1.0 / 400.0;

/// By so much a step beyond the level is larger than the one before.
const STEP_GROWTH: f64 = 1.05;

/// So many answers of 429 in a row say that the limit holds over a longer time, and is lower than the rate at which it was met.
const WINDOW_CLOSED: u32 = 3;

/// The slowest rate that answers of 429 lead to, unless the configured one is slower.
const SLOWEST: f64 = 0.2;

/// Requests are put apart by doubling so often, at most.
const MAX_DOUBLINGS: u32 = 16;

/// A portal without a configured rate is not slowed down any more from this rate on.
const FREE: f64 = 1_000.0;

/// What was sent in this time is the rate at which a limit was met.
const WINDOW: Duration = Duration::from_secs(1);

/// Fewer requests than this say nothing of a limit, because there may have been no more to ask.
const FEW_REQUESTS: u32 = 10;

/// The distance in time between two requests.
#[derive(Debug)]
pub(super) struct Pace {
    configured: Option<f64>,
    limit: Option<Limit>,
    next: Option<Instant>,
    sent: Sent,
    /// Answers of 429 since the last good one.
    in_a_row: u32,
    /// Counts how often requests were put farther apart.
    lowered: u64,
}

/// A limit that the portal was seen to have.
#[derive(Debug, Clone, Copy)]
struct Limit {
    /// The rate at which 429 came last.
    level: f64,
    /// The rate at which the portal is asked.
    rate: f64,
    /// The next step beyond the level.
    step: f64,
}

impl Pace {
    pub fn new(rate: Rate) -> Self {
        Self {
            configured: match rate {
                Rate::Unlimited => None,
                Rate::PerSecond(rate) => Some(rate),
            },
            limit: None,
            next: None,
            sent: Sent::default(),
            in_a_row: 0,
            lowered: 0,
        }
    }

    /// The time between two requests: doubled with each answer of 429 after the first in a row.
    pub fn gap(&self) -> Duration {
        let Some(rate) = self.rate() else {
            return Duration::ZERO;
        };
        let gap = Duration::from_secs_f64(rate.recip());
        let doublings = self.in_a_row.saturating_sub(1).min(MAX_DOUBLINGS);
        let longest = Duration::from_secs_f64(self.slowest().recip());
        gap.max((gap * (1 << doublings)).min(longest))
    }

    /// How often requests were put farther apart so far.
    pub fn lowered(&self) -> u64 {
        self.lowered
    }

    /// When the next request may be sent.
    pub fn reserve(&mut self, now: Instant) -> Instant {
        let slot = self.next.map_or(now, |next| next.max(now));
        self.next = Some(slot + self.gap());
        self.sent.add(slot);
        slot
    }

    /// A request was answered 429 that was sent when the rate had been lowered so often. Those that were under way together tell of one
    /// limit.
    pub fn refused(&mut self, lowered: u64, now: Instant) {
        if lowered < self.lowered {
            return;
        }
        self.in_a_row = self.in_a_row.saturating_add(1);
        match (&self.limit, self.in_a_row) {
            (_, 1) | (None, _) => self.meet(now),
            (Some(limit), WINDOW_CLOSED) => self.fall(limit.level * BACK, BACK_FROM_LEVEL),
            _ => {}
        }
        self.lowered += 1;
        self.next = self.next.max(Some(now + self.gap()));
    }

    /// Goes below the limit that is met at the present rate. The first time its level is a guess, so that it may be gone beyond soon.
    fn meet(&mut self, now: Instant) {
        let sent = self.sent.rate(now);
        let level = self.rate().map_or(sent, |rate| rate.min(sent));
        match self.limit.map(|limit| limit.level) {
            None => self.fall(level * BACK, 1.0),
            Some(known) if level >= known * AT_LEVEL => self.fall(level, BACK_FROM_LEVEL),
            Some(_) => self.fall(level, BACK),
        }
    }

    /// Goes to a part of a level.
    fn fall(&mut self, level: f64, part: f64) {
        self.limit = Some(Limit {
            level,
            rate: (level * part).max(self.slowest()),
            step: level * STEP,
        });
    }

    fn slowest(&self) -> f64 {
        self.configured.map_or(SLOWEST, |rate| rate.min(SLOWEST))
    }

    /// A request was answered well.
    pub fn answered(&mut self) {
        self.in_a_row = 0;
        let Some(limit) = &mut self.limit else { return };
        limit.rate += limit.step;
        if limit.rate > limit.level {
            limit.step *= STEP_GROWTH;
        }
        match self.configured {
            Some(rate) if limit.rate > rate => {
                limit.rate = rate;
                limit.step = limit.level * STEP;
            }
            None if limit.rate > FREE => self.limit = None,
            _ => {}
        }
    }

    /// Requests per second; none where nothing limits them.
    fn rate(&self) -> Option<f64> {
        self.limit.map(|limit| limit.rate).or(self.configured)
    }
}

/// What was sent lately.
#[derive(Debug, Default)]
struct Sent {
    since: Option<Instant>,
    now: u32,
    before: u32,
}

impl Sent {
    fn add(&mut self, at: Instant) {
        self.turn(at);
        self.now = self.now.saturating_add(1);
    }

    /// Requests per second, or a few.
    fn rate(&mut self, now: Instant) -> f64 {
        self.turn(now);
        f64::from(self.now.max(self.before).max(FEW_REQUESTS)) / WINDOW.as_secs_f64()
    }

    /// Begins another window where this one is over.
    fn turn(&mut self, at: Instant) {
        let age = self.since.map(|since| at.saturating_duration_since(since));
        if age.is_none_or(|age| age >= WINDOW) {
            let follows = age.is_some_and(|age| age < 2 * WINDOW);
            self.before = if follows { self.now } else { 0 };
            self.now = 0;
            self.since = Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A portal that admits so many requests a second.
    #[derive(Debug, Clone, Copy)]
    enum Limiter {
        /// And this many at once after a pause.
        Steady { rate: f64, burst: f64 },
        /// In each window of so many seconds so many, as fast as they come.
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

    /// A story of one who asks, each request as soon as it may be sent.
    struct Story {
        pace: Pace,
        start: Instant,
        now: Instant,
    }

    impl Story {
        fn new(configured: Rate) -> Self {
            let start = Instant::now();
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
                let slot = self.pace.reserve(self.now);
                if slot >= end {
                    self.now = end;
                    return (good, refused);
                }
                self.now = slot;
                if portal.admits((slot - self.start).as_secs_f64()) {
                    good += 1;
                    self.pace.answered();
                } else {
                    refused += 1;
                    self.pace.refused(self.pace.lowered(), slot);
                }
            }
        }
    }

    #[test]
    fn requests_keep_their_distance_whoever_sends_them() {
        let mut pace = Pace::new(Rate::PerSecond(0.5));
        let start = Instant::now();
        let slots: Vec<_> = (0..3).map(|_| pace.reserve(start) - start).collect();
        assert_eq!(slots, [0, 2, 4].map(Duration::from_secs));
    }

    #[test]
    fn a_pause_is_not_saved_up_for_a_burst() {
        let mut pace = Pace::new(Rate::PerSecond(1.0));
        let start = Instant::now();
        pace.reserve(start);
        let later = start + Duration::from_mins(1);
        assert_eq!(pace.reserve(later), later);
        assert_eq!(pace.reserve(later), later + Duration::from_secs(1));
    }

    #[test]
    fn a_limit_is_used_and_seldom_met() {
        let windows = |requests, seconds| Limiter::Windows { requests, seconds };
        let (settled, hour) = (Duration::from_mins(10), Duration::from_hours(1));
        for (configured, limiter) in [
            (Rate::PerSecond(5.0), steady(1.0, 1.0)),
            (Rate::PerSecond(5.0), steady(1.0, 10.0)),
            (Rate::PerSecond(5.0), steady(1.0, 60.0)),
            (Rate::PerSecond(5.0), steady(0.5, 1.0)),
            (Rate::PerSecond(5.0), steady(3.0, 1.0)),
            (Rate::PerSecond(5.0), steady(4.9, 5.0)),
            (Rate::PerSecond(5.0), windows(60.0, 60.0)),
            (Rate::PerSecond(5.0), windows(30.0, 60.0)),
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
            assert!(share < 0.05, "{configured:?}, {limiter:?}: {share} refused");
            assert!(used > 0.75, "{configured:?}, {limiter:?}: {used} used");
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

    #[test]
    fn requests_that_were_under_way_together_tell_of_one_limit() {
        let mut pace = Pace::new(Rate::PerSecond(4.0));
        let now = Instant::now();
        for _ in 0..4 {
            pace.reserve(now);
        }
        for _ in 0..4 {
            pace.refused(0, now);
        }
        assert_eq!(pace.lowered(), 1);
        assert_eq!(pace.gap(), Duration::from_millis(500));
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
}
