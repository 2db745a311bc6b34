//! How fast one portal is asked: requests in flight, and requests per second.
//!
//! 1. There is one throttle for an address, however many clients ask it. A reload changes its limits, also for requests that wait.
//! 2. At most `concurrency` requests are in flight. Slow lanes leave one of them to the others. Of large ones, one request waits at a time.
//! 3. Requests keep the distance that the rate asks for. Answers of 429 lower the rate, good ones raise it again ([`Pace`]).
//! 4. Requests are sent in the order in which they came. One that is given up while it waits delays no other.

mod pace;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tracing::{info, warn};

use crate::clock::Moment;
use crate::config::{Collect, Portal};
use crate::model::{PortalAddress, PortalName};
use crate::portal::lane::{Demand, Lane};

use pace::Pace;

/// The resolution of the timer: a shorter wait would take longer than it should.
const CLOCK: Duration = Duration::from_millis(1);

/// The throttles by address.
#[derive(Debug, Default)]
pub struct Throttles(Mutex<HashMap<PortalAddress, Arc<Throttle>>>);

impl Throttles {
    /// The throttle of a portal, with these limits from now on.
    pub(super) fn of(&self, portal: &Portal, collect: &Collect) -> Arc<Throttle> {
        let mut throttles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let throttle = throttles
            .entry(portal.base_url.normalised())
            .or_insert_with(|| Arc::new(Throttle::new(portal.name.clone(), collect)));
        throttle.configure(collect);
        Arc::clone(throttle)
    }
}

#[derive(Debug)]
pub(super) struct Throttle {
    /// For the log.
    portal: PortalName,
    state: watch::Sender<State>,
    /// Held by the request that is sent next, and by the next one of slow and of large lanes: the others wait in the order in which they came.
    turn: tokio::sync::Mutex<()>,
    slow_turn: tokio::sync::Mutex<()>,
    large_turn: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct State {
    concurrency: usize,
    in_flight: usize,
    /// Of these, how many are of slow lanes.
    slow: usize,
    pace: Pace,
}

impl State {
    const fn has_room(&self) -> bool {
        self.in_flight < self.concurrency
    }

    fn has_room_for_slow(&self) -> bool {
        self.slow < (self.concurrency - 1).max(1)
    }

    /// A request is sent, unless the limits changed meanwhile so that there is no room for it.
    fn begin(&mut self, time: Instant, is_slow: bool) -> bool {
        let begins = self.has_room();
        if begins {
            self.pace.sent(time);
            self.in_flight += 1;
            self.slow += usize::from(is_slow);
        }
        begins
    }
}

/// The right to one request in flight; ends when this is dropped.
pub(super) struct Admission<'a> {
    throttle: &'a Throttle,
    is_slow: bool,
    /// Time spent waiting for the rate limit.
    pub waited: Duration,
}

impl Throttle {
    fn new(portal: PortalName, collect: &Collect) -> Self {
        Self {
            portal,
            state: watch::Sender::new(State {
                concurrency: collect.concurrency.get(),
                in_flight: 0,
                slow: 0,
                pace: Pace::new(collect.max_requests_per_second),
            }),
            turn: tokio::sync::Mutex::default(),
            slow_turn: tokio::sync::Mutex::default(),
            large_turn: tokio::sync::Mutex::default(),
        }
    }

    fn configure(&self, collect: &Collect) {
        self.state.send_modify(|state| {
            state.concurrency = collect.concurrency.get();
            state.pace.configure(collect.max_requests_per_second);
        });
    }

    /// Waits until this number of requests may be sent one after the other, with no wait in between.
    pub async fn admit(&self, lane: &Lane, requests: u32) -> Admission<'_> {
        let demand = lane.demand();
        let is_slow = demand == Demand::Slow;
        let _own_turn = match demand {
            Demand::Usual | Demand::Nothing => None,
            Demand::Large => Some(self.large_turn.lock().await),
            Demand::Slow => {
                let turn = self.slow_turn.lock().await;
                self.wait_for(State::has_room_for_slow).await;
                Some(turn)
            }
        };
        let _turn = self.turn.lock().await;
        loop {
            self.wait_for(State::has_room).await;
            let begun = Moment::now().steady;
            let time = self.wait_for_time(requests, begun).await;
            if self
                .state
                .send_if_modified(|state| state.begin(time, is_slow))
            {
                return Admission {
                    throttle: self,
                    is_slow,
                    waited: time - begun,
                };
            }
        }
    }

    async fn wait_for(&self, is_so: fn(&State) -> bool) {
        // It never ends: the sender lives as long as this.
        let _ = self.state.subscribe().wait_for(is_so).await;
    }

    /// Waits for the time at which requests may be sent, which moves when the limits change. Returns it; it may be a little ahead.
    async fn wait_for_time(&self, requests: u32, begun: Instant) -> Instant {
        let mut state = self.state.subscribe();
        loop {
            let time = state.borrow_and_update().pace.next(requests, begun);
            if time <= Moment::now().steady + CLOCK {
                return time;
            }
            let _ = timeout_at(time, state.changed()).await;
        }
    }

    /// A request was answered well.
    pub fn answered(&self) {
        if let [Some(_), None] = self.change(Pace::raise) {
            info!(portal = %self.portal, "the request rate is as configured again");
        }
    }

    /// A request was answered 429.
    pub fn limited(&self) {
        if let [None, Some(rate)] = self.change(Pace::lower) {
            let per_second = (rate * 100.0).round() / 100.0;
            warn!(portal = %self.portal, per_second, "the portal answers 429: the request rate is lowered");
        }
    }

    /// Changes the pace; returns the lowered rate before and after.
    fn change(&self, change: impl FnOnce(&mut Pace, Instant)) -> [Option<f64>; 2] {
        let mut lowered = [None, None];
        self.state.send_modify(|State { pace, .. }| {
            lowered[0] = pace.lowered();
            change(pace, Moment::now().steady);
            lowered[1] = pace.lowered();
        });
        lowered
    }
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        self.throttle.state.send_modify(|state| {
            state.in_flight -= 1;
            state.slow -= usize::from(self.is_slow);
        });
    }
}

#[cfg(test)]
mod tests;
