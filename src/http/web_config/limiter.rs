//! The rate limit of all clients together: one request in each interval, and bursts.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::document::RateLimit;

/// A rate limit, and what was admitted under it. Clones share that.
#[derive(Clone)]
pub struct Limiter {
    pub(super) limit: RateLimit,
    admitted: Arc<Mutex<Admitted>>,
}

struct Admitted {
    /// The intervals of the admitted requests that were not over at the last one, together.
    debt: Duration,
    last: Instant,
}

impl Limiter {
    pub(super) fn new(limit: RateLimit, now: Instant) -> Self {
        let admitted = Admitted {
            debt: Duration::ZERO,
            last: now,
        };
        Self {
            limit,
            admitted: Arc::new(Mutex::new(admitted)),
        }
    }

    /// Whether a request that arrives now may be answered.
    pub fn admits(&self, now: Instant) -> bool {
        let RateLimit { interval, burst } = self.limit;
        let admitted = self.admitted.lock();
        let mut admitted = admitted.unwrap_or_else(PoisonError::into_inner);
        let passed = now.saturating_duration_since(admitted.last);
        let debt = admitted.debt.saturating_sub(passed);
        let debt = debt.saturating_add(interval);
        let fits = debt <= interval.saturating_mul(burst);
        if fits {
            *admitted = Admitted { debt, last: now };
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_admitted_and_then_one_request_in_each_interval() {
        let start = crate::clock::Moment::now().steady;
        let limit = RateLimit {
            interval: Duration::from_secs(2),
            burst: 3,
        };
        let limiter = Limiter::new(limit, start);
        let admitted = |second: u64| {
            let now = start + Duration::from_secs(second);
            (0..5).filter(|_| limiter.admits(now)).count()
        };
        assert_eq!([0, 1, 2, 3, 5].map(admitted), [3, 0, 1, 0, 1]);
        assert_eq!([100, 101, 102].map(admitted), [3, 0, 1]);
    }
}
