//! The rows of a status that are read over several reads.

use std::collections::HashSet;

use foldhash::quality::RandomState;

use crate::count::{FolderCount, RowsRead};
use crate::model::{FileKey, Status};

/// The reads of a status since one that began at the first page of its rows; `None` if one read reads them all, as in most folders. Not stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Turn(Option<Box<Reads>>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Reads {
    /// The page of the status at which the next read goes on; 0 if it begins another turn.
    next: u64,
    /// Whether all reads were consistent.
    are_consistent: bool,
    /// The files that reads before the last one of the turn listed.
    listed: HashSet<FileKey, RandomState>,
}

impl Reads {
    /// Whether rows go on where they ended.
    const fn go_on(&self, rows: RowsRead) -> bool {
        rows.from > 0 && rows.from == self.next
    }
}

impl Turn {
    /// The page of the status at which the next read begins.
    pub fn next(&self) -> u64 {
        self.0.as_ref().map_or(0, |reads| reads.next)
    }

    /// The earlier reads of the turn that rows belong to.
    fn before(&self, rows: RowsRead) -> Option<&Reads> {
        self.0.as_deref().filter(|reads| reads.go_on(rows))
    }

    /// Whether rows end a turn whose reads were all consistent.
    pub fn ends(&self, rows: RowsRead, is_consistent: bool) -> bool {
        let before = self.before(rows);
        let began = rows.from == 0 || before.is_some_and(|reads| reads.are_consistent);
        is_consistent && began && rows.next.is_none()
    }

    /// Whether an earlier read of the turn that these rows belong to listed a file.
    pub fn has_listed(&self, rows: RowsRead, key: FileKey) -> bool {
        let before = self.before(rows);
        before.is_some_and(|reads| reads.listed.contains(&key))
    }

    /// Whether a read listed a file, before the last one of the latest turn.
    pub fn listed(&self, key: FileKey) -> bool {
        let reads = self.0.as_ref();
        reads.is_some_and(|reads| reads.listed.contains(&key))
    }

    /// The turn after another read.
    pub fn add(&mut self, status: Status, count: &FolderCount) {
        let rows = count.rows_read[status];
        let before = self.0.take().filter(|reads| reads.go_on(rows));
        if before.is_none() && rows.next.is_none() {
            return;
        }
        let mut reads = before.unwrap_or_else(|| {
            Box::new(Reads {
                next: 0,
                are_consistent: rows.from == 0,
                listed: HashSet::default(),
            })
        });
        reads.are_consistent &= count.consistent;
        reads.next = rows.next.unwrap_or(0);
        if reads.next > 0 {
            let files = count.unfinished.iter();
            let files = files.filter(|(_, file)| file.status == status);
            reads.listed.extend(files.map(|(key, _)| *key));
        }
        self.0 = Some(reads);
    }
}
