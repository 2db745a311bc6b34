//! What happened, in order: every change of the world and every request served.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

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
        if self.items.len() >= self.capacity {
            self.items.pop_front();
        }
        if self.capacity > 0 {
            self.items.push_back(item);
        }
    }

    pub fn iter(&self) -> std::collections::vec_deque::Iter<'_, T> {
        self.items.iter()
    }
}

/// One change of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Place in the order of all changes; the first after the starting world is 1.
    pub sequence: u64,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// What changed.
    pub change: Change,
}

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A folder came into being, empty.
    FolderAdded {
        /// Its id.
        folder: Uuid,
    },
    /// A folder was deleted with its files.
    FolderDeleted {
        /// Its id.
        folder: Uuid,
        /// What it held.
        counts: Counts,
    },
    /// A file was added to a folder (`before` is none), removed (`after` is none), replaced (`file` differs), or changed its state or size.
    File {
        /// The folder.
        folder: Uuid,
        /// The `linkId`.
        link: Uuid,
        /// The file before the change.
        before: Option<FileState>,
        /// The file after the change.
        after: Option<FileState>,
    },
    /// A key was issued, revoked, expired, or its set of folders changed.
    Key {
        /// The key.
        key: String,
    },
    /// The allowed addresses changed.
    Addresses,
}

/// A file at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    /// The `id` of its row.
    pub file: Uuid,
    /// Its status.
    pub status: Status,
    /// Its size in bytes.
    pub size: u64,
}

/// One request served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// When it was answered.
    pub at: DateTime<Utc>,
    /// Sequence number of the last change before it was looked at. A request that only reads is answered from exactly this state.
    pub sequence: u64,
    /// The caller's address.
    pub address: IpAddr,
    /// HTTP method.
    pub method: String,
    /// Path as it was sent.
    pub path: String,
    /// Query as it was sent, without the question mark; empty for none.
    pub query: String,
    /// HTTP status of the answer.
    pub status: u16,
}

/// The changes, numbered.
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

    /// Number of the last change.
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
    /// `None` when those changes are not all kept, or the folder did not exist then.
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

fn decrease(counts: &mut Counts, status: &Status) {
    if let Some(count) = counts.get_mut(status) {
        *count -= 1;
        if *count == 0 {
            counts.remove(status);
        }
    }
}
