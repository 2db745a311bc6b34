//! The rate at which a portal is asked: the configured one, or a lower one after answers of 429.
//!
//! An answer of 429 lowers the rate by a third, once for all that come within a short time. Good answers raise it again by small parts, once a second at
//! most, and so does each second in which the portal is not asked. The configured rate is never exceeded.

use std::time::Duration;

use tokio::time::Instant;

use crate::config::Rate;

/// By this factor an answer of 429 lowers the rate.
const LOWER: f64 = 0.65;

/// Answers of 429 that come within this time after the rate was lowered do not lower it again: they are of one burst.
const BURST: Duration = Duration::from_secs(5);

/// By this factor a good answer raises a rate that was lowered, once a second.
const RAISE: f64 = 1.012;

/// The time between two raises.
const RAISE_EVERY: Duration = Duration::from_secs(1);

/// The slowest rate that answers of 429 lead to, unless the configured one is slower.
const SLOWEST: f64 = 0.2;

/// A portal without a configured rate is not slowed down any more from this rate on.
const FREE: f64 = 64.0;

/// The distance in time between two requests.
#[derive(Debug)]
pub(super) struct Pace {
    configured: Option<f64>,
    /// The rate while it is lower than the configured one, in requests per second.
    lowered: Option<f64>,
    /// When an answer of 429 lowered it last.
    lowered_at: Option<Instant>,
    /// When it was changed last.
    changed: Option<Instant>,
    next: Option<Instant>,
    /// Whether the last answer was 429.
    refused: bool,
}

impl Pace {
    pub fn new(rate: Rate) -> Self {
        Self {
            configured: rate.number(),
            lowered: None,
            lowered_at: None,
            changed: None,
            next: None,
            refused: false,
        }
    }

    /// Goes on with another configured rate.
    pub fn configure(&mut self, rate: Rate) {
        self.configured = rate.number();
        self.raise_by(1.0);
    }

    /// The time between two requests.
    fn gap(&self) -> Duration {
        let rate = self.lowered.or(self.configured);
        rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(rate.recip()))
    }

    /// The rate, in requests per second, while answers of 429 make it lower than the configured one.
    pub fn lowered(&self) -> Option<f64> {
        self.lowered
    }

    /// When this number of requests may be sent one after the other, with no wait in between.
    pub fn slot(&self, requests: u32, now: Instant) -> Instant {
        let first = self.next.map_or(now, |next| next.max(now));
        first + self.gap() * requests.saturating_sub(1)
    }

    pub fn take(&mut self, slot: Instant) {
        if let Some(next) = self.next {
            let unused = slot.saturating_duration_since(next);
            self.raise_by(RAISE.powf(unused.as_secs_f64()));
        }
        self.next = Some(slot + self.gap());
    }

    /// A request was answered 429.
    pub fn refused(&mut self, now: Instant) {
        self.refused = true;
        if self.lowered_at.is_some_and(|lowered| now < lowered + BURST) {
            return;
        }
        self.lowered_at = Some(now);
        self.changed = Some(now);
        let slowest = self.all().min(SLOWEST);
        let rate = self.lowered.unwrap_or_else(|| self.all()) * LOWER;
        self.lowered = Some(rate.max(slowest));
        self.raise_by(1.0);
        self.next = self.next.max(Some(now + self.gap()));
    }

    /// Whether the last answer was 429.
    pub fn was_refused(&self) -> bool {
        self.refused
    }

    /// A request was answered well.
    pub fn answered(&mut self, now: Instant) {
        self.refused = false;
        let is_early = self
            .changed
            .is_some_and(|changed| now < changed + RAISE_EVERY);
        if self.lowered.is_some() && !is_early {
            self.changed = Some(now);
            self.raise_by(RAISE);
        }
    }

    fn raise_by(&mut self, factor: f64) {
        let all = self.all();
        let raised = self.lowered.map(|rate| rate * factor);
        self.lowered = raised.filter(|rate| *rate < all);
    }

    fn all(&self) -> f64 {
        self.configured.unwrap_or(FREE)
    }
}

#[cfg(test)]
mod tests;
