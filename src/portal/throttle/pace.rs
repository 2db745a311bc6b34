//! The rate at which a portal is asked: the configured one, or what a limit of the portal's allows.
//!
//! A single answer of 429 after many good ones shows no limit. Where others came with few good answers between, something limits the
//! requests, perhaps not their rate: the rate is halved, and returns by large steps. Where one comes again at about the same rate after many
//! good answers, that is the level of a limit: the rate falls below it, and returns by small steps. Beyond the level the steps grow, so that
//! a limit that went away is forgotten soon. While only 429 comes, as until the end of a limit's window, the requests are farther and
//! farther apart. The configured rate is never exceeded.

use std::time::Duration;

use tokio::time::Instant;

use crate::config::Rate;

/// The new rate after an answer of 429 at the level of a limit, as a part of the level.
const BACK_FROM_LEVEL: f64 = 0.75;

/// The same where the level is not known.
const BACK: f64 = 0.5;

/// From this part of the level on, an answer of 429 says that the level is as it was.
const AT_LEVEL: f64 = 0.9;

/// The step of a good answer, as a part of the level.
const STEP: f64 = 1.0 / 400.0;

/// The same where the level is not known,
const LARGE_STEP: f64 = 1.0 / 20.0;

/// but only so often: a limit that is met again and again is there.
const LARGE_STEPS: u32 = 10;

/// Number of good answers in a row after which the steps may be large again: no limit was near.
const NO_LIMIT: u32 = 300;

/// By so much a step beyond the level is larger than the one before.
const STEP_GROWTH: f64 = 1.15;

/// Number of good answers since the last 429 after which another one is a single one, or tells the level of a limit.
const MANY_GOOD: u32 = 10;

/// Number of consecutive answers of 429 that show that the limit holds over a longer time, and is lower than the rate at which it was met.
const WINDOW_CLOSED: u32 = 4;

/// The slowest rate that answers of 429 lead to, unless the configured one is slower.
const SLOWEST: f64 = 0.2;

/// Requests are put apart by doubling so often, at most.
const MAX_DOUBLINGS: u32 = 16;

/// A portal without a configured rate is not slowed down any more from this rate on.
const FREE: f64 = 1_000.0;

/// The distance in time between two requests.
#[derive(Debug)]
pub(super) struct Pace {
    configured: Option<f64>,
    limit: Option<Limit>,
    next: Option<Instant>,
    /// Good answers since the last one of 429.
    good: u32,
    /// Answers of 429 since the last good one, from the one on that showed a limit.
    in_a_row: u32,
    /// How often the steps may be large.
    large_steps: u32,
    /// Counts how often requests were put farther apart.
    lowered: u64,
}

/// A limit that the portal was seen to have.
#[derive(Debug, Clone, Copy)]
struct Limit {
    /// The rate at which 429 came last.
    level: f64,
    /// The rate at which the portal is asked.
    rate: f64,
    /// As a part of the level.
    step: f64,
}

impl Pace {
    pub fn new(rate: Rate) -> Self {
        Self {
            configured: rate.number(),
            limit: None,
            next: None,
            good: u32::MAX,
            in_a_row: 0,
            large_steps: LARGE_STEPS,
            lowered: 0,
        }
    }

    /// The time between two requests: doubled with each answer of 429 after the first in a row.
    pub fn gap(&self) -> Duration {
        let Some(rate) = self.limited().or(self.configured) else {
            return Duration::ZERO;
        };
        let gap = Duration::from_secs_f64(rate.recip());
        let doublings = self.in_a_row.saturating_sub(1).min(MAX_DOUBLINGS);
        let longest = Duration::from_secs_f64(self.slowest().recip());
        gap.max((gap * (1 << doublings)).min(longest))
    }

    /// The rate, in requests per second, while answers of 429 make it lower than the configured one.
    pub fn limited(&self) -> Option<f64> {
        self.limit.map(|limit| limit.rate)
    }

    /// How often requests were put farther apart so far.
    pub fn lowered(&self) -> u64 {
        self.lowered
    }

    /// When this number of requests may be sent one after the other, with no wait in between.
    pub fn slot(&self, requests: u32, now: Instant) -> Instant {
        let first = self.next.map_or(now, |next| next.max(now));
        first + self.gap() * requests.saturating_sub(1)
    }

    pub fn take(&mut self, slot: Instant) {
        self.next = Some(slot + self.gap());
    }

    /// A request was answered 429 that was sent when the rate had been lowered so often. Those that were under way together count as
    /// one.
    pub fn refused(&mut self, lowered: u64, now: Instant) {
        if lowered < self.lowered {
            return;
        }
        if self.good >= NO_LIMIT {
            self.large_steps = LARGE_STEPS;
        }
        let is_single = std::mem::take(&mut self.good) >= MANY_GOOD;
        let is_at_level = |limit: Limit| limit.rate >= limit.level * AT_LEVEL;
        if is_single && !self.limit.is_some_and(is_at_level) {
            return;
        }
        self.in_a_row = self.in_a_row.saturating_add(1);
        match (self.in_a_row, self.limit) {
            (1, _) => self.meet(is_single),
            (WINDOW_CLOSED, Some(limit)) => self.fall(limit.level * BACK, BACK_FROM_LEVEL, STEP),
            _ => {}
        }
        self.lowered += 1;
        self.next = self.next.max(Some(now + self.gap()));
    }

    /// Whether the last answer was 429.
    pub fn was_refused(&self) -> bool {
        self.good == 0
    }

    /// Goes below the rate at which 429 came, which is the level of a limit, or may be.
    fn meet(&mut self, is_level: bool) {
        let rate = self.limited().or(self.configured).unwrap_or(FREE);
        if is_level {
            self.fall(rate, BACK_FROM_LEVEL, STEP);
        } else if self.large_steps > 0 {
            self.large_steps -= 1;
            self.fall(rate, BACK, LARGE_STEP);
        } else {
            self.fall(rate, BACK, STEP);
        }
    }

    /// Goes to a part of a level.
    fn fall(&mut self, level: f64, part: f64, step: f64) {
        self.limit = Some(Limit {
            level,
            rate: (level * part).max(self.slowest()),
            step,
        });
    }

    fn slowest(&self) -> f64 {
        self.configured.map_or(SLOWEST, |rate| rate.min(SLOWEST))
    }

    pub fn answered(&mut self) {
        self.good = self.good.saturating_add(1);
        self.in_a_row = 0;
        if let Some(limit) = &mut self.limit {
            if limit.rate >= limit.level {
                limit.step *= STEP_GROWTH;
            }
            limit.rate += limit.step * limit.level;
        }
        let all = self.configured.unwrap_or(FREE);
        self.limit = self.limit.filter(|limit| limit.rate < all);
    }
}

#[cfg(test)]
mod tests;
