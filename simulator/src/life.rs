//! What will happen in a portal, on a clock of its own.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use fastrand::Rng;

use super::document::Place;
use super::reasons::Reason;
use super::supply::Supply;

pub(super) const SECOND: u64 = 1_000;
pub(super) const MINUTE: u64 = 60 * SECOND;
pub(super) const HOUR: u64 = 60 * MINUTE;

/// What will happen, and what waits.
#[derive(Debug)]
pub(super) struct Life {
    /// How long this world has lived.
    pub(super) now: Duration,
    events: BinaryHeap<Reverse<Event>>,
    scheduled: u64,
    pub(super) waiting: VecDeque<Ticket>,
    pub(super) busy: usize,
    /// States that files have entered so far.
    pub(super) turns: u64,
    pub(super) rng: Rng,
    /// Where new files come from; none: nobody brings or deletes any.
    pub(super) supply: Option<Supply>,
    /// Files at which the world is as large as it should be.
    pub(super) target: usize,
    /// What ails the portal at the moment.
    pub(super) trouble: Option<Reason>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: Duration,
    order: u64,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// The index takes up what became of a file.
    Indexed(Place),
    /// A recording's conversion to text ends.
    Converted(Ticket),
    Processed(Ticket),
    Arrival,
    /// An administrator looks after a folder.
    Visit,
    Trouble,
    Relief,
}

/// A file in one of its states; void once it is in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket {
    pub document: usize,
    pub turn: u64,
}

impl Life {
    pub fn new(seed: u64) -> Self {
        Self {
            now: Duration::ZERO,
            events: BinaryHeap::new(),
            scheduled: 0,
            waiting: VecDeque::new(),
            busy: 0,
            turns: 0,
            rng: Rng::with_seed(seed.rotate_left(32)),
            supply: None,
            target: 0,
            trouble: None,
        }
    }

    /// Lets people come and go; the world keeps about `target` files.
    pub fn begin(&mut self, supply: Supply, target: usize) {
        self.supply = Some(supply);
        self.target = target;
        self.plan_within(2 * MINUTE, What::Arrival);
        self.plan_within(2 * HOUR, What::Visit);
        self.plan_within(4 * HOUR, What::Trouble);
    }

    /// Plans something for a random time from one second on, up to a number of milliseconds.
    pub fn plan_within(&mut self, span: u64, what: What) {
        let after = Duration::from_millis(self.rng.u64(SECOND..=span));
        self.plan(after, what);
    }

    /// Plans something, unless it lies beyond any time.
    pub fn plan(&mut self, after: Duration, what: What) {
        let Some(at) = self.now.checked_add(after) else {
            return;
        };
        self.scheduled += 1;
        let order = self.scheduled;
        self.events.push(Reverse(Event { at, order, what }));
    }

    pub fn now(&self) -> Duration {
        self.now
    }

    pub fn next(&mut self, until: Duration) -> Option<What> {
        self.events.peek().filter(|event| event.0.at <= until)?;
        let Reverse(event) = self.events.pop()?;
        self.now = event.at;
        Some(event.what)
    }
}
