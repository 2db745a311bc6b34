//! Which folders a collection reads, and what is said of the cost and the cycle that this makes.

use std::collections::HashSet;

use tracing::{info, warn};

use crate::collect::Collector;
use crate::collect::folder::Folder;
use crate::collect::read_schedule::{
    Candidate, Cost, Left, Load, News, Often, Present, Reading, RequestBudget, choose,
};
use crate::collect::strategy;
use crate::config::Rate;
use crate::model::{FolderId, Moment};
use crate::snapshot::ReadCycle;

/// The folders of a collection.
pub(super) struct Due {
    /// Those that it reads, the first to be begun first.
    pub folders: Vec<FolderId>,
    /// How many could be read, and rest because nothing moves in them.
    pub resting: usize,
}

impl Collector {
    /// The folders that a collection reads. Of the others it holds what was known.
    pub(super) fn due(&mut self, run: u64) -> Due {
        let now = Moment::now();
        let room = self.room(run);
        let often = self.often(run);
        let free = self.listed_folders().filter(|folder| !folder.reading);
        let (resting, awake): (Vec<_>, Vec<_>) =
            free.partition(|folder| often.is_some_and(|often| rests(folder, often, now)));
        let candidates = awake.iter().map(|folder| self.candidate(folder, now));
        let candidates: Vec<_> = candidates.collect();
        let resting = resting.len();
        let supply = room.map(|room| (room, self.left(room, now)));
        let folders = choose(candidates, supply, self.settings.quiet_every);
        self.say_cost(often, now);
        self.take_cycle(room, now);
        self.pass_over_others(&folders);
        Due { folders, resting }
    }

    /// The request budget until the next collection; none where nothing limits it, or no collection is known to come.
    fn room(&self, run: u64) -> Option<RequestBudget> {
        let interval = self.runs.get(&run)?.until_next?;
        let rate = match self.settings.rate {
            // An audit takes its quarter.
            Rate::PerSecond(rate) if self.is_auditing() => Rate::PerSecond(rate * 0.75),
            rate => rate,
        };
        RequestBudget::new(rate, interval, self.settings.timeout)
    }

    /// How often folders are read; none where no collection is known to come.
    fn often(&self, run: u64) -> Option<Often> {
        Some(Often {
            interval: self.runs.get(&run)?.until_next?,
            quiet: self.settings.quiet_every,
        })
    }

    /// The folders that could be read, or are being read.
    fn listed_folders(&self) -> impl Iterator<Item = &Folder> {
        let folders = self.folders.values();
        folders.filter(|folder| folder.is_collected())
    }

    /// The folder as one that could be read, the way that is right for it now.
    fn candidate(&self, folder: &Folder, now: Moment) -> Candidate {
        let (strategy, sorting) = (self.settings.strategy, self.sorting.state());
        let expected = folder.expected();
        let requests = strategy::requests(strategy, sorting, &expected);
        let present = Present {
            way: strategy::choose(strategy, sorting, &expected),
            requests: requests.min(self.settings.scan.max_pages),
        };
        folder.candidate(present, now)
    }

    /// What is left of the budget beside what is still being read.
    fn left(&self, room: RequestBudget, now: Moment) -> Left {
        let reading = self.folders.values().filter(|folder| folder.reading);
        let reading: Vec<Reading> = reading
            .map(|folder| {
                let requests = self.candidate(folder, now).requests;
                folder.read_schedule.reading(requests)
            })
            .collect();
        room.left(&reading)
    }

    fn pass_over_others(&mut self, due: &[FolderId]) {
        let due: HashSet<_> = due.iter().collect();
        for (id, folder) in &mut self.folders {
            if !folder.reading && !due.contains(id) {
                folder.passed_over();
            }
        }
    }

    /// Says what the portal is going to be asked, once, when its first list was read.
    fn say_cost(&mut self, often: Option<Often>, now: Moment) {
        let first = self.cycles.is_first();
        let Some(often) = often.filter(|_| first) else {
            return;
        };
        let folders = self.listed_folders();
        let reads = folders.map(|folder| self.candidate(folder, now).requests);
        let cost = Cost {
            reads: reads.fold(0, u64::saturating_add),
            often,
            rate: self.settings.rate,
        };
        let folders = self.listed_folders().count();
        info!(portal = %self.settings.portal, folders, "{cost}");
    }

    /// Works out the cycle, and says what is new about it.
    fn take_cycle(&mut self, room: Option<RequestBudget>, now: Moment) {
        let cycle = room.map(|room| ReadCycle {
            takes: self.load(now).cycle(room),
            interval: room.interval(),
            quiet_every: self.settings.quiet_every,
        });
        let portal = &self.settings.portal;
        match self.cycles.take(cycle, now.steady) {
            News::Nothing => {}
            News::Said(cycle) if cycle.is_late() => warn!(%portal, "{cycle}"),
            News::Said(cycle) => info!(%portal, "{cycle}"),
            News::Fits => info!(%portal, "every folder fits into the interval again"),
        }
        self.collections.cycle = cycle;
    }

    /// What reads all folders take.
    fn load(&self, now: Moment) -> Load {
        let mut load = Load::default();
        for folder in self.listed_folders() {
            let pressing = folder
                .read_schedule
                .is_pressing(folder.view.counts.as_deref());
            load.add(self.candidate(folder, now).requests, pressing);
        }
        load
    }
}

fn rests(folder: &Folder, often: Often, now: Moment) -> bool {
    let counts = folder.view.counts.as_deref();
    folder.read_schedule.rests(counts, often, now.steady)
}
