//! The requests that reads may make until the next collection.

use std::time::Duration;

use crate::config::Rate;

/// The share of the budget that an oversized read may claim, at most: the other reads always have the rest.
const OVERSIZED_SHARE: (u64, u64) = (3, 4);

/// The requests that the reads of one interval can make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestBudget {
    /// The time until the next collection.
    pub interval: Duration,
    timeout: Duration,
    pub requests: u64,
}

/// The budget without the claims of the reads under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RemainingBudget {
    pub requests: u64,
    /// Whether an oversized read is under way.
    pub oversized: bool,
}

impl RequestBudget {
    /// The request budget of an interval, less one request for the list of folders, and never none; nothing if the rate has no limit.
    /// `timeout` is the time that a read has (`collect.timeout`).
    pub fn new(rate: Rate, interval: Duration, timeout: Duration) -> Option<Self> {
        let requests = requests_in(rate, interval)?.saturating_sub(1).max(1);
        Some(Self {
            interval,
            timeout,
            requests,
        })
    }

    /// Whether a read takes more than all of the budget.
    pub fn is_oversized(self, requests: u64) -> bool {
        requests > self.requests
    }

    /// What a read claims of the budget: all that it takes; or, if it is oversized, half of the budget, and more if it would not
    /// end within its time.
    pub fn claim(self, requests: u64) -> u64 {
        if !self.is_oversized(requests) {
            return requests;
        }
        let (part, whole) = OVERSIZED_SHARE;
        let most = self.requests.saturating_mul(part) / whole;
        self.in_time(requests)
            .max(self.requests / 2)
            .min(most)
            .max(1)
    }

    /// What remains in addition to the reads that wait for their turn and those that have begun; each is the requests that it takes in all. It is
    /// unknown how many of them were sent, and perhaps no answer comes. So a read that has begun claims no more than what would bring it to
    /// its end in time, and folders that do not answer cost the others nothing.
    pub fn remaining(self, waiting: &[u64], begun: &[u64]) -> RemainingBudget {
        let claim_of_begun = |&requests| {
            if self.is_oversized(requests) {
                self.claim(requests)
            } else {
                self.in_time(requests).min(requests)
            }
        };
        let claims = waiting.iter().map(|requests| self.claim(*requests));
        let claims = claims.chain(begun.iter().map(claim_of_begun));
        let claimed = claims.fold(0, u64::saturating_add);
        let mut under_way = waiting.iter().chain(begun);
        RemainingBudget {
            requests: self.requests.saturating_sub(claimed),
            oversized: under_way.any(|requests| self.is_oversized(*requests)),
        }
    }

    /// The part of a read's requests that one interval gets when they are spread over the time that it has.
    fn in_time(self, requests: u64) -> u64 {
        let [part, whole] = [self.interval, self.timeout].map(|time| time.as_millis());
        scaled(requests, part, whole)
    }
}

/// Requests that a rate allows in a time; nothing if it has no limit.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "neither a rate nor a time is negative, and the cast saturates"
)]
pub(crate) fn requests_in(rate: Rate, time: Duration) -> Option<u64> {
    match rate {
        Rate::Unlimited => None,
        Rate::PerSecond(rate) => Some((rate * time.as_secs_f64()) as u64),
    }
}

/// `number * part / whole`, cut at `u64::MAX`.
pub(super) fn scaled(number: u64, part: u128, whole: u128) -> u64 {
    let product = u128::from(number).saturating_mul(part);
    u64::try_from(product / whole.max(1)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minute() -> RequestBudget {
        let timeout = Duration::from_mins(10);
        RequestBudget::new(Rate::PerSecond(5.0), Duration::from_mins(1), timeout).unwrap()
    }

    #[test]
    fn one_request_of_an_interval_is_for_the_list_and_there_is_always_budget_for_one() {
        assert_eq!(minute().requests, 299);
        for (rate, requests) in [(2.0, 1), (1.0, 1), (0.001, 1), (3.5, 2)] {
            let budget =
                RequestBudget::new(Rate::PerSecond(rate), Duration::from_secs(1), Duration::MAX);
            assert_eq!(budget.unwrap().requests, requests, "{rate}");
        }
        assert_eq!(
            RequestBudget::new(Rate::Unlimited, Duration::ZERO, Duration::MAX),
            None
        );
    }

    #[test]
    fn a_read_that_is_oversized_claims_between_half_and_three_quarters_of_it() {
        for (requests, claim) in [
            (1, 1),
            (299, 299),
            (300, 149),
            (1_490, 149),
            (2_000, 200),
            (10_000, 224),
            (u64::MAX, 224),
        ] {
            assert_eq!(minute().claim(requests), claim, "{requests}");
        }
    }

    #[test]
    fn what_waits_claims_its_requests_and_what_may_never_be_answered_a_part_of_them() {
        let remaining = |waiting: &[u64], begun: &[u64]| minute().remaining(waiting, begun);
        let silent = [1; 1_000];
        assert_eq!(remaining(&[], &[]).requests, 299);
        assert_eq!(remaining(&[100], &[]).requests, 199);
        assert_eq!(remaining(&[100; 3], &[]).requests, 0);
        assert_eq!(remaining(&[], &[100]).requests, 289);
        assert_eq!(remaining(&[], &silent).requests, 299);
        assert!(!remaining(&[], &silent).oversized);
        let oversized = remaining(&[], &[5_000]);
        assert_eq!((oversized.requests, oversized.oversized), (75, true));
    }
}
