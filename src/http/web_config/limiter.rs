//! The rate limit of all clients together: one request in each interval, and bursts.

use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

use super::document::RateLimit;

/// A rate limit, and what was admitted under it.
pub struct Limiter {
    limit: RateLimit,
    /// When the intervals of all admitted requests, one after the other, are over.
    over: Mutex<Instant>,
}

impl Limiter {
    pub(super) fn new(limit: RateLimit, now: Instant) -> Self {
        Self {
            limit,
            over: Mutex::new(now),
        }
    }

    /// Whether a request that arrives now may be answered.
    pub fn admits(&self, now: Instant) -> bool {
        let RateLimit { interval, burst } = self.limit;
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        let left = over.saturating_duration_since(now);
        let left = left.saturating_add(interval);
        let fits = left <= interval.saturating_mul(burst);
        if fits {
            *over = now.checked_add(left).unwrap_or(now);
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
