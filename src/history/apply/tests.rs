//! Stories of a folder that is read once a minute.

mod entries;
mod histories;
mod times;

use std::collections::HashSet;
use std::ops::Range;

use super::*;
use crate::classify::Class;
use crate::clock::Moment;
use crate::count::{DoneFiles, MAX_REMEMBERED};
use crate::history::{Unidentified, oldest};
use crate::model::{FileKey, Timestamp};
use Status::{Done, Failed, Flagged, Pending, Processing};

const MINUTE: i64 = 60_000;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_millis(1_000 * MINUTE + minute * MINUTE)
}

/// Numbers that differ by a thousand are files with one link, of which one replaced the other.
fn key(number: u128) -> FileKey {
    FileKey {
        link: number % 1_000,
        id: number,
    }
}

/// A folder that is read once a minute.
#[derive(Default)]
struct Story {
    minute: i64,
    record: FolderRecord,
    history: FileHistory,
    oldest: ByStatus<Option<Timestamp>>,
    /// Files that became done by the last read.
    finished: usize,
}

/// A read of a folder.
#[derive(Clone, Copy)]
struct Rows<'a> {
    files: &'a [(u128, Status)],
    /// The minute in which the files were uploaded.
    created: i64,
    consistent: bool,
    /// Whether they are all rows of their status.
    are_all: bool,
    /// Whether done files were read, and not only counted.
    every_row: bool,
    /// The counts, where they need not be those of the rows.
    counts: Option<ByStatus<u64>>,
}

/// A full scan that is consistent.
fn whole(files: &[(u128, Status)]) -> Rows<'_> {
    Rows {
        files,
        created: 0,
        consistent: true,
        are_all: true,
        every_row: true,
        counts: None,
    }
}

/// A full scan that is not consistent.
fn torn(files: &[(u128, Status)]) -> Rows<'_> {
    Rows {
        consistent: false,
        ..whole(files)
    }
}

/// A read that lists every file that is not done, and counts the others by their boundaries. The files were uploaded in this minute.
fn walked(files: &[(u128, Status)], created: i64) -> Rows<'_> {
    Rows {
        created,
        every_row: false,
        ..whole(files)
    }
}

/// A read that lists some rows, and counts this number of failed files.
fn part(files: &[(u128, Status)], failed: u64) -> Rows<'_> {
    Rows {
        are_all: false,
        counts: Some(ByStatus::from_fn(|status| {
            u64::from(status == Failed) * failed
        })),
        ..walked(files, 0)
    }
}

/// A read that lists all rows of each status, and counts this number of failed files.
fn walked_with_count(files: &[(u128, Status)], failed: u64) -> Rows<'_> {
    Rows {
        are_all: true,
        ..part(files, failed)
    }
}

/// Files with one status and these numbers.
fn files(numbers: Range<u128>, status: Status) -> Vec<(u128, Status)> {
    numbers.map(|number| (number, status)).collect()
}

impl Story {
    /// A full scan of files that were uploaded just before it.
    fn read(&mut self, files: &[(u128, Status)]) -> &mut Self {
        let created = self.minute;
        self.read_rows(&Rows {
            created,
            ..whole(files)
        })
    }

    fn read_rows(&mut self, rows: &Rows<'_>) -> &mut Self {
        self.minute += 1;
        let now = Moment {
            wall: at(self.minute),
            ..Moment::now()
        };
        let read = CompletedRead {
            entry: None,
            began: now,
            ended: now,
            missing_files: 0,
            count: self.count(rows),
        };
        let before = (self.record != FolderRecord::default()).then_some(&self.record);
        let update = apply(before, &mut self.history, &read);
        let is_listed = |key: &FileKey| read.count.unfinished.contains_key(key);
        self.record = update.record;
        self.oldest = oldest(&self.history, is_listed);
        self.finished = update.finished.len();
        self
    }

    fn count(&self, rows: &Rows<'_>) -> FolderCount {
        let mut count = FolderCount {
            consistent: rows.consistent,
            whole: ByStatus::from_fn(|_| rows.are_all),
            ..FolderCount::default()
        };
        let mut noted = HashSet::new();
        for (number, status) in rows.files {
            let (key, status) = (key(*number), *status);
            count.files[status] += 1;
            if status == Done {
                noted.extend(self.remembers(*number).then_some(key));
                continue;
            }
            let class = status.has_reason();
            let file = Unfinished {
                status,
                created_at: Some(at(rows.created)),
                class: class.then(|| Class::from_label(status.as_str())),
            };
            count.unfinished.insert(key, file);
        }
        count.files = rows.counts.unwrap_or(count.files);
        if rows.every_row {
            let sizes = ByStatus::default();
            count.done = DoneFiles::Read { sizes, noted };
        }
        count
    }

    fn remembers(&self, number: u128) -> bool {
        self.history.contains_key(&key(number))
    }

    fn entries(&self, status: Status) -> u64 {
        self.record.counters.entries[status]
    }

    fn indexed(&self) -> u64 {
        self.record.counters.indexing.count
    }
}
