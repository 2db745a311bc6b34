//! How fast one portal is asked: requests in flight, and requests per second.
//!
//! Both hold for a portal as a whole, across its folders, and both serve those who wait in the order in which they
//! came. After an answer of 429 the pace is halved; each good answer brings a little of it back.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

use crate::config::Rate;

/// The slowest pace that repeated refusals lead to: one request in this time.
const SLOWEST: Duration = Duration::from_secs(30);

/// The gap that a portal without a limit gets at its first refusal.
const FIRST_GAP: Duration = Duration::from_millis(100);

/// What a good answer leaves of the slowness that refusals brought.
const RECOVERY: f64 = 0.9;

/// Admits requests to one portal.
#[derive(Debug)]
pub(super) struct Throttle {
    permits: Semaphore,
    pace: Mutex<Pace>,
}

/// A place among the requests in flight; it is free again when this is dropped.
pub(super) struct Admission<'a> {
    _permit: Option<SemaphorePermit<'a>>,
    /// Time spent waiting for the rate limit.
    pub waited: Duration,
}

impl Throttle {
    pub fn new(concurrency: usize, rate: Rate) -> Self {
        Self {
            permits: Semaphore::new(concurrency),
            pace: Mutex::new(Pace::new(rate)),
        }
    }

    /// Waits until one more request may be sent.
    pub async fn admit(&self) -> Admission<'_> {
        // The semaphore is never closed, so there always is a permit in the end.
        let permit = self.permits.acquire().await.ok();
        let now = Instant::now();
        let slot = self.with_pace(|pace| pace.reserve(now));
        if slot > now {
            sleep_until(slot).await;
        }
        Admission {
            _permit: permit,
            waited: slot.saturating_duration_since(now),
        }
    }

    /// The portal answered 429.
    pub fn slow_down(&self) {
        self.with_pace(Pace::slow_down);
    }

    /// The portal answered well.
    pub fn recover(&self) {
        self.with_pace(Pace::recover);
    }

    fn with_pace<T>(&self, act: impl FnOnce(&mut Pace) -> T) -> T {
        act(&mut self.pace.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The distance in time between two requests.
#[derive(Debug)]
struct Pace {
    configured: Duration,
    gap: Duration,
    next: Option<Instant>,
}

impl Pace {
    fn new(rate: Rate) -> Self {
        let configured = match rate {
            Rate::Unlimited => Duration::ZERO,
            Rate::PerSecond(rate) => Duration::from_secs_f64(1.0 / rate),
        };
        Self {
            configured,
            gap: configured,
            next: None,
        }
    }

    fn reserve(&mut self, now: Instant) -> Instant {
        let slot = self.next.map_or(now, |next| next.max(now));
        self.next = Some(slot + self.gap);
        slot
    }

    fn slow_down(&mut self) {
        let slowest = SLOWEST.max(self.configured);
        self.gap = (self.gap * 2).max(FIRST_GAP).min(slowest);
    }

    fn recover(&mut self) {
        let recovered = self.gap.mul_f64(RECOVERY).max(self.configured);
        self.gap = if recovered < FIRST_GAP / 100 {
            self.configured
        } else {
            recovered
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn refusals_slow_down_and_good_answers_bring_the_rate_back() {
        for rate in [Rate::PerSecond(5.0), Rate::Unlimited] {
            let mut pace = Pace::new(rate);
            let configured = pace.gap;
            for _ in 0..40 {
                pace.slow_down();
            }
            assert_eq!(pace.gap, SLOWEST);
            for _ in 0..200 {
                pace.recover();
            }
            assert_eq!(pace.gap, configured);
        }
    }

    #[tokio::test]
    async fn no_more_than_the_limit_are_in_flight() {
        let throttle = Throttle::new(1, Rate::Unlimited);
        let first = throttle.admit().await;
        let waiting = tokio::time::timeout(Duration::from_millis(20), throttle.admit());
        assert!(waiting.await.is_err());
        drop(first);
        throttle.admit().await;
    }
}
