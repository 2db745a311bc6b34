//! Which folders are read in a collection (docs/architecture.md, Which folders are read).
//!
//! One request for the list shows `fileCount` and `updatedAt` of every folder. A folder that changed there, or has files that move, is
//! pressing and read in each interval. A folder in which nothing changes for some reads is quiet: it is idle, longer each time, up to
//! `collect.quiet_every`. If the rate does not allow all that are due, the pressing ones come first and the quiet ones alternate. So that
//! neither kind waits for ever, a quarter of the budget goes to the folders that have waited longest, once that is longer than
//! `collect.quiet_every`; and the first of those is always read, however many requests it takes.
//!
//! Everything here is pure.

mod cost;
mod cycle;
mod idle_folders;
mod request_budget;

use std::cmp::Reverse;
use std::time::Duration;

use crate::model::FolderId;

pub(crate) use cost::Cost;
pub(crate) use cycle::{CycleChange, Load, ReadCycles};
pub(crate) use idle_folders::{Estimate, ReadIntervals, ReadLog, ReadOutcome};
pub(crate) use request_budget::{RemainingBudget, RequestBudget, requests_in};

/// One part in this number of the remaining budget goes to the folders that are overdue.
pub(crate) const OVERDUE_SHARE: u64 = 4;

/// Why a folder should be read, the strongest reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// Its last read did not end (docs/configuration.md, `collect.timeout`: those come first next time).
    Unfinished,
    /// This process never read it.
    New,
    /// Its entry in the list changed since, it has files that move, or it could not be counted.
    Pressing,
    Quiet,
}

/// A folder that could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReadCandidate {
    pub id: FolderId,
    pub need: Need,
    /// How long ago its last read began.
    pub waited: Duration,
    /// Expected requests of a read.
    pub requests: u64,
}

/// The folders that are read now, in this order. If all fit, that is all of them, longest waiting first.
pub(crate) fn choose(
    mut candidates: Vec<ReadCandidate>,
    budget: Option<(RequestBudget, RemainingBudget)>,
    quiet_every: Duration,
) -> Vec<FolderId> {
    candidates.sort_unstable_by_key(|candidate| (Reverse(candidate.waited), candidate.id));
    let requests = candidates.iter().map(|candidate| candidate.requests);
    let total = requests.fold(0, u64::saturating_add);
    match budget {
        Some((budget, remaining)) if total > remaining.requests => {
            let choice = Choice {
                budget,
                remaining,
                chosen: Vec::new(),
            };
            candidates = choice.among(candidates, quiet_every);
            candidates.sort_by_key(|candidate| (candidate.need, Reverse(candidate.waited)));
        }
        _ => candidates.sort_by_key(|candidate| candidate.need != Need::Unfinished),
    }
    candidates.iter().map(|candidate| candidate.id).collect()
}

/// The choice of folders for a budget.
struct Choice {
    budget: RequestBudget,
    remaining: RemainingBudget,
    chosen: Vec<ReadCandidate>,
}

impl Choice {
    /// Chooses among folders that are sorted by waiting time, the longest first.
    fn among(
        mut self,
        candidates: Vec<ReadCandidate>,
        quiet_every: Duration,
    ) -> Vec<ReadCandidate> {
        let is_overdue = |candidate: &ReadCandidate| candidate.waited >= quiet_every;
        let (overdue, others): (Vec<_>, Vec<_>) = candidates.into_iter().partition(is_overdue);
        let mut rest = self.add_overdue(overdue);
        rest.extend(others);
        rest.sort_by_key(|candidate| candidate.need);
        for candidate in rest {
            let claim = self.claim(candidate);
            if claim.is_some_and(|claim| claim <= self.remaining.requests) {
                self.add(candidate);
            }
        }
        self.chosen
    }

    /// Gives overdue folders their share, and the first possible one any claim. Returns the others.
    fn add_overdue(&mut self, overdue: Vec<ReadCandidate>) -> Vec<ReadCandidate> {
        let available = self.remaining.requests;
        let for_others = available - available / OVERDUE_SHARE;
        let mut rest = Vec::new();
        for candidate in overdue {
            let is_first = self.chosen.is_empty() && self.remaining.requests > 0;
            let fits = |claim| self.remaining.requests >= for_others.saturating_add(claim);
            if self
                .claim(candidate)
                .is_some_and(|claim| is_first || fits(claim))
            {
                self.add(candidate);
            } else {
                rest.push(candidate);
            }
        }
        rest
    }

    /// What a read claims of the budget; `None` if it must wait. Oversized reads are made one after another: in parallel, they would
    /// all take longer, and delay all others.
    fn claim(&self, candidate: ReadCandidate) -> Option<u64> {
        let must_wait = self.remaining.oversized && self.budget.is_oversized(candidate.requests);
        (!must_wait).then(|| self.budget.claim(candidate.requests))
    }

    fn add(&mut self, candidate: ReadCandidate) {
        let claim = self.budget.claim(candidate.requests);
        self.remaining.requests = self.remaining.requests.saturating_sub(claim);
        self.remaining.oversized |= self.budget.is_oversized(candidate.requests);
        self.chosen.push(candidate);
    }
}

#[cfg(test)]
mod tests;
