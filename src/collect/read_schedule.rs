//! Which folders are read in a collection (docs/architecture.md, Which folders are read).
//!
//! One request for the list tells `fileCount` and `updatedAt` of every folder. What changed there, or holds files that are not done, is
//! pressing and read in each interval. A folder in which nothing moves for some reads is quiet: it rests, longer each time, up to
//! `collect.quiet_every`. Where the rate does not allow all that are due, the pressing ones come first and the quiet ones take turns. So that neither kind waits for ever, a quarter of the budget goes to whichever folder
//! has waited longest, once that is longer than `collect.quiet_every`; and the first of those always has its turn, however many requests it takes.
//!
//! Everything here is pure: what is known of the folders in, what to do out.

mod cost;
mod cycle;
mod facts;
mod request_budget;

use std::cmp::Reverse;
use std::time::Duration;

use crate::model::FolderId;

pub(crate) use cost::Cost;
pub(crate) use cycle::{Load, News, ReadCycles};
pub(crate) use facts::{Ending, Facts, Often, Present};
pub(crate) use request_budget::{Left, Reading, RequestBudget, in_all};

/// One part in so many of what is left of the budget goes to the folders that are overdue.
pub(crate) const OVERDUE_SHARE: u64 = 4;

/// Why a folder should be read, the strongest reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// Its last read was not brought to an end (docs/configuration.md, `collect.timeout`: those come first next time).
    Unfinished,
    /// This process never read it.
    New,
    /// Its entry in the list changed since, it holds files that are not done, or it could not be counted.
    Pressing,
    /// Nothing speaks for a change.
    Quiet,
}

/// A folder that could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Which.
    pub id: FolderId,
    /// Why.
    pub need: Need,
    /// How long ago its last read began.
    pub waited: Duration,
    /// Requests that a read is expected to take.
    pub requests: u64,
}

/// The folders that are read now, the first to be begun first. Where all fit, that is all of them, longest waiting first.
pub(crate) fn choose(
    mut candidates: Vec<Candidate>,
    room: Option<(RequestBudget, Left)>,
    quiet_every: Duration,
) -> Vec<FolderId> {
    candidates.sort_unstable_by_key(|candidate| (Reverse(candidate.waited), candidate.id));
    match room {
        Some((room, left)) if total(&candidates) > left.requests => {
            candidates = Choice::new(room, left).of(candidates, quiet_every);
            candidates.sort_by_key(|candidate| (candidate.need, Reverse(candidate.waited)));
        }
        _ => candidates.sort_by_key(|candidate| candidate.need != Need::Unfinished),
    }
    candidates.iter().map(|candidate| candidate.id).collect()
}

fn total(candidates: &[Candidate]) -> u64 {
    let requests = candidates.iter().map(|candidate| candidate.requests);
    requests.fold(0, u64::saturating_add)
}

/// A choice in the making.
struct Choice {
    room: RequestBudget,
    left: Left,
    chosen: Vec<Candidate>,
}

impl Choice {
    fn new(room: RequestBudget, left: Left) -> Self {
        Self {
            room,
            left,
            chosen: Vec::new(),
        }
    }

    /// Chooses among folders of which the longest waiting comes first.
    fn of(mut self, candidates: Vec<Candidate>, quiet_every: Duration) -> Vec<Candidate> {
        let (overdue, others): (Vec<_>, Vec<_>) = candidates
            .into_iter()
            .partition(|candidate| candidate.waited >= quiet_every);
        let mut rest = self.take_overdue(overdue);
        rest.extend(others);
        rest.sort_by_key(|candidate| candidate.need);
        for candidate in rest {
            if self
                .price(candidate)
                .is_some_and(|price| price <= self.left.requests)
            {
                self.take(candidate);
            }
        }
        self.chosen
    }

    /// Gives the overdue their share, and at any price a turn to the first that can have one. Returns the others.
    fn take_overdue(&mut self, overdue: Vec<Candidate>) -> Vec<Candidate> {
        let keep = self.left.requests - self.left.requests / OVERDUE_SHARE;
        let mut rest = Vec::new();
        for candidate in overdue {
            let price = self.price(candidate);
            let first = self.chosen.is_empty() && self.left.requests > 0;
            match price {
                Some(price) if first || self.left.requests >= keep.saturating_add(price) => {
                    self.take(candidate);
                }
                _ => rest.push(candidate),
            }
        }
        rest
    }

    /// What a read costs now. Reads that are dearer than the budget are made one after another: side by side they would all take longer, and
    /// hold up every other.
    fn price(&self, candidate: Candidate) -> Option<u64> {
        let may = !(self.left.dear && self.room.is_dear(candidate.requests));
        may.then(|| self.room.price(candidate.requests))
    }

    fn take(&mut self, candidate: Candidate) {
        let requests = candidate.requests;
        self.left.requests = self.left.requests.saturating_sub(self.room.price(requests));
        self.left.dear |= self.room.is_dear(requests);
        self.chosen.push(candidate);
    }
}

#[cfg(test)]
mod tests;
