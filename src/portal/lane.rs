//! How the requests of one task are answered, such as the read of a folder.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::clock::Moment;

/// The requests of one task.
#[derive(Debug, Default)]
pub struct Lane {
    /// Whether it has very many requests.
    large: bool,
    /// Whether the last answer was slow.
    slow: AtomicBool,
    failing: Mutex<Option<Failing>>,
    /// Told when the task needs less than before.
    eased: Arc<Notify>,
}

/// A request failed, and none has succeeded since.
#[derive(Debug)]
struct Failing {
    since: Instant,
    error: String,
    /// When it is repeated.
    rests_until: Instant,
}

/// What a task needs at this moment of the requests that a portal is asked at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Demand {
    Usual,
    /// It is answered slowly.
    Slow,
    /// It has very many requests, and is answered fast.
    Large,
    /// It waits to repeat a request.
    Nothing,
}

impl Demand {
    /// The demand of a task that does not wait.
    pub const fn of(is_large: bool, is_slow: bool) -> Self {
        match (is_large, is_slow) {
            (_, true) => Self::Slow,
            (true, false) => Self::Large,
            (false, false) => Self::Usual,
        }
    }
}

impl Lane {
    /// A lane that tells when its task becomes slow, or begins to wait.
    pub fn new(is_large: bool, is_slow: bool, eased: &Arc<Notify>) -> Self {
        Self {
            large: is_large,
            slow: is_slow.into(),
            failing: Mutex::default(),
            eased: Arc::clone(eased),
        }
    }

    pub fn demand(&self) -> Demand {
        let now = Moment::now().steady;
        if self
            .failing()
            .as_ref()
            .is_some_and(|it| it.rests_until > now)
        {
            Demand::Nothing
        } else {
            Demand::of(self.large, self.is_slow())
        }
    }

    /// Whether the last answer was slow.
    pub fn is_slow(&self) -> bool {
        self.slow.load(Ordering::Relaxed)
    }

    /// An answer came, or none within the time limit of the request.
    pub fn answered(&self, took: Duration, limit: Duration) {
        let is_slow = took > limit / 2;
        if !self.slow.swap(is_slow, Ordering::Relaxed) && is_slow {
            self.eased.notify_one();
        }
    }

    pub(super) fn succeeded(&self) {
        *self.failing() = None;
    }

    /// Waits before a request is repeated that failed. Nothing is in flight meanwhile.
    pub async fn rest(&self, wait: Duration, error: &impl ToString) {
        let now = Moment::now().steady;
        let rests_until = now + wait;
        {
            let mut failing = self.failing();
            *failing = Some(Failing {
                since: failing.as_ref().map_or(now, |failing| failing.since),
                error: error.to_string(),
                rests_until,
            });
        }
        self.eased.notify_one();
        sleep_until(rests_until).await;
    }

    /// Whether its last request failed.
    pub(super) fn repeats(&self) -> bool {
        self.failing().is_some()
    }

    /// The last error, if all requests failed for so long.
    pub fn failed_for(&self, time: Duration) -> Option<String> {
        let failing = self.failing();
        let failing = failing.as_ref()?;
        (failing.since.elapsed() >= time).then(|| failing.error.clone())
    }

    fn failing(&self) -> MutexGuard<'_, Option<Failing>> {
        self.failing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_waits_to_repeat_a_request_needs_nothing_and_says_why() {
        let lane = Lane::default();
        let rests = async {
            for error in ["status 503", "status 429"] {
                lane.rest(Duration::from_secs(40), &error).await;
            }
        };
        let seen = async {
            sleep_until(Moment::now().steady + Duration::from_secs(61)).await;
            assert_eq!(lane.demand(), Demand::Nothing);
            assert_eq!(lane.failed_for(Duration::from_secs(62)), None);
            let error = lane.failed_for(Duration::from_mins(1));
            assert_eq!(error.as_deref(), Some("status 429"));
        };
        tokio::join!(rests, seen);
        assert_eq!(lane.demand(), Demand::Usual);
        lane.succeeded();
        assert_eq!(lane.failed_for(Duration::ZERO), None);
    }

    #[test]
    fn slow_is_what_took_more_than_half_of_its_time_limit() {
        let (lane, limit) = (Lane::default(), Duration::from_secs(30));
        for (seconds, demand) in [(15, Demand::Usual), (16, Demand::Slow), (1, Demand::Usual)] {
            lane.answered(Duration::from_secs(seconds), limit);
            assert_eq!(lane.demand(), demand, "{seconds}");
        }
    }
}
