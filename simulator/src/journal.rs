//! What happened, in order: every change of folders and files, and every request served.

use std::collections::{BTreeMap, VecDeque};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::status::Status;

/// Files of a folder by status; a status without files is absent.
pub type Counts = BTreeMap<Status, u64>;

/// The last `capacity` items of something that grows without end.
#[derive(Debug)]
pub(super) struct Ring<T> {
    items: VecDeque<T>,
    capacity: usize,
}

impl<T> Ring<T> {
    pub fn new(capacity: usize) -> Self {
        Self {
            items: VecDeque::new(),
            capacity,
        }
    }

    pub fn push(&mut self, item: T) {
        self.items.push_back(item);
        while self.items.len() > self.capacity {
            self.items.pop_front();
        }
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.items.iter()
    }
}

/// One change of folders or files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Place in the order of all changes; the first after the starting world is 1.
    pub sequence: u64,
    pub at: DateTime<Utc>,
    pub change: Change,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A folder came into being, empty.
    FolderAdded { folder: Uuid },
    /// A folder was deleted with its files.
    FolderDeleted { folder: Uuid, counts: Counts },
    /// A file was added to a folder (`before` is none), removed (`after` is none), replaced (`file` differs), or changed its state.
    File {
        folder: Uuid,
        link: Uuid,
        before: Option<FileState>,
        after: Option<FileState>,
    },
    /// Files of a synthetic folder came, went, or changed their status.
    Counts {
        folder: Uuid,
        /// Its counts before the change.
        before: Counts,
        /// Its counts after the change.
        after: Counts,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    /// The `id` of its row.
    pub file: Uuid,
    pub status: Status,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    pub at: DateTime<Utc>,
    /// Sequence number of the last change before it was answered. A request that only reads is answered from exactly this state.
    pub sequence: u64,
    /// The key that the request carried, good or not.
    pub key: Option<String>,
    pub method: String,
    pub path: String,
    /// Query as it was sent, without the question mark; empty for none.
    pub query: String,
    pub status: u16,
    /// The folder in the path, if there is one.
    pub folder: Option<Uuid>,
    /// Files listed or requeued.
    pub files: usize,
}

#[derive(Debug)]
pub(super) struct Journal {
    entries: Ring<Entry>,
    sequence: u64,
}

impl Journal {
    pub fn new(capacity: usize) -> Self {
        Self {
            entries: Ring::new(capacity),
            sequence: 0,
        }
    }

    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    pub fn write(&mut self, at: DateTime<Utc>, change: Change) {
        self.sequence += 1;
        self.entries.push(Entry {
            sequence: self.sequence,
            at,
            change,
        });
    }

    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Takes back every change after `sequence`, starting from a folder's counts now (none: it does not exist now).
    /// `None` when those changes are not all in the journal, or the folder did not exist then.
    pub fn counts_at(&self, folder: Uuid, now: Option<Counts>, sequence: u64) -> Option<Counts> {
        let later = self.sequence.checked_sub(sequence)?;
        let mut undone = 0;
        let mut counts = now;
        let changes = self.entries().rev();
        for entry in changes.take_while(|entry| entry.sequence > sequence) {
            undone += 1;
            take_back(&mut counts, folder, &entry.change);
        }
        counts.filter(|_| undone == later)
    }
}

fn take_back(counts: &mut Option<Counts>, of: Uuid, change: &Change) {
    match change {
        Change::FolderAdded { folder } if *folder == of => *counts = None,
        Change::FolderDeleted {
            folder,
            counts: held,
        } if *folder == of => *counts = Some(held.clone()),
        Change::Counts { folder, before, .. } if *folder == of => *counts = Some(before.clone()),
        Change::File {
            folder,
            before,
            after,
            ..
        } if *folder == of => {
            let Some(counts) = counts else { return };
            if let Some(after) = after {
                decrease(counts, &after.status);
            }
            if let Some(before) = before {
                *counts.entry(before.status.clone()).or_default() += 1;
            }
        }
        _ => {}
    }
}

pub(super) fn decrease(counts: &mut Counts, status: &Status) {
    if let Some(count) = counts.get_mut(status) {
        *count -= 1;
        if *count == 0 {
            counts.remove(status);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::Counts;
    use crate::{NewFile, Options, Status, World};

    fn world(log_capacity: usize) -> World {
        World::new(Options {
            log_capacity,
            ..Options::default()
        })
    }

    /// One change, with numbers that choose what it is done to.
    fn act(world: &mut World, folders: &[Uuid], (what, which, status): (u8, usize, usize)) {
        let folder = folders[which % folders.len()];
        let status = Status::KNOWN[status % 5].clone();
        let files = world.file_ids(folder);
        let file = files.get(which % files.len().max(1)).copied();
        let _ = match (what, file) {
            (0, _) => world.add_files(folder, &status, which % 4).map(drop),
            (1, _) => {
                let file = NewFile {
                    status,
                    ..NewFile::default()
                };
                world.add_file(folder, &file).map(drop)
            }
            (2, Some(file)) => world.set_status(folder, file, status, None),
            (3, Some(file)) => world.delete_file(folder, file),
            (6, _) => world.reindex_all(folder).map(drop),
            (7, _) => world.reindex_failed(folder).map(drop),
            _ => {
                world.step(std::time::Duration::from_secs(20));
                Ok(())
            }
        };
    }

    /// Counts as the files themselves say.
    fn counted(world: &World, folder: Uuid) -> Counts {
        let folder = world.folder(folder).unwrap();
        let mut counts = Counts::new();
        for &key in folder.by_name() {
            let document = &world.documents[folder.link(key).document];
            *counts.entry(document.status.clone()).or_default() += 1;
        }
        counts
    }

    proptest! {
        #[test]
        fn counts_are_what_the_files_say_now_and_at_any_time_before(
            acts in prop::collection::vec((0_u8..9, 0_usize..50, 0_usize..5), 1..40)
        ) {
            let mut world = world(100_000);
            let folders = ["A", "B"].map(|name| world.add_folder(name));
            let mut history = Vec::new();
            for chosen in acts {
                act(&mut world, &folders, chosen);
                for folder in folders {
                    let counts = counted(&world, folder);
                    prop_assert_eq!(world.counts(folder), Some(counts.clone()));
                    history.push((folder, world.sequence(), counts));
                }
            }
            for (folder, sequence, counts) in history {
                prop_assert_eq!(world.counts_at(folder, sequence), Some(counts));
            }
        }
    }
}
