//! The requests of one task, such as the read of a folder.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::clock::Moment;
use crate::portal::throttle::Answer;

/// How the requests of a task are answered.
#[derive(Debug, Default)]
pub struct Lane {
    /// Whether the last answer was slow.
    slow: AtomicBool,
    /// Whether an answer of 429 came since the last good one.
    limited: AtomicBool,
    /// When the first request was sent that was not answered since the last answer.
    unanswered: Mutex<Option<Instant>>,
    /// Requests that wait to be repeated.
    resting: AtomicUsize,
    /// Since when requests fail, and the last error, until one succeeds.
    failing: Mutex<Option<(Instant, String)>>,
    /// Whether it has very many requests, so that it leaves one in flight to others as slow ones do.
    large: bool,
}

/// What a task needs at this moment of the requests that a portal is asked at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    Usual,
    /// It is answered slowly.
    Slow,
    /// It waits to repeat a request.
    Nothing,
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

    /// Whether it leaves one request in flight to others.
    pub(super) fn yields(&self) -> bool {
        self.large || self.slow.load(Ordering::Relaxed)
    }

    pub(super) fn sent(&self, now: Instant) {
        lock(&self.unanswered).get_or_insert(now);
    }

    /// An answer came, or none within the time limit of the request. Returns whether it is the first one of 429 since a good one.
    pub(super) fn answered(&self, answer: Answer, took: Duration, limit: Duration) -> bool {
        *lock(&self.unanswered) = None;
        self.slow.store(is_slow(took, limit), Ordering::Relaxed);
        let limited = match answer {
            Answer::Good => false,
            Answer::Limited => true,
            Answer::Other => return false,
        };
        !self.limited.swap(limited, Ordering::Relaxed) && limited
    }

    /// For how long an answer is missing.
    pub fn unanswered_for(&self) -> Duration {
        lock(&self.unanswered).map_or(Duration::ZERO, |sent| sent.elapsed())
    }

    /// What it needs, where a request may take until a limit.
    pub fn demand(&self, limit: Duration) -> Demand {
        if self.resting.load(Ordering::Relaxed) > 0 {
            Demand::Nothing
        } else if self.slow.load(Ordering::Relaxed) || is_slow(self.unanswered_for(), limit) {
            Demand::Slow
        } else {
            Demand::Usual
        }
    }

    /// Waits before a request is repeated that failed.
    pub(in crate::portal) async fn rest(&self, wait: Duration, error: &impl ToString) {
        let error = error.to_string();
        {
            let mut failing = lock(&self.failing);
            let since = failing.take().map(|(since, _)| since);
            *failing = Some((since.unwrap_or_else(|| Moment::now().steady), error));
        }
        let _resting = Resting::begin(&self.resting);
        sleep(wait).await;
    }

    pub(in crate::portal) fn succeeded(&self) {
        *lock(&self.failing) = None;
    }

    /// The last error, if all requests failed for so long.
    pub fn failed_for(&self, time: Duration) -> Option<String> {
        let failing = lock(&self.failing);
        let (_, error) = failing
            .as_ref()
            .filter(|(since, _)| since.elapsed() >= time)?;
        Some(error.clone())
    }
}

/// A request that waits, until this is dropped.
struct Resting<'a>(&'a AtomicUsize);

impl<'a> Resting<'a> {
    fn begin(requests: &'a AtomicUsize) -> Self {
        requests.fetch_add(1, Ordering::Relaxed);
        Self(requests)
    }
}

impl Drop for Resting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether an answer that takes this long is slow.
fn is_slow(took: Duration, limit: Duration) -> bool {
    took > limit / 2
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_waits_to_repeat_a_request_needs_nothing_and_says_why() {
        let (lane, limit) = (Lane::default(), Duration::from_secs(30));
        let rests = async {
            for error in ["status 503", "status 429"] {
                lane.rest(Duration::from_secs(40), &error).await;
            }
        };
        let seen = async {
            sleep(Duration::from_secs(50)).await;
            assert_eq!(lane.demand(limit), Demand::Nothing);
            let minute = Duration::from_mins(1);
            assert_eq!(lane.failed_for(minute), None);
            sleep(Duration::from_secs(11)).await;
            assert_eq!(lane.failed_for(minute).as_deref(), Some("status 429"));
        };
        tokio::join!(rests, seen);
        assert_eq!(lane.demand(limit), Demand::Usual);
        lane.succeeded();
        assert_eq!(lane.failed_for(Duration::ZERO), None);
    }

    #[tokio::test(start_paused = true)]
    async fn slow_is_what_takes_half_of_its_time_limit() {
        let (lane, limit) = (Lane::default(), Duration::from_secs(30));
        lane.sent(Moment::now().steady);
        for (seconds, demand) in [(15, Demand::Usual), (1, Demand::Slow)] {
            sleep(Duration::from_secs(seconds)).await;
            assert_eq!(lane.demand(limit), demand);
        }
        for (seconds, demand) in [(15, Demand::Usual), (16, Demand::Slow), (1, Demand::Usual)] {
            lane.answered(Answer::Good, Duration::from_secs(seconds), limit);
            assert_eq!(lane.demand(limit), demand, "{seconds}");
        }
        assert_eq!(Lane::slow().demand(limit), Demand::Slow);
    }
}
