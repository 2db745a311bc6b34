//! The rate at which a portal is asked: the configured one, or what a limit of the portal's allows.
//!
//! A limit is approached from below. A single answer of 429 among many good ones shows none. Several show the level of a limit: the rate
//! falls below it at once, returns to it by small steps, and goes beyond it by steps that grow, so that a limit that went away is forgotten
//! soon. A limit that is met again soon after the rate fell is doubtful: then the steps grow at once. While only 429 comes, as until the end
//! of a limit's window, the requests are farther and farther apart. The configured rate is never exceeded.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::config::Rate;

/// The new rate after an answer of 429, as a part of the level, where an earlier one came at the same level.
const BACK_FROM_LEVEL: f64 = 0.75;

/// The same where the limit was not known yet, or is lower than it was.
const BACK: f64 = 0.5;

/// From this part of the level on, an answer of 429 says that the level is as it was.
const AT_LEVEL: f64 = 0.9;

/// The step of a good answer, as a part of the level.
const STEP: f64 = 1.0 / 400.0;

/// By so much a step beyond the level, or to a doubtful one, is larger than the one before.
const STEP_GROWTH: f64 = 1.15;

/// A limit that is met again after fewer good answers than this, at a lower rate, was not the limit of a rate.
const FEW_GOOD: u32 = 15;

/// Number of consecutive answers of 429 that show that the limit holds over a longer time, and is lower than the rate at which it was met.
const WINDOW_CLOSED: u32 = 3;

/// The slowest rate that answers of 429 lead to, unless the configured one is slower.
const SLOWEST: f64 = 0.2;

/// Requests are put apart by doubling so often, at most.
const MAX_DOUBLINGS: u32 = 16;

/// A portal without a configured rate is not slowed down any more from this rate on.
const FREE: f64 = 1_000.0;

/// What was sent in this time is the rate at which a limit was met.
const WINDOW: Duration = Duration::from_secs(1);

/// Fewer requests than this say nothing of a limit, because there may have been no more to ask.
const FEW_REQUESTS: usize = 10;

/// Number of latest answers among which 429 is counted.
const RECENT: u32 = 30;

/// Number of answers of 429 among the latest ones that shows a limit; two in a row do as well.
const SHOWS_LIMIT: u32 = 3;

/// The distance in time between two requests.
#[derive(Debug)]
pub(super) struct Pace {
    configured: Option<f64>,
    limit: Option<Limit>,
    next: Option<Instant>,
    /// When requests were sent in the last [`WINDOW`].
    sent: VecDeque<Instant>,
    /// The latest answers, the last one in the lowest bit: 1 is 429.
    recent: u32,
    /// Answers of 429 since the last good one, from the one on that showed a limit.
    in_a_row: u32,
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
    step: f64,
    /// Good answers since the rate fell.
    good: u32,
    /// Whether the answers of 429 may have another cause than the rate.
    doubtful: bool,
}

impl Pace {
    pub fn new(rate: Rate) -> Self {
        Self {
            configured: per_second(rate),
            limit: None,
            next: None,
            sent: VecDeque::new(),
            recent: 0,
            in_a_row: 0,
            lowered: 0,
        }
    }

    /// The time between two requests: doubled with each answer of 429 after the first in a row.
    pub fn gap(&self) -> Duration {
        let Some(rate) = self.rate() else {
            return Duration::ZERO;
        };
        let gap = Duration::from_secs_f64(rate.recip());
        let doublings = self.in_a_row.saturating_sub(1).min(MAX_DOUBLINGS);
        let longest = Duration::from_secs_f64(self.slowest().recip());
        gap.max((gap * (1 << doublings)).min(longest))
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

    pub fn take(&mut self, slot: Instant, requests: u32) {
        self.next = Some(slot + self.gap());
        self.forget_sent(slot);
        self.sent.extend((0..requests).map(|_| slot));
    }

    /// A request was answered 429 that was sent when the rate had been lowered so often. Those that were under way together count as
    /// one.
    pub fn refused(&mut self, lowered: u64, now: Instant) {
        if lowered < self.lowered {
            return;
        }
        self.recent = self.recent << 1 | 1;
        // At the configured rate, a limit that was known may have gone.
        let is_near = |limit: Limit| {
            let is_full = self.configured.is_some_and(|rate| limit.rate >= rate);
            limit.rate >= limit.level * AT_LEVEL && !is_full
        };
        if !self.limit.is_some_and(is_near) && self.in_a_row == 0 && !self.shows_limit() {
            return;
        }
        self.in_a_row = self.in_a_row.saturating_add(1);
        match (&self.limit, self.in_a_row) {
            (_, 1) | (None, _) => self.meet(now),
            (Some(limit), WINDOW_CLOSED) => {
                let doubtful = limit.doubtful;
                self.fall(limit.level * BACK, BACK_FROM_LEVEL, doubtful);
            }
            _ => {}
        }
        self.lowered += 1;
        // The answers after this one tell of the new rate.
        self.recent = 1;
        self.next = self.next.max(Some(now + self.gap()));
    }

    /// Whether the last answer was 429.
    pub fn was_refused(&self) -> bool {
        self.recent & 1 == 1
    }

    fn shows_limit(&self) -> bool {
        let latest = self.recent & ((1 << RECENT) - 1);
        latest & 0b11 == 0b11 || latest.count_ones() >= SHOWS_LIMIT
    }

    /// Goes below the limit that is met at the present rate. The first time its level is a guess, so that it may be gone beyond soon.
    fn meet(&mut self, now: Instant) {
        self.forget_sent(now);
        let sent = self.sent.len().max(FEW_REQUESTS);
        #[expect(clippy::cast_precision_loss, reason = "a rate need not be exact")]
        let sent = sent as f64 / WINDOW.as_secs_f64();
        let level = self.rate().map_or(sent, |rate| rate.min(sent));
        match self.limit {
            None => self.fall(level * BACK, 1.0, false),
            Some(known) if level >= known.level * AT_LEVEL => {
                self.fall(level, BACK_FROM_LEVEL, false);
            }
            Some(known) => self.fall(level, BACK, known.good < FEW_GOOD),
        }
    }

    /// Goes to a part of a level.
    fn fall(&mut self, level: f64, part: f64, doubtful: bool) {
        self.limit = Some(Limit {
            level,
            rate: (level * part).max(self.slowest()),
            step: level * STEP,
            good: 0,
            doubtful,
        });
    }

    /// Forgets requests that were sent more than [`WINDOW`] before.
    fn forget_sent(&mut self, now: Instant) {
        let is_old = |sent: &mut Instant| now.saturating_duration_since(*sent) >= WINDOW;
        while self.sent.pop_front_if(is_old).is_some() {}
    }

    fn slowest(&self) -> f64 {
        self.configured.map_or(SLOWEST, |rate| rate.min(SLOWEST))
    }

    pub fn answered(&mut self) {
        self.recent <<= 1;
        self.in_a_row = 0;
        let Some(limit) = &mut self.limit else { return };
        limit.rate += limit.step;
        limit.good = limit.good.saturating_add(1);
        if limit.doubtful || limit.rate > limit.level {
            limit.step *= STEP_GROWTH;
        }
        match self.configured {
            Some(rate) if limit.rate > rate => {
                limit.rate = rate;
                limit.step = limit.level * STEP;
            }
            None if limit.rate > FREE => self.limit = None,
            _ => {}
        }
    }

    /// Requests per second; `None` if nothing limits them.
    fn rate(&self) -> Option<f64> {
        self.limit.map(|limit| limit.rate).or(self.configured)
    }
}

/// Requests per second; `None` if nothing limits them.
fn per_second(rate: Rate) -> Option<f64> {
    match rate {
        Rate::Unlimited => None,
        Rate::PerSecond(rate) => Some(rate),
    }
}

#[cfg(test)]
mod tests;
