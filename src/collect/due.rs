//! Which folders a collection looks at, and what is said of the round that this makes.

use std::collections::HashSet;

use tracing::{info, warn};

use crate::collect::Collector;
use crate::collect::attention::{Candidate, Left, Load, News, Reading, Room, choose};
use crate::collect::folder::Folder;
use crate::collect::strategy;
use crate::config::Rate;
use crate::model::{FolderId, Moment};
use crate::snapshot::Round;

impl Collector {
    /// The folders that a collection looks at, the first to be begun first. Of the others it holds what was known.
    pub(super) fn due(&mut self, run: u64) -> Vec<FolderId> {
        let now = Moment::now();
        let room = self.room(run);
        let candidates: Vec<_> = self
            .listed_folders()
            .filter(|folder| !folder.reading)
            .map(|folder| self.candidate(folder, now))
            .collect();
        let supply = room.map(|room| (room, self.left(room, now)));
        let due = choose(candidates, supply, self.settings.quiet_every);
        self.take_round(room, now);
        self.pass_over_others(&due);
        due
    }

    /// The room until the next collection; none where nothing limits it, or no collection is known to come.
    fn room(&self, run: u64) -> Option<Room> {
        let interval = self.runs.get(&run)?.until_next?;
        let rate = match self.settings.rate {
            // An audit takes its quarter.
            Rate::PerSecond(rate) if self.is_auditing() => Rate::PerSecond(rate * 0.75),
            rate => rate,
        };
        Room::new(rate, interval, self.settings.timeout)
    }

    /// The folders that could be looked at, or are being looked at.
    fn listed_folders(&self) -> impl Iterator<Item = &Folder> {
        let folders = self.folders.values();
        folders.filter(|folder| folder.is_collected())
    }

    fn candidate(&self, folder: &Folder, now: Moment) -> Candidate {
        let (strategy, sorting) = (self.settings.strategy, self.sorting.state());
        let most = strategy::requests(strategy, sorting, &folder.expected());
        folder.candidate(most.min(self.settings.walk.max_pages), now)
    }

    /// What is left of the room beside what is still being read.
    fn left(&self, room: Room, now: Moment) -> Left {
        let reading = self.folders.values().filter(|folder| folder.reading);
        let reading: Vec<Reading> = reading
            .map(|folder| {
                let requests = self.candidate(folder, now).requests;
                folder.attention.reading(requests)
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

    /// Works out the round, and says what is new about it.
    fn take_round(&mut self, room: Option<Room>, now: Moment) {
        let round = room.map(|room| Round {
            takes: self.load(now).round(room),
            interval: room.interval(),
            quiet_every: self.settings.quiet_every,
        });
        let portal = &self.settings.portal;
        match self.rounds.take(round, now.steady) {
            News::Nothing => {}
            News::Said(round) if round.is_late() => warn!(%portal, "{round}"),
            News::Said(round) => info!(%portal, "{round}"),
            News::Fits => info!(%portal, "every folder fits into the interval again"),
        }
        self.collections.round = round;
    }

    /// What looks at all folders take.
    fn load(&self, now: Moment) -> Load {
        let mut load = Load::default();
        for folder in self.listed_folders() {
            let pressing = folder.attention.is_pressing(folder.view.counts.as_deref());
            load.add(self.candidate(folder, now).requests, pressing);
        }
        load
    }
}
