//! Folders that change by themselves as time passes, and that remember what was true when.

use std::collections::BTreeMap;
use std::ops::Range;

use super::folder::Folder;
use super::{Millis, SECOND};
use crate::model::Status;

/// What happens to a folder again and again.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// A file arrives, waits, is processed, and ends after some time.
    Upload(Millis, Status),
    /// A file that has been in the first status for long takes the second one.
    Move(Status, Status),
    Delete(Status),
    /// All files of a status are queued again, and each time passes one of them ends in a status.
    Requeue(Status, Millis, Status),
}

/// An act that is repeated at an interval, for a time.
#[derive(Debug, Clone, Copy)]
struct Flow {
    folder: usize,
    act: Act,
    every: Millis,
    until: Millis,
}

#[derive(Debug, Clone, Copy)]
enum Event {
    /// The act of the flow with this number.
    Act(usize),
    /// A file of a folder takes a status.
    Enter(usize, u32, Status),
    /// The index of the portal takes up what its database has of a file.
    Index(usize, u32),
}

#[derive(Debug, Default)]
pub struct World {
    pub folders: Vec<Folder>,
    /// How far the index is behind the database.
    pub index_delay: Millis,
    now: Millis,
    flows: Vec<Flow>,
    /// What comes next, by its time and a number that differs.
    events: BTreeMap<(Millis, u64), Event>,
    number: u64,
    random: fastrand::Rng,
}

impl World {
    pub fn new(seed: u64) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            ..Self::default()
        }
    }

    /// Adds a folder with this number of files in each status, in a random order.
    pub fn folder(&mut self, files: &[(Status, usize)]) -> usize {
        let files = files.iter();
        let files = files.flat_map(|(status, number)| std::iter::repeat_n(*status, *number));
        let mut files: Vec<_> = files.collect();
        self.random.shuffle(&mut files);
        self.folder_in_order(files)
    }

    /// Adds a folder of files with these statuses, in the order of their names.
    pub fn folder_in_order(&mut self, files: impl IntoIterator<Item = Status>) -> usize {
        let at = self.folders.len();
        self.folders.push(Folder::of(at, files));
        at
    }

    /// Repeats an act, the first time after one interval.
    pub fn flow(&mut self, folder: usize, act: Act, every: Millis, during: Range<Millis>) {
        let flow = self.flows.len();
        self.flows.push(Flow {
            folder,
            act,
            every,
            until: during.end,
        });
        self.at(during.start + every, Event::Act(flow));
    }

    /// Lets everything happen that is due.
    pub fn move_to(&mut self, now: Millis) {
        while let Some(next) = self.events.first_entry().filter(|next| next.key().0 <= now) {
            self.now = next.key().0;
            let event = next.remove();
            self.happen(event);
        }
        self.now = now;
    }

    fn at(&mut self, time: Millis, event: Event) {
        self.number += 1;
        self.events.insert((time, self.number), event);
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Act(flow) => self.act(flow),
            Event::Enter(folder, file, status) => self.enter(folder, file, Some(status)),
            Event::Index(folder, file) => self.folders[folder].index(file),
        }
    }

    fn act(&mut self, number: usize) {
        let flow = self.flows[number];
        match flow.act {
            Act::Upload(takes, ends) => {
                let file = self.folders[flow.folder].add(self.now, &mut self.random);
                self.enter(flow.folder, file, Some(Status::Pending));
                for (after, status) in [(takes / 2, Status::Processing), (takes, ends)] {
                    let enter = Event::Enter(flow.folder, file, status);
                    self.at(self.now + after, enter);
                }
            }
            Act::Move(from, to) => self.pick(flow.folder, from, Some(to)),
            Act::Delete(from) => self.pick(flow.folder, from, None),
            Act::Requeue(from, each, to) => self.requeue(flow.folder, from, each, to),
        }
        let next = self.now + flow.every;
        if next < flow.until {
            self.at(next, Event::Act(number));
        }
    }

    fn requeue(&mut self, folder: usize, from: Status, each: Millis, to: Status) {
        let mut end = self.now;
        for file in self.folders[folder].with(from) {
            self.enter(folder, file, Some(Status::Pending));
            end += each;
            let start = end.saturating_sub(SECOND).max(self.now);
            for (time, status) in [(start, Status::Processing), (end, to)] {
                self.at(time, Event::Enter(folder, file, status));
            }
        }
    }

    /// Changes some file of a status that has been in it for half an hour, so that nothing is gone before anybody could see it.
    fn pick(&mut self, folder: usize, from: Status, to: Option<Status>) {
        const SETTLED: Millis = 1_800 * SECOND;
        let picked = self.folders[folder].pick(from, self.now, SETTLED, &mut self.random);
        if let Some(file) = picked {
            self.enter(folder, file, to);
        }
    }

    fn enter(&mut self, folder: usize, file: u32, status: Option<Status>) {
        self.folders[folder].change(file, status, self.now);
        if self.index_delay == 0 {
            self.folders[folder].index(file);
        } else {
            let time = self.now + self.index_delay;
            self.at(time, Event::Index(folder, file));
        }
    }
}
