//! The rows of a status that are read over several reads.

use std::collections::HashSet;

use foldhash::quality::RandomState;

use crate::count::{FolderCount, RowsRead};
use crate::model::{FileKey, Status};

/// The reads of a status since one that began at the first page of its rows. Not stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// The page of the status at which the next read goes on; 0 if it begins another turn.
    pub next: u64,
    /// Whether all reads were consistent.
    is_consistent: bool,
    /// The files that reads before the last one of the turn listed.
    listed: HashSet<FileKey, RandomState>,
}

impl Turn {
    /// Whether rows go on where the turn ended.
    const fn goes_on(&self, rows: RowsRead) -> bool {
        rows.from > 0 && rows.from == self.next
    }

    /// Whether rows end a turn whose reads were all consistent.
    pub const fn ends(&self, rows: RowsRead, is_consistent: bool) -> bool {
        let began = rows.from == 0 || (self.goes_on(rows) && self.is_consistent);
        is_consistent && began && rows.next.is_none()
    }

    /// Whether an earlier read of the turn that these rows belong to listed a file.
    pub fn has_listed(&self, rows: RowsRead, key: FileKey) -> bool {
        self.goes_on(rows) && self.listed.contains(&key)
    }

    /// Whether a read listed a file, before the last one of the latest turn.
    pub fn listed(&self, key: FileKey) -> bool {
        self.listed.contains(&key)
    }

    /// The turn after another read.
    pub fn add(&mut self, status: Status, count: &FolderCount) {
        let rows = count.rows_read[status];
        if !self.goes_on(rows) {
            *self = Self {
                is_consistent: rows.from == 0,
                ..Self::default()
            };
        }
        self.is_consistent &= count.consistent;
        self.next = rows.next.unwrap_or(0);
        if self.next > 0 {
            let files = count.unfinished.iter();
            let files = files.filter(|(_, file)| file.status == status);
            self.listed.extend(files.map(|(key, _)| *key));
        }
    }
}
