//! Which folders a collection reads, and the resulting cycle: pure.

use std::time::Duration;

use crate::clock::Moment;
use crate::collect::folder::Folder;
use crate::collect::read_schedule::{
    Estimate, Load, ReadCandidate, ReadIntervals, RequestBudget, choose,
};
use crate::collect::strategy;
use crate::config::{Collect, Rate, Reindex};
use crate::model::FolderId;
use crate::snapshot::{ReadCycle, SortingState};

/// The share of the rate that is left to collections during an audit, which uses a quarter.
const SHARE_BESIDE_AUDIT: f64 = 0.75;

pub(super) struct ReadPlan {
    /// Those that it reads, the first to be begun first.
    pub due: Vec<FolderId>,
    /// Folders that could be read and are not due.
    pub idle: usize,
    /// Folders that are collected, and what reading each of them takes.
    pub folders: usize,
    pub load: Load,
    /// `None` if no further collection is scheduled.
    pub intervals: Option<ReadIntervals>,
    /// `None` if nothing limits the requests, or no further collection is scheduled.
    pub cycle: Option<ReadCycle>,
}

/// The input of a plan in addition to the folders.
pub(super) struct PlanConditions<'a> {
    pub collect: &'a Collect,
    pub reindex: &'a Reindex,
    /// The rate at which this process may ask the portal.
    pub rate: Rate,
    pub sorting: SortingState,
    /// The time to the next collection, if one is known to come.
    pub until_next: Option<Duration>,
    pub is_auditing: bool,
    pub now: Moment,
}

impl ReadPlan {
    pub fn new<'a>(
        folders: impl Iterator<Item = &'a Folder>,
        conditions: &PlanConditions<'_>,
    ) -> Self {
        let quiet_every = conditions.collect.quiet_every;
        let mut plan = Self {
            due: Vec::new(),
            idle: 0,
            folders: 0,
            load: Load::default(),
            intervals: conditions.until_next.map(|interval| ReadIntervals {
                interval,
                quiet_every,
            }),
            cycle: None,
        };
        let (mut candidates, mut waiting, mut begun) = (Vec::new(), Vec::new(), Vec::new());
        for folder in folders {
            let (log, moves) = (&folder.read_log, folder.moves(conditions.reindex));
            let candidate = conditions.candidate(folder, moves);
            let requests = candidate.requests;
            let is_idle = |intervals| log.is_idle(moves, intervals, conditions.now.steady);
            if folder.is_collected() {
                plan.folders += 1;
                plan.load.add(requests, log.is_pressing(moves));
            }
            if let Some(read) = &folder.read {
                let reads = if read.has_begun() {
                    &mut begun
                } else {
                    &mut waiting
                };
                reads.push(requests);
            } else if folder.is_collected() && plan.intervals.is_some_and(is_idle) {
                plan.idle += 1;
            } else if folder.is_collected() {
                candidates.push(candidate);
            }
        }
        let budget = conditions.budget();
        let remaining = budget.map(|budget| (budget, budget.remaining(&waiting, &begun)));
        plan.due = choose(candidates, remaining, quiet_every);
        plan.cycle = budget.map(|budget| ReadCycle {
            takes: plan.load.cycle(budget),
            interval: budget.interval,
            quiet_every,
        });
        plan
    }
}

impl PlanConditions<'_> {
    /// The request budget until the next collection.
    fn budget(&self) -> Option<RequestBudget> {
        let rate = match self.rate {
            Rate::PerSecond(rate) if self.is_auditing => Rate::PerSecond(rate * SHARE_BESIDE_AUDIT),
            rate => rate,
        };
        RequestBudget::new(rate, self.until_next?, self.collect.timeout)
    }

    /// The folder as one that could be read, by the strategy that is right for it now.
    fn candidate(&self, folder: &Folder, moves: bool) -> ReadCandidate {
        let (strategy, expected) = (self.collect.strategy, folder.expected());
        let requests = strategy::requests(strategy, self.sorting, &expected);
        let estimate = Estimate {
            way: strategy::choose(strategy, self.sorting, &expected),
            requests: requests.min(self.collect.max_pages_per_folder.get()),
        };
        let (log, counts) = (&folder.read_log, folder.view.counts.as_deref());
        ReadCandidate {
            id: folder.view.id,
            need: log.need(moves),
            waited: log.waited(folder.view.last_success, self.now),
            requests: log.requests(counts, estimate),
        }
    }
}
