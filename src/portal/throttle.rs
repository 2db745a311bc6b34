//! How fast one portal is asked: requests in flight, and requests per second.
//!
//! Both hold for a portal as a whole, across its folders, and both serve those who wait in the order in which they
//! came. Answers of 429 lower the rate below the limit that they reveal, and good answers raise it again ([`pace`]).
//!
//! Whoever makes many requests makes them in a [`Lane`]. Folders that are answered slowly compared with the portal's other ones
//! ([`answers`]) are slow: all of those, and reads of very many pages, together leave one request in flight to the others.

mod answers;
mod pace;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};
use tracing::{info, warn};

use crate::clock::Moment;
use crate::config::Rate;
use crate::model::PortalName;

pub(super) use answers::{Answer, Answered};

use answers::Answers;
use pace::Pace;

/// The resolution of the timer: a shorter wait would take longer than it should.
const CLOCK: Duration = Duration::from_millis(1);

/// Which requests share limits with each other. A task that makes many requests, such as the read of a folder, has one lane.
#[derive(Debug, Default)]
pub struct Lane {
    /// Whether the last request was answered slowly.
    slow: AtomicBool,
    /// When the first request was sent that was not answered since the last answer.
    unanswered: Mutex<Option<Instant>>,
    /// Whether it has very many requests, so that it leaves one in flight to others as slow ones do.
    large: bool,
}

impl Lane {
    /// A lane for a folder whose last read was slow.
    pub fn slow() -> Self {
        Self {
            slow: AtomicBool::new(true),
            ..Self::default()
        }
    }

    /// A lane for reads of very many pages.
    pub fn large() -> Self {
        Self {
            large: true,
            ..Self::default()
        }
    }

    fn sent(&self, now: Instant) {
        lock(&self.unanswered).get_or_insert(now);
    }

    /// For how long an answer is missing.
    pub fn unanswered_for(&self) -> Duration {
        lock(&self.unanswered).map_or(Duration::ZERO, |sent| sent.elapsed())
    }

    fn answered(&self, slow: bool) {
        *lock(&self.unanswered) = None;
        self.slow.store(slow, Ordering::Relaxed);
    }
}

#[derive(Debug)]
pub(super) struct Throttle {
    /// For the log.
    portal: PortalName,
    permits: Semaphore,
    /// One less than `permits`, so that slow requests leave one to the others.
    slow_permits: Semaphore,
    pace: Mutex<Pace>,
    /// Held by the request that is the next by the pace; the others wait in the order in which they came. No time is set aside before
    /// a request is sent, so that one that is given up while it waits does not delay the others.
    turn: tokio::sync::Mutex<()>,
    answers: Mutex<Answers>,
}

/// The right to one request in flight; ends when this is dropped.
pub(super) struct Admission<'a> {
    _slow_permit: Option<SemaphorePermit<'a>>,
    _permit: Option<SemaphorePermit<'a>>,
    /// Time spent waiting for the rate limit.
    pub waited: Duration,
    /// How often the rate was lowered before.
    lowered: u64,
}

impl Throttle {
    pub fn new(portal: PortalName, concurrency: usize, rate: Rate) -> Self {
        Self {
            portal,
            permits: Semaphore::new(concurrency),
            slow_permits: Semaphore::new(concurrency.saturating_sub(1).max(1)),
            pace: Mutex::new(Pace::new(rate)),
            turn: tokio::sync::Mutex::default(),
            answers: Mutex::default(),
        }
    }

    /// Waits until this number of requests may be sent one after the other, with no wait in between; `None` when by then they shall not be.
    pub async fn admit(
        &self,
        lane: &Lane,
        requests: u32,
        still_due: impl Fn() -> bool,
    ) -> Option<Admission<'_>> {
        // The semaphores are never closed, so there always is a permit in the end.
        let slow_permit = if lane.large || lane.slow.load(Ordering::Relaxed) {
            self.slow_permits.acquire().await.ok()
        } else {
            None
        };
        let permit = self.permits.acquire().await.ok();
        if !still_due() {
            return None;
        }
        let begun = Moment::now().steady;
        let _turn = self.turn.lock().await;
        let now = Moment::now().steady;
        let slot = self.wait_for_slot(requests, now).await;
        if !still_due() {
            return None;
        }
        self.with_pace(|pace| pace.take(slot));
        lane.sent(Moment::now().steady);
        Some(Admission {
            _slow_permit: slow_permit,
            _permit: permit,
            waited: if slot > now {
                slot - begun
            } else {
                Duration::ZERO
            },
            lowered: self.with_pace(|pace| pace.lowered()),
        })
    }

    /// Waits until this number of requests may be sent; returns since when they may. The time can move while it waits, as the pace changes.
    async fn wait_for_slot(&self, requests: u32, now: Instant) -> Instant {
        loop {
            let slot = self.with_pace(|pace| pace.slot(requests, now));
            if slot <= Moment::now().steady + CLOCK {
                return slot;
            }
            sleep_until(slot).await;
        }
    }

    /// Whether requests of a lane are answered slowly compared with those for other folders, or an answer is missing for so long.
    pub fn is_slow(&self, lane: &Lane, limit: Duration) -> bool {
        let is_late = || lock(&self.answers).is_slow(lane.unanswered_for(), limit);
        lane.slow.load(Ordering::Relaxed) || is_late()
    }

    /// Learns from an answer. A folder that is answered 429 again and again lowers the rate of the others once.
    pub fn answered(&self, admission: &Admission<'_>, lane: &Lane, answered: Answered) {
        let (previous, slow) = {
            let mut answers = lock(&self.answers);
            (
                answers.record(answered),
                answers.is_slow(answered.took, answered.limit),
            )
        };
        lane.answered(slow);
        let now = Moment::now().steady;
        let [before, after] = self.with_pace(|pace| {
            let before = pace.limited();
            match answered.answer {
                Answer::Good => pace.answered(),
                Answer::Limited if previous != Some(Answer::Limited) || pace.was_refused() => {
                    pace.refused(admission.lowered, now);
                }
                Answer::Limited | Answer::Other => {}
            }
            [before, pace.limited()]
        });
        self.log(before, after);
    }

    /// Logs a rate that fell by half, and not each time that a limit is met again at its level; `None` is the configured rate.
    fn log(&self, before: Option<f64>, now: Option<f64>) {
        const FAR: f64 = 0.6;
        let portal = &self.portal;
        match (before, now) {
            (Some(_), None) => {
                info!(parent: None, %portal, "the request rate is as configured again");
            }
            (before, Some(rate)) if before.is_none_or(|before| rate <= before * FAR) => {
                let per_second = (rate * 100.0).round() / 100.0;
                warn!(parent: None, %portal, per_second, "the portal answers 429: the request rate is lowered");
            }
            _ => {}
        }
    }

    fn with_pace<T>(&self, act: impl FnOnce(&mut Pace) -> T) -> T {
        act(&mut lock(&self.pace))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
