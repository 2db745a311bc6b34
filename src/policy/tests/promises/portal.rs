//! The folders of a portal in memory.

use std::collections::BTreeMap;

use super::*;
use crate::policy::judge::Observation;

/// Number of folders.
pub(super) const FOLDERS: u128 = 3;

/// The class of one file in four; the others time out.
pub(super) const POISON: &str = "poison";

/// What becomes of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Answer {
    Accepted,
    Refused(u16),
    /// The answer does not arrive.
    Lost {
        worked: bool,
    },
    /// The program ends before or after the request is sent.
    Crash {
        sent: bool,
    },
}

#[derive(Debug, Clone)]
pub(super) struct File {
    key: FileKey,
    status: Status,
    /// When a read saw it failed first: as the program stores it, and by the clock that nobody sets.
    pub failed_since: Option<(Timestamp, Duration)>,
    /// When a request queued it, until it is processed.
    requeued: Option<Duration>,
}

/// Files by their link.
#[derive(Debug, Default)]
pub(super) struct Folder {
    files: BTreeMap<u128, File>,
}

impl File {
    fn new(key: FileKey) -> Self {
        Self {
            key,
            status: Status::Pending,
            failed_since: None,
            requeued: None,
        }
    }

    pub fn class(&self) -> &'static str {
        if self.key.link.is_multiple_of(4) {
            POISON
        } else {
            "timeout"
        }
    }

    fn waits(&self) -> bool {
        matches!(self.status, Status::Pending | Status::Processing)
    }
}

impl Folder {
    pub fn upload(&mut self, number: u128) {
        self.files.insert(number, File::new(key(number)));
    }

    /// Replaces the oldest file.
    pub fn replace(&mut self, id: u128) {
        if let Some(mut oldest) = self.files.first_entry() {
            let link = *oldest.key();
            oldest.insert(File::new(FileKey { link, id }));
        }
    }

    pub fn process(&mut self, statuses: [Status; 3]) {
        for (number, file) in (0..).zip(self.files.values_mut()) {
            if file.waits() {
                file.status = statuses[number % 3];
                file.requeued = file.requeued.filter(|_| file.waits());
                file.failed_since = None;
            }
        }
    }

    /// Notes which files are failed at a read.
    pub fn read(&mut self, now: (Timestamp, Duration)) {
        let failed = self.files.values_mut();
        for file in failed.filter(|file| file.status == Status::Failed) {
            file.failed_since.get_or_insert(now);
        }
    }

    /// Queues the failed files, and returns how many these are.
    pub fn requeue(&mut self, now: Duration) -> u64 {
        let files = self.files.values_mut();
        let failed = files.filter(|file| file.status == Status::Failed);
        let queued = failed.map(|file| {
            file.status = Status::Pending;
            file.requeued = Some(now);
        });
        queued.count() as u64
    }

    pub fn failed(&self) -> impl Iterator<Item = (FileKey, &File)> {
        let files = self.files.values();
        let failed = files.filter(|file| file.status == Status::Failed);
        failed.map(|file| (file.key, file))
    }

    /// The same as the program knows them.
    pub fn failed_files(&self) -> Vec<FailedFile> {
        let known = |(key, file): (FileKey, &File)| FailedFile {
            key,
            since: file.failed_since.unwrap().0,
            class: class(file.class()),
        };
        self.failed().map(known).collect()
    }

    pub fn seen(&self, key: FileKey) -> Observation {
        match self.files.get(&{ key.link }).filter(|file| file.key == key) {
            Some(file) => Observation::Status(file.status),
            None => Observation::Absent,
        }
    }

    /// When the files that wait because of a request were queued.
    pub fn requeued(&self) -> impl Iterator<Item = Duration> {
        self.files.values().filter_map(|file| file.requeued)
    }

    pub fn counts(&self) -> ByStatus<u64> {
        let mut counts = ByStatus::<u64>::default();
        for file in self.files.values() {
            counts[file.status] += 1;
        }
        counts
    }
}
