//! A folder and its files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Waiting { until: u32 },
    Done,
    Failed,
}

/// What happens to a file when it is processed, whatever the portal's state is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Good,
    /// It fails each time, with this class.
    Bad(&'static str),
    /// It fails each time, each time with another text.
    BadInOtherWords,
    /// It fails the first time.
    FailsOnce,
    /// Three times in ten it does not fail.
    Partial,
}

#[derive(Debug, Clone)]
pub struct File {
    pub status: Status,
    /// The class of its last error, and since when it is failed.
    pub class: Arc<str>,
    pub since: u32,
    pub(super) fate: Fate,
    /// How often it was processed.
    pub(super) processed: u32,
    /// When the cause of a failure that may pass ended, or will end: the file may come back from then on.
    pub helpable_from: Option<u32>,
    /// Whether the broken worker was that cause.
    pub(super) of_worker: bool,
    /// Whether it was sent and not processed since.
    pub(super) sent: bool,
}

#[derive(Debug, Default)]
pub struct Folder {
    pub files: BTreeMap<u128, File>,
    /// Those that are not done.
    pub open: BTreeSet<u128>,
    pub done: u64,
}

impl Folder {
    pub fn failed(&self) -> impl Iterator<Item = (u128, &File)> {
        self.open()
            .filter(|(_, file)| file.status == Status::Failed)
    }

    pub(super) fn open(&self) -> impl Iterator<Item = (u128, &File)> {
        self.open.iter().map(|id| (*id, &self.files[id]))
    }

    pub fn waiting(&self) -> u64 {
        let waits = |(_, file): &(u128, &File)| matches!(file.status, Status::Waiting { .. });
        self.open().filter(waits).count() as u64
    }

    pub(super) fn upload(&mut self, id: u128, fate: Fate, until: u32) {
        self.open.insert(id);
        let file = File {
            status: Status::Waiting { until },
            class: "".into(),
            since: 0,
            fate,
            processed: 0,
            helpable_from: None,
            of_worker: false,
            sent: false,
        };
        self.files.insert(id, file);
    }

    /// Deletes the oldest file that is not done, if it failed.
    pub(super) fn delete(&mut self) {
        let oldest = self.open.first().copied();
        if let Some(id) = oldest.filter(|id| self.files[id].status == Status::Failed) {
            self.open.remove(&id);
            self.files.remove(&id);
        }
    }
}
