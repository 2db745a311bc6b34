//! How fast one portal is asked: requests in flight, and requests per second.
//!
//! Both hold for a portal as a whole, across its folders, and both serve those who wait in the order in which they
//! came. Answers of 429 lower the rate, and good answers raise it again ([`pace`]).
//!
//! Whoever makes many requests makes them in a [`Lane`]. Those of folders that are answered slowly, and reads of very many pages, together
//! leave one request in flight to the others.

mod lane;
mod pace;
mod slots;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tracing::{info, warn};

use crate::clock::Moment;
use crate::config::{Collect, Rate};
use crate::model::PortalName;

pub use lane::{Demand, Lane};

use pace::Pace;
use slots::{Slot, Slots};

/// The resolution of the timer: a shorter wait would take longer than it should.
const CLOCK: Duration = Duration::from_millis(1);

/// How a portal answered a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Good,
    /// 429.
    Limited,
    /// Anything else, or none.
    Other,
}

#[derive(Debug)]
pub(super) struct Throttle {
    /// For the log.
    portal: PortalName,
    slots: Slots,
    /// One less, so that slow requests leave one to the others.
    slow_slots: Slots,
    pace: Mutex<Pace>,
    /// Held by the request that is the next by the pace; the others wait in the order in which they came. No time is set aside before
    /// a request is sent, so that one that is given up while it waits does not delay the others.
    turn: tokio::sync::Mutex<()>,
}

/// The right to one request in flight; ends when this is dropped.
pub(super) struct Admission<'a> {
    _slow_slot: Option<Slot<'a>>,
    _slot: Slot<'a>,
    /// Time spent waiting for the rate limit.
    pub waited: Duration,
}

impl Throttle {
    pub fn new(portal: PortalName, collect: &Collect) -> Self {
        let concurrency = collect.concurrency.get();
        Self {
            portal,
            slots: Slots::new(concurrency),
            slow_slots: Slots::new(for_slow(concurrency)),
            pace: Mutex::new(Pace::new(collect.max_requests_per_second)),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// Goes on with other limits. They hold for requests that wait as well.
    pub fn configure(&self, collect: &Collect) {
        let concurrency = collect.concurrency.get();
        self.slots.resize(concurrency);
        self.slow_slots.resize(for_slow(concurrency));
        let rate: Rate = collect.max_requests_per_second;
        self.with_pace(|pace| pace.configure(rate));
    }

    /// Waits until this number of requests may be sent one after the other, with no wait in between.
    pub async fn admit(&self, lane: &Lane, requests: u32) -> Admission<'_> {
        let slow_slot = if lane.yields() {
            Some(self.slow_slots.take().await)
        } else {
            None
        };
        let slot = self.slots.take().await;
        let begun = Moment::now().steady;
        let _turn = self.turn.lock().await;
        let now = Moment::now().steady;
        let time = self.wait_for_time(requests, now).await;
        self.with_pace(|pace| pace.take(time));
        lane.sent(Moment::now().steady);
        Admission {
            _slow_slot: slow_slot,
            _slot: slot,
            waited: if time > now {
                time - begun
            } else {
                Duration::ZERO
            },
        }
    }

    /// Waits until this number of requests may be sent; returns since when they may. The time can move while it waits, as the pace changes.
    async fn wait_for_time(&self, requests: u32, now: Instant) -> Instant {
        loop {
            let time = self.with_pace(|pace| pace.slot(requests, now));
            if time <= Moment::now().steady + CLOCK {
                return time;
            }
            sleep_until(time).await;
        }
    }

    /// Learns from an answer that took this long, of the time limit of its request. A folder that is answered 429 again and again, while
    /// others are answered well, lowers the rate once.
    pub fn answered(&self, lane: &Lane, answer: Answer, took: Duration, limit: Duration) {
        let is_new = lane.answered(answer, took, limit);
        let now = Moment::now().steady;
        let [before, after] = self.with_pace(|pace| {
            let before = pace.lowered();
            match answer {
                Answer::Good => pace.answered(now),
                Answer::Limited if is_new || pace.was_refused() => pace.refused(now),
                Answer::Limited | Answer::Other => {}
            }
            [before, pace.lowered()]
        });
        self.log(before, after);
    }

    /// Logs when a rate becomes lower than the configured one, and when it is as configured again.
    fn log(&self, before: Option<f64>, after: Option<f64>) {
        let portal = &self.portal;
        match (before, after) {
            (Some(_), None) => {
                info!(parent: None, %portal, "the request rate is as configured again");
            }
            (None, Some(rate)) => {
                let per_second = (rate * 100.0).round() / 100.0;
                warn!(parent: None, %portal, per_second, "the portal answers 429: the request rate is lowered");
            }
            (None, None) | (Some(_), Some(_)) => {}
        }
    }

    fn with_pace<T>(&self, act: impl FnOnce(&mut Pace) -> T) -> T {
        act(&mut self.pace.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How many of the requests in flight may be slow.
fn for_slow(concurrency: usize) -> usize {
    concurrency.saturating_sub(1).max(1)
}

#[cfg(test)]
mod tests;
