//! What was true when, as the journal of the portal says.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use kb_simulator::Status::{self, Done, Failed, Flagged, Pending, Processing};
use kb_simulator::{Change, Counts, Entry, FileState, World};
use uuid::Uuid;

use super::Millis;

/// The changes of a folder after a time, the latest first, and whether the portal shows them without a read of the folder.
pub fn changes(world: &World, folder: Uuid, after: Millis) -> impl Iterator<Item = (Millis, bool)> {
    let start = start(world);
    let entries = world.journal().rev();
    let entries = entries.map(move |entry| (time(start, entry), &entry.change));
    let entries = entries.take_while(move |(time, _)| *time > after);
    entries.filter_map(move |(time, change)| match change {
        Change::File {
            folder: of,
            before,
            after,
            ..
        } => (*of == folder).then(|| (time, waits(before.as_ref()) || waits(after.as_ref()))),
        Change::Counts { folder: of, .. } => (*of == folder).then_some((time, false)),
        _ => None,
    })
}

/// The counts of a folder at a time.
pub fn counts(world: &World, folder: Uuid, at: Millis) -> Counts {
    let start = start(world);
    let mut entries = world.journal().rev();
    let last = entries.find(|entry| time(start, entry) <= at);
    let sequence = last.map_or(0, |entry| entry.sequence);
    world.counts_at(folder, sequence).unwrap()
}

/// When files entered a status. A file that was queued again and ends as before enters none.
#[derive(Debug, Default)]
pub struct Entries {
    /// The last change that was read.
    read: u64,
    times: HashMap<(Uuid, Status), Vec<Millis>>,
    /// The last of done, failed and flagged that a file had which waits.
    settled: HashMap<Uuid, Status>,
}

impl Entries {
    /// Goes on with what is new in the journal.
    pub fn read(&mut self, world: &World) {
        let start = start(world);
        let is_new = |entry: &&Entry| entry.sequence > self.read;
        let new: Vec<_> = world.journal().rev().take_while(is_new).collect();
        for entry in new.into_iter().rev() {
            self.note(time(start, entry), &entry.change);
        }
        self.read = world.sequence();
    }

    fn note(&mut self, time: Millis, change: &Change) {
        match change {
            Change::File {
                folder,
                before,
                after: Some(after),
                ..
            } => {
                let before = before.as_ref().map(|state| &state.status);
                let settled = self.settled.remove(&after.file);
                let settled = before.filter(|it| is_settled(it)).cloned().or(settled);
                if !is_settled(&after.status) {
                    self.settled.extend(settled.map(|it| (after.file, it)));
                } else if settled.as_ref() != Some(&after.status) {
                    self.enter(*folder, &after.status, time);
                }
            }
            Change::Counts {
                folder,
                before,
                after,
            } => {
                for (status, files) in after {
                    if before.get(status).is_none_or(|before| before < files) {
                        self.enter(*folder, status, time);
                    }
                }
            }
            _ => {}
        }
    }

    fn enter(&mut self, folder: Uuid, status: &Status, time: Millis) {
        let times = self.times.entry((folder, status.clone()));
        times.or_default().push(time);
    }

    /// The number of entries until a time.
    pub fn until(&self, folder: Uuid, status: &Status, time: Millis) -> u64 {
        let times = self.times.get(&(folder, status.clone()));
        times.map_or(0, |times| times.partition_point(|it| *it <= time) as u64)
    }
}

/// The time that the portal's clock showed at first.
fn start(world: &World) -> DateTime<Utc> {
    world.start().unwrap()
}

fn time(start: DateTime<Utc>, entry: &Entry) -> Millis {
    let passed = entry.at - start;
    passed.num_milliseconds().max(0).cast_unsigned()
}

const fn is_settled(status: &Status) -> bool {
    matches!(status, Done | Failed | Flagged)
}

fn waits(state: Option<&FileState>) -> bool {
    state.is_none_or(|state| matches!(state.status, Pending | Processing))
}
