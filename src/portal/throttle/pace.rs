//! The rate at which a portal is asked: the configured one, or a lower one after answers of 429.
//!
//! Answers of 429 lower the rate by a third, once for all that come within a short time. One alone among many good answers lowers nothing: a limit that is
//! exceeded refuses more than one request. The rate rises again by small parts: by good answers, once a second at most, and by each second in which
//! the portal is not asked.

use std::time::Duration;

use tokio::time::Instant;

use crate::config::Rate;

/// By this factor an answer of 429 lowers the rate. Half would leave a limit that allows no bursts used by less than three quarters.
const LOWER: f64 = 2.0 / 3.0;

/// Answers of 429 that come within this time after the rate was lowered are of the same burst.
const BURST: Duration = Duration::from_secs(5);

/// An answer of 429 after at least this number of good ones is one alone.
const ALONE: u32 = 20;

/// By this factor a lowered rate rises in a second.
const RISE: f64 = 1.012;

/// The slowest rate that answers of 429 lead to, in requests per second, unless the configured one is slower.
const SLOWEST: f64 = 0.2;

/// A portal without a configured rate is not slowed down any more from this rate on.
const FREE: f64 = 64.0;

/// When the next request may be sent. In requests per second; infinite where nothing limits them.
#[derive(Debug)]
pub(super) struct Pace {
    configured: f64,
    /// The rate while it is lower than the configured one.
    lowered: Option<f64>,
    lowered_at: Option<Instant>,
    /// When an answer changed the rate last.
    changed: Option<Instant>,
    /// Good answers since the last one of 429.
    good: u32,
    last: Option<Instant>,
}

impl Pace {
    pub fn new(rate: Rate) -> Self {
        Self {
            configured: rate.0,
            lowered: None,
            lowered_at: None,
            changed: None,
            good: ALONE,
            last: None,
        }
    }

    /// Goes on with another configured rate.
    pub fn configure(&mut self, rate: Rate) {
        self.configured = rate.0;
        self.rise(Duration::ZERO);
    }

    fn distance(&self) -> Duration {
        let rate = self.lowered.unwrap_or(self.configured);
        Duration::from_secs_f64(rate.recip())
    }

    /// When this number of requests may be sent one after the other, with no wait in between. What was not used is not saved up.
    pub fn next(&self, requests: u32, now: Instant) -> Instant {
        let first = self
            .last
            .map_or(now, |last| now.max(last + self.distance()));
        first + self.distance() * requests.saturating_sub(1)
    }

    pub fn sent(&mut self, time: Instant) {
        if let Some(last) = self.last.replace(time) {
            self.rise(time.saturating_duration_since(last + self.distance()));
        }
    }

    /// The rate while it is lower than the configured one.
    pub fn lowered(&self) -> Option<f64> {
        self.lowered
    }

    /// A request was answered well.
    pub fn raise(&mut self, now: Instant) {
        const SECOND: Duration = Duration::from_secs(1);
        self.good = self.good.saturating_add(1);
        if self.changed.is_none_or(|changed| now >= changed + SECOND) {
            self.changed = Some(now);
            self.rise(SECOND);
        }
    }

    /// A request was answered 429.
    pub fn lower(&mut self, now: Instant) {
        let is_alone = std::mem::take(&mut self.good) >= ALONE;
        if !is_alone && self.lowered_at.is_none_or(|lowered| now >= lowered + BURST) {
            self.lowered_at = Some(now);
            self.changed = Some(now);
            let most = self.configured.min(FREE);
            let rate = self.lowered.unwrap_or(most) * LOWER;
            self.lowered = Some(rate.max(SLOWEST)).filter(|rate| *rate < most);
        }
    }

    fn rise(&mut self, time: Duration) {
        let most = self.configured.min(FREE);
        let risen = self
            .lowered
            .map(|rate| rate * RISE.powf(time.as_secs_f64()));
        self.lowered = risen.filter(|rate| *rate < most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;

    /// A portal that admits this number of requests at once, and as many again in each time.
    struct Limiter {
        requests: f64,
        every: f64,
        /// Whether they come back all together, and not one by one.
        in_windows: bool,
        left: f64,
        at: f64,
    }

    impl Limiter {
        fn windows(requests: f64, every: f64) -> Self {
            Self {
                requests,
                every,
                in_windows: true,
                left: requests,
                at: 0.0,
            }
        }

        fn steady(rate: f64, burst: f64) -> Self {
            Self {
                in_windows: false,
                ..Self::windows(burst, burst / rate)
            }
        }

        fn rate(&self) -> f64 {
            self.requests / self.every
        }

        fn admits(&mut self, now: f64) -> bool {
            let mut passed = (now - self.at) / self.every;
            if self.in_windows {
                passed = passed.floor();
            }
            self.at += passed * self.every;
            self.left = self.requests.min(self.left + passed * self.requests);
            let admits = self.left >= 1.0 - 1e-9;
            self.left -= f64::from(u8::from(admits));
            admits
        }
    }

    /// Asks from one time to another, as fast as the pace allows; returns how many were answered well and how many were refused.
    fn ask(pace: &mut Pace, portal: &mut Limiter, time: std::ops::Range<Instant>) -> (f64, f64) {
        let (mut good, mut refused) = (0.0, 0.0);
        portal.at = 0.0;
        loop {
            let now = pace.next(1, time.start);
            if now >= time.end {
                return (good, refused);
            }
            pace.sent(now);
            if portal.admits((now - time.start).as_secs_f64()) {
                good += 1.0;
                pace.raise(now);
            } else {
                refused += 1.0;
                pace.lower(now);
            }
        }
    }

    #[test]
    fn a_limit_is_used_and_seldom_met_and_the_configured_rate_returns_when_it_went_away() {
        let (steady, windows) = (Limiter::steady, Limiter::windows);
        for (configured, limits) in [
            (5.0, [steady(1.0, 1.0), steady(1.0, 10.0)]),
            (5.0, [steady(0.25, 1.0), steady(0.5, 1.0)]),
            (5.0, [steady(3.0, 1.0), steady(4.9, 5.0)]),
            (5.0, [steady(3.0, 10.0), steady(1.0, 60.0)]),
            (5.0, [windows(60.0, 60.0), windows(20.0, 60.0)]),
            (5.0, [windows(100.0, 60.0), windows(10.0, 10.0)]),
            (60.0, [steady(25.0, 12.0), steady(1.0, 1.0)]),
            (0.5, [steady(0.25, 1.0), windows(30.0, 60.0)]),
        ] {
            for mut limit in limits {
                let mut pace = Pace::new(Rate(configured));
                let (start, quarter) = (Moment::now().steady, Duration::from_mins(15));
                let settled = start + quarter;
                ask(&mut pace, &mut limit, start..settled);
                let end = settled + 4 * quarter;
                let (good, refused) = ask(&mut pace, &mut limit, settled..end);
                let used = good / limit.rate().min(configured) / 3_600.0;
                let share = refused / (good + refused);
                assert!(
                    used >= 0.75 && share < 0.1,
                    "{used} used, {share} refused of {configured}"
                );

                let mut free = steady(1e6, 1e6);
                ask(&mut pace, &mut free, end..end + quarter);
                assert_eq!(pace.lowered(), None, "of {configured}");
                let hour = end + quarter..end + 5 * quarter;
                let rate = ask(&mut pace, &mut free, hour).0 / 3_600.0;
                assert!((rate - configured).abs() < 0.01 * configured, "{rate}");
            }
        }
    }

    #[test]
    fn refusals_that_are_not_due_to_a_limit_slow_down_little() {
        let mut pace = Pace::new(Rate(5.0));
        let (mut random, start) = (fastrand::Rng::with_seed(1), Moment::now().steady);
        let (mut now, day) = (start, start + Duration::from_hours(24));
        let mut requests = 0.0;
        while now < day {
            pace.sent(now);
            requests += 1.0;
            if random.f64() < 0.01 {
                pace.lower(now);
            } else {
                pace.raise(now);
            }
            now = pace.next(1, now);
        }
        let rate = requests / 86_400.0;
        assert!(rate > 4.5, "{rate}");
    }

    #[test]
    fn a_burst_of_429_lowers_the_rate_once_and_never_below_the_slowest() {
        for (configured, slowest) in [(5.0, SLOWEST), (0.1, 0.1)] {
            let mut pace = Pace::new(Rate(configured));
            let start = Moment::now().steady;
            let mut expected = configured;
            // One alone lowers nothing.
            pace.lower(start);
            for millis in 0..100_000_u64 {
                pace.lower(start + Duration::from_millis(millis));
                if millis.is_multiple_of(5_000) {
                    expected = slowest.max(expected * LOWER).min(configured);
                }
                let rate = pace.lowered().unwrap_or(configured);
                assert!((rate - expected).abs() < 1e-9, "{millis}");
            }
            assert!((expected - slowest).abs() < 1e-9);
        }
    }
}
