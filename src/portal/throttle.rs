//! How fast one portal is asked: requests in flight, and requests per second.
//!
//! Both hold for a portal as a whole, across its folders, and both serve those who wait in the order in which they
//! came. Answers of 429 lower the rate below the limit that they tell of, and good answers raise it again ([`pace`]).
//!
//! Whoever is answered slowly compared with the portal's other folders ([`answers`]) is on a side [`Lane`]: all of those together have no
//! more than their fair share of the requests in flight ([`side`]), so that folders which hang leave room to the others.

mod answers;
mod pace;
mod side;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

use crate::config::Rate;
use crate::model::FolderId;

pub(super) use answers::Answer;

use answers::Answers;
use pace::Pace;
use side::{Side, Wanted};

/// What can wait gets one part in so many of the rate.
const BACKGROUND_SHARE: u32 = 4;

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

    fn is_side(&self) -> bool {
        self.side.load(Ordering::Relaxed)
    }
}

/// Admits requests to one portal.
#[derive(Debug)]
pub(super) struct Throttle {
    permits: Semaphore,
    side: Side,
    /// Holds when the next request in the background may be sent.
    background: tokio::sync::Mutex<Option<Instant>>,
    pace: Mutex<Pace>,
    answers: Mutex<Answers>,
}

/// A place among the requests in flight; it is free again when this is dropped.
pub(super) struct Admission<'a> {
    _background: Option<tokio::sync::MutexGuard<'a, Option<Instant>>>,
    _wanted: Wanted<'a>,
    _permit: Option<SemaphorePermit<'a>>,
    /// Time spent waiting for the rate limit.
    pub waited: Duration,
    /// How often the rate was lowered before.
    lowered: u64,
}

/// How a request was answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answered {
    /// The folder that it was for; none for the list.
    pub folder: Option<FolderId>,
    pub answer: Answer,
    pub took: Duration,
    /// The time that it had.
    pub limit: Duration,
}

impl Throttle {
    pub fn new(concurrency: usize, rate: Rate) -> Self {
        Self {
            permits: Semaphore::new(concurrency),
            side: Side::new(concurrency),
            background: tokio::sync::Mutex::new(None),
            pace: Mutex::new(Pace::new(rate)),
            answers: Mutex::default(),
        }
    }

    /// Waits until one more request may be sent; `None` when by then it shall not be.
    pub async fn admit(&self, lane: &Lane, still_due: impl Fn() -> bool) -> Option<Admission<'_>> {
        self.admit_several(lane, 1, still_due).await
    }

    /// Waits until so many requests may be sent one after the other, with no wait in between; `None` when by then they shall not be.
    pub async fn admit_several(
        &self,
        lane: &Lane,
        requests: u32,
        still_due: impl Fn() -> bool,
    ) -> Option<Admission<'_>> {
        let background = if lane.background {
            Some(self.admit_background().await)
        } else {
            None
        };
        let wanted = self.side.enter(lane.is_side()).await;
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
        still_due().then(|| Admission {
            _background: background,
            _wanted: wanted,
            _permit: permit,
            waited: slot.saturating_duration_since(now),
            lowered: self.with_pace(|pace| pace.lowered()),
        })
    }

    /// Waits until one more request may be sent in the background.
    async fn admit_background(&self) -> tokio::sync::MutexGuard<'_, Option<Instant>> {
        let mut next = self.background.lock().await;
        if let Some(next) = *next {
            sleep_until(next).await;
        }
        let gap = self.with_pace(|pace| pace.gap());
        *next = Some(Instant::now() + gap * BACKGROUND_SHARE);
        next
    }

    /// Takes in how a request was answered. A folder that is answered 429 again and again lowers the rate of the others once.
    pub fn answered(&self, admission: &Admission<'_>, lane: &Lane, answered: Answered) {
        let Answered {
            folder,
            answer,
            took,
            limit,
        } = answered;
        let (before, slow) = {
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            let before = answers.take(folder, answer, took);
            (before, answers.is_slow(took, limit))
        };
        lane.side.store(slow, Ordering::Relaxed);
        match answer {
            Answer::Good => self.with_pace(Pace::answered),
            Answer::Limited if before != Some(Answer::Limited) => {
                let now = Instant::now();
                self.with_pace(|pace| pace.refused(admission.lowered, now));
            }
            Answer::Limited | Answer::Other => {}
        }
    }

    fn with_pace<T>(&self, act: impl FnOnce(&mut Pace) -> T) -> T {
        act(&mut self.pace.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn id(number: u128) -> FolderId {
        uuid::Uuid::from_u128(number).into()
    }

    async fn admit<'a>(throttle: &'a Throttle, lane: &Lane) -> Option<Admission<'a>> {
        throttle.admit(lane, || true).await
    }

    async fn waits(throttle: &Throttle, lane: &Lane) -> bool {
        let moment = Duration::from_millis(20);
        let waiting = tokio::time::timeout(moment, admit(throttle, lane));
        waiting.await.is_err()
    }

    /// One request for a folder that is answered after a time.
    async fn ask(throttle: &Throttle, lane: &Lane, folder: u128, took: Duration) {
        let admission = admit(throttle, lane).await.unwrap();
        tokio::time::sleep(took).await;
        let answered = Answered {
            folder: Some(id(folder)),
            answer: Answer::Good,
            took,
            limit: 30 * SECOND,
        };
        throttle.answered(&admission, lane, answered);
    }

    /// Asks for the pages of a folder, eight at a time.
    async fn read_pages(
        throttle: &Throttle,
        lane: &Lane,
        folder: u128,
        pages: usize,
        took: Duration,
    ) {
        use futures_util::{StreamExt, stream};
        let pages = stream::iter(0..pages).map(|_| ask(throttle, lane, folder, took));
        pages.buffer_unordered(8).collect::<Vec<_>>().await;
    }

    #[tokio::test]
    async fn no_more_than_the_limit_are_in_flight() {
        let (throttle, lane) = (Throttle::new(1, Rate::Unlimited), Lane::default());
        let first = admit(&throttle, &lane).await;
        assert!(waits(&throttle, &lane).await);
        drop(first);
        assert!(!waits(&throttle, &lane).await);
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_are_answered_slowly_leave_room_to_the_others() {
        let throttle = Throttle::new(2, Rate::Unlimited);
        let (slow, usual) = (Lane::default(), Lane::default());
        ask(&throttle, &usual, 1, SECOND / 20).await;
        ask(&throttle, &slow, 2, 5 * SECOND).await;
        let _hanging = admit(&throttle, &slow).await;
        assert!(waits(&throttle, &slow).await);
        assert!(!waits(&throttle, &usual).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_portal_that_is_slow_as_a_whole_is_asked_with_all_requests_in_flight() {
        for (millis, seconds) in [(2_800, 22.4), (3_200, 25.6)] {
            let throttle = Throttle::new(8, Rate::Unlimited);
            let lane = Lane::default();
            let begun = Instant::now();
            read_pages(&throttle, &lane, 1, 64, Duration::from_millis(millis)).await;
            let took = begun.elapsed().as_secs_f64();
            assert!((took - seconds).abs() < 0.5, "{millis} ms: {took} s");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_folder_has_its_fair_share_beside_others_and_nearly_all_when_alone() {
        let throttle = Throttle::new(8, Rate::Unlimited);
        let (slow, usual) = (Lane::default(), Lane::default());
        ask(&throttle, &usual, 1, SECOND / 20).await;
        ask(&throttle, &slow, 2, 5 * SECOND).await;
        let begun = Instant::now();
        read_pages(&throttle, &slow, 2, 70, 5 * SECOND).await;
        assert_eq!(begun.elapsed(), 50 * SECOND);
        let begun = Instant::now();
        let beside = async {
            read_pages(&throttle, &usual, 1, 2_000, SECOND / 20).await;
            begun.elapsed()
        };
        let (took, ()) = tokio::join!(beside, read_pages(&throttle, &slow, 2, 24, 5 * SECOND));
        // Half of the requests in flight, after those that are there first.
        assert!(took < 35 * SECOND, "{took:?}");
        let slow = begun.elapsed();
        assert!(slow <= 35 * SECOND, "{slow:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_folder_that_is_always_limited_slows_the_others_down_once() {
        let throttle = Throttle::new(2, Rate::PerSecond(5.0));
        let lane = Lane::default();
        for number in 0..100 {
            let admission = admit(&throttle, &lane).await.unwrap();
            let limited = number % 4 == 0;
            let answered = Answered {
                folder: Some(id(u128::from(limited))),
                answer: if limited {
                    Answer::Limited
                } else {
                    Answer::Good
                },
                took: SECOND / 20,
                limit: 30 * SECOND,
            };
            throttle.answered(&admission, &lane, answered);
        }
        assert_eq!(throttle.with_pace(|pace| pace.lowered()), 1);
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
        let row = throttle.admit_several(&Lane::default(), 2, || true).await;
        assert_eq!(
            begun.elapsed().as_secs(),
            2,
            "the second one may be sent too"
        );
        drop(row);
        admit(&throttle, &Lane::default()).await;
        assert_eq!(begun.elapsed().as_secs(), 4);
        assert!(
            throttle
                .admit_several(&Lane::default(), 2, || false)
                .await
                .is_none()
        );
    }

    #[tokio::test]
    async fn what_is_not_still_due_any_more_takes_no_turn() {
        let throttle = Throttle::new(1, Rate::PerSecond(0.001));
        let lane = Lane::default();
        assert!(throttle.admit(&lane, || false).await.is_none());
        assert!(!waits(&throttle, &lane).await);
    }
}
