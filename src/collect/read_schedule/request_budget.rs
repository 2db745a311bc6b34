//! What the time until the next collection has budget for.

use std::time::Duration;

use crate::config::Rate;

/// The share of the budget that a read may claim which alone is dearer than all of it: the others always have the rest.
const DEAR_SHARE: (u64, u64) = (3, 4);

/// The requests that the reads of one interval can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestBudget {
    interval: Duration,
    timeout: Duration,
    requests: u64,
}

/// A read that an earlier collection began and that has not come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// It waits for a place: all of its requests are still to come.
    Waiting {
        /// What it will take.
        requests: u64,
    },
    /// Requests were sent, nobody knows how many; perhaps it hangs.
    Begun {
        /// What it takes in all.
        requests: u64,
    },
}

/// What earlier collections leave of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Left {
    /// Requests.
    pub requests: u64,
    /// Whether a read is under way that is dearer than the budget.
    pub dear: bool,
}

impl RequestBudget {
    /// The request budget of an interval, less one request for the list of folders, and never none; nothing where the rate has no limit.
    /// `timeout` is the time that a read has (`collect.timeout`).
    pub fn new(rate: Rate, interval: Duration, timeout: Duration) -> Option<Self> {
        let requests = in_all(rate, interval)?.saturating_sub(1).max(1);
        Some(Self {
            interval,
            timeout,
            requests,
        })
    }

    /// Requests for reads.
    pub fn requests(self) -> u64 {
        self.requests
    }

    /// The time until the next collection.
    pub fn interval(self) -> Duration {
        self.interval
    }

    /// Whether a read takes more than all of the budget.
    pub fn is_dear(self, requests: u64) -> bool {
        requests > self.requests
    }

    /// What a read claims of the budget: all that it takes; or, of one that is dearer than the budget, half of it, and more where it would not
    /// be done within its time.
    pub fn price(self, requests: u64) -> u64 {
        if !self.is_dear(requests) {
            return requests;
        }
        let (part, whole) = DEAR_SHARE;
        let most = self.requests.saturating_mul(part) / whole;
        self.in_time(requests)
            .max(self.requests / 2)
            .min(most)
            .max(1)
    }

    /// What is left beside the reads that are under way. One that was begun claims no more than what would bring it to its end in
    /// time, so that folders that hang take nothing from the others.
    pub fn left(self, reading: &[Reading]) -> Left {
        let claims = reading.iter().map(|reading| match *reading {
            Reading::Waiting { requests } => self.price(requests),
            Reading::Begun { requests } if self.is_dear(requests) => self.price(requests),
            Reading::Begun { requests } => self.in_time(requests).min(requests),
        });
        let claimed = claims.fold(0, u64::saturating_add);
        let dear = reading.iter().any(|reading| match *reading {
            Reading::Waiting { requests } | Reading::Begun { requests } => self.is_dear(requests),
        });
        Left {
            requests: self.requests.saturating_sub(claimed),
            dear,
        }
    }

    /// The part of a read's requests that falls to one interval when they are spread over the time that it has.
    fn in_time(self, requests: u64) -> u64 {
        scaled(
            requests,
            self.interval.as_millis(),
            self.timeout.as_millis(),
        )
    }
}

/// Requests that a rate allows in a time; nothing where it has no limit.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "neither a rate nor a time is negative, and the cast saturates"
)]
pub(crate) fn in_all(rate: Rate, time: Duration) -> Option<u64> {
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
    fn one_request_of_an_interval_is_for_the_list_and_there_is_always_room_for_one() {
        assert_eq!(minute().requests(), 299);
        for (rate, requests) in [(2.0, 1), (1.0, 1), (0.001, 1), (3.5, 2)] {
            let room =
                RequestBudget::new(Rate::PerSecond(rate), Duration::from_secs(1), Duration::MAX);
            assert_eq!(room.unwrap().requests(), requests, "{rate}");
        }
        assert_eq!(
            RequestBudget::new(Rate::Unlimited, Duration::ZERO, Duration::MAX),
            None
        );
    }

    #[test]
    fn a_read_that_is_dearer_than_the_room_claims_between_half_and_three_quarters_of_it() {
        for (requests, price) in [
            (1, 1),
            (299, 299),
            (300, 149),
            (1_490, 149),
            (2_000, 200),
            (10_000, 224),
            (u64::MAX, 224),
        ] {
            assert_eq!(minute().price(requests), price, "{requests}");
        }
    }

    #[test]
    fn what_waits_claims_its_requests_and_what_may_hang_a_part_of_them() {
        let left = |reading: &[Reading]| minute().left(reading);
        let waiting = Reading::Waiting { requests: 100 };
        let begun = Reading::Begun { requests: 100 };
        let hangs = [Reading::Begun { requests: 1 }; 1_000];
        let dear = Reading::Begun { requests: 5_000 };
        assert_eq!(left(&[]).requests, 299);
        assert_eq!(left(&[waiting]).requests, 199);
        assert_eq!(left(&[waiting; 3]).requests, 0);
        assert_eq!(left(&[begun]).requests, 289);
        assert_eq!(left(&hangs).requests, 299);
        assert!(!left(&hangs).dear);
        assert_eq!((left(&[dear]).requests, left(&[dear]).dear), (75, true));
    }
}
