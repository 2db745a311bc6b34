//! How fast one portal is asked: requests in flight, and requests per second.
//!
//! Both hold for a portal as a whole, across its folders, and both serve those who wait in the order in which they
//! came. After an answer of 429 the pace is halved; each good answer brings half of it back.
//!
//! Whoever was answered slowly is on a side [`Lane`]: all of those together have one request in flight, so that folders
//! which hang leave room to the others.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

use crate::config::Rate;

/// The slowest pace that repeated refusals lead to, unless the configured one is slower: one request in this time.
const SLOWEST: Duration = Duration::from_secs(1);

/// The gap that a portal without a limit gets at its first refusal.
const FIRST_GAP: Duration = Duration::from_millis(100);

/// What a good answer leaves of the slowness that refusals brought.
const RECOVERY: f64 = 0.5;

/// What can wait gets one part in so many of the rate.
const BACKGROUND_SHARE: u32 = 4;

/// An answer that takes longer, or half of the time limit, leads to the side lane.
const SLOW_ANSWER: Duration = Duration::from_secs(3);

/// What the timer tells apart: a shorter wait would take longer than it should.
const CLOCK: Duration = Duration::from_millis(1);

/// How somebody who makes many requests is answered: usually, or slowly.
#[derive(Debug, Default)]
pub struct Lane {
    side: AtomicBool,
    /// Whether it can wait: all such requests together have one in flight, and a quarter of the rate.
    background: bool,
}

impl Lane {
    /// The side lane, for whom the last attempts were slow.
    #[must_use]
    pub fn side() -> Self {
        Self {
            side: AtomicBool::new(true),
            background: false,
        }
    }

    /// The lane for what can wait.
    #[must_use]
    pub fn background() -> Self {
        Self {
            side: AtomicBool::new(false),
            background: true,
        }
    }

    /// Notes how long an answer took, of a time limit.
    pub(super) fn note(&self, took: Duration, limit: Duration) {
        let slow = took >= SLOW_ANSWER.min(limit / 2);
        self.side.store(slow, Ordering::Relaxed);
    }

    fn is_side(&self) -> bool {
        self.side.load(Ordering::Relaxed)
    }
}

/// Admits requests to one portal.
#[derive(Debug)]
pub(super) struct Throttle {
    permits: Semaphore,
    side: Semaphore,
    /// Holds when the next request in the background may be sent.
    background: tokio::sync::Mutex<Option<Instant>>,
    pace: Mutex<Pace>,
}

/// A place among the requests in flight; it is free again when this is dropped.
pub(super) struct Admission<'a> {
    _background: Option<tokio::sync::MutexGuard<'a, Option<Instant>>>,
    _side: Option<SemaphorePermit<'a>>,
    _permit: Option<SemaphorePermit<'a>>,
    /// Time spent waiting for the rate limit.
    pub waited: Duration,
}

impl Throttle {
    pub fn new(concurrency: usize, rate: Rate) -> Self {
        Self {
            permits: Semaphore::new(concurrency),
            side: Semaphore::new(1),
            background: tokio::sync::Mutex::new(None),
            pace: Mutex::new(Pace::new(rate)),
        }
    }

    /// Waits until one more request may be sent; `None` when by then it shall not be.
    pub async fn admit(&self, lane: &Lane, still_due: impl Fn() -> bool) -> Option<Admission<'_>> {
        let background = if lane.background {
            Some(self.admit_background().await)
        } else {
            None
        };
        // The semaphores are never closed, so there always is a permit in the end.
        let side = if lane.is_side() {
            self.side.acquire().await.ok()
        } else {
            None
        };
        let permit = self.permits.acquire().await.ok();
        if !still_due() {
            return None;
        }
        let now = Instant::now();
        let slot = self.with_pace(|pace| pace.reserve(now));
        if slot > now + CLOCK {
            sleep_until(slot).await;
        }
        let waited = slot.saturating_duration_since(now);
        still_due().then_some(Admission {
            _background: background,
            _side: side,
            _permit: permit,
            waited,
        })
    }

    /// Waits until so many requests may be sent one after the other, with no wait in between; `None` when by then they shall not be.
    pub async fn admit_in_a_row(
        &self,
        requests: u32,
        still_due: impl Fn() -> bool,
    ) -> Option<Admission<'_>> {
        // The semaphore is never closed, so there always is a permit in the end.
        let permit = self.permits.acquire().await.ok();
        if !still_due() {
            return None;
        }
        let now = Instant::now();
        let slots = (0..requests).map(|_| self.with_pace(|pace| pace.reserve(now)));
        let slot = slots.last().unwrap_or(now);
        if slot > now + CLOCK {
            sleep_until(slot).await;
        }
        still_due().then_some(Admission {
            _background: None,
            _side: None,
            _permit: permit,
            waited: slot.saturating_duration_since(now),
        })
    }

    /// Waits until one more request may be sent in the background.
    async fn admit_background(&self) -> tokio::sync::MutexGuard<'_, Option<Instant>> {
        let mut next = self.background.lock().await;
        if let Some(next) = *next {
            sleep_until(next).await;
        }
        let gap = self.with_pace(|pace| pace.gap);
        *next = Some(Instant::now() + gap * BACKGROUND_SHARE);
        next
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

    async fn admit<'a>(throttle: &'a Throttle, lane: &Lane) -> Option<Admission<'a>> {
        throttle.admit(lane, || true).await
    }

    async fn waits(throttle: &Throttle, lane: &Lane) -> bool {
        let moment = Duration::from_millis(20);
        let waiting = tokio::time::timeout(moment, admit(throttle, lane));
        waiting.await.is_err()
    }

    #[tokio::test]
    async fn no_more_than_the_limit_are_in_flight() {
        let (throttle, lane) = (Throttle::new(1, Rate::Unlimited), Lane::default());
        let first = admit(&throttle, &lane).await;
        assert!(waits(&throttle, &lane).await);
        drop(first);
        assert!(!waits(&throttle, &lane).await);
    }

    #[tokio::test]
    async fn those_who_are_answered_slowly_leave_room_to_the_others() {
        let throttle = Throttle::new(2, Rate::Unlimited);
        let (slow, usual) = (Lane::default(), Lane::default());
        slow.note(Duration::from_secs(5), Duration::from_secs(30));
        let _hanging = admit(&throttle, &slow).await;
        assert!(waits(&throttle, &slow).await);
        assert!(!waits(&throttle, &usual).await);
    }

    #[tokio::test(start_paused = true)]
    async fn what_can_wait_has_a_quarter_of_the_rate_and_one_request_in_flight() {
        let throttle = Throttle::new(4, Rate::PerSecond(1.0));
        let (background, usual) = (Lane::background(), Lane::default());
        let begun = Instant::now();
        let first = admit(&throttle, &background).await;
        assert!(waits(&throttle, &background).await);
        drop(first);
        admit(&throttle, &usual).await;
        assert_eq!(begun.elapsed().as_secs(), 1);
        admit(&throttle, &background).await;
        assert_eq!(begun.elapsed().as_secs(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn requests_in_a_row_wait_before_the_first_one_and_keep_the_rate() {
        let throttle = Throttle::new(1, Rate::PerSecond(0.5));
        let begun = Instant::now();
        let row = throttle.admit_in_a_row(2, || true).await;
        assert_eq!(
            begun.elapsed().as_secs(),
            2,
            "the second one may be sent too"
        );
        drop(row);
        admit(&throttle, &Lane::default()).await;
        assert_eq!(begun.elapsed().as_secs(), 4);
        assert!(throttle.admit_in_a_row(2, || false).await.is_none());
    }

    #[tokio::test]
    async fn what_is_not_still_due_any_more_takes_no_turn() {
        let throttle = Throttle::new(1, Rate::PerSecond(0.001));
        let lane = Lane::default();
        assert!(throttle.admit(&lane, || false).await.is_none());
        assert!(!waits(&throttle, &lane).await);
    }
}
