//! Stories of a folder that is read once a minute.

mod entries;
mod histories;
mod limit;
mod times;

use std::sync::Arc;

use super::*;
use crate::classify::{Classifier, ErrorTally};
use crate::count::{Boundaries, DoneFiles, FolderCount, MAX_REMEMBERED, hash};
use crate::model::FileMap;

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
    record: Option<FolderRecord>,
    history: FileHistory,
    classifier: Arc<Classifier>,
    oldest: ByStatus<Option<Timestamp>>,
    /// Files that became done by the last read.
    finished: usize,
}

struct Rows<'a> {
    files: &'a [(u128, Status)],
    created: i64,
    consistent: bool,
    complete: bool,
    /// Whether done files were read, and not only counted.
    every_row: bool,
}

impl Story {
    fn read(&mut self, files: &[(u128, Status)]) -> &mut Self {
        self.read_folder(&Rows {
            files,
            created: self.minute,
            consistent: true,
            complete: true,
            every_row: true,
        })
    }

    fn read_folder(&mut self, rows: &Rows<'_>) -> &mut Self {
        self.read_with_counts(rows, None)
    }

    /// A read whose counts need not be those of its rows.
    fn read_with_counts(&mut self, rows: &Rows<'_>, counts: Option<ByStatus<u64>>) -> &mut Self {
        self.minute += 1;
        let mut finished = Vec::new();
        let mut count = FolderCount {
            files: ByStatus::default(),
            errors: ErrorTally::new(self.classifier.clone()).finish(),
            consistent: rows.consistent,
            unfinished: FileMap::default(),
            complete: ByStatus::from_fn(|_| rows.complete),
            done: DoneFiles::Counted(Boundaries::default()),
            rows_read: ByStatus::default(),
            failed_page: None,
            rows_beyond: None,
            missing_rows: 0,
            requests: 1,
        };
        for (number, status) in rows.files {
            count.files[*status] += 1;
            let created_at = Some(at(rows.created));
            if *status != Status::Done {
                let status = *status;
                let file = Unfinished {
                    status,
                    created_at,
                    class: None,
                };
                count.unfinished.insert(key(*number), file);
            } else if self.history.remembers(key(*number)) {
                finished.push(key(*number));
            }
        }
        if let Some(counts) = counts {
            count.files = counts;
        }
        if rows.every_row {
            count.done = DoneFiles::Read {
                sizes: ByStatus::default(),
                finished,
                watched: Vec::new(),
                rows: Arc::new(hashes(rows.files)),
            };
        }
        crate::history::limit_rows(&mut count, &self.history);
        let read = CompletedRead {
            began: at(self.minute),
            ended: at(self.minute),
            count: &count,
        };
        let mut update = apply(self.record.as_ref(), &self.history, &read);
        self.history.update(&mut update);
        self.record = Some(update.record);
        self.oldest = update.oldest;
        self.finished = update.finished.len();
        self
    }

    fn entries(&self, status: Status) -> u64 {
        self.record.as_ref().unwrap().counters.entries[status]
    }

    fn indexed(&self) -> u64 {
        self.record.as_ref().unwrap().counters.indexing.count
    }
}

use Status::{Done, Failed, Flagged, Pending, Processing};

fn hashes(files: &[(u128, Status)]) -> Vec<u64> {
    let mut hashes: Vec<_> = files.iter().map(|(number, _)| hash(key(*number))).collect();
    hashes.sort_unstable();
    hashes
}

/// A read that was not consistent.
fn torn(files: &[(u128, Status)]) -> Rows<'_> {
    Rows {
        files,
        created: 0,
        consistent: false,
        complete: true,
        every_row: true,
    }
}

/// A consistent read of which not every row is listed.
fn counted(files: &[(u128, Status)]) -> Rows<'_> {
    Rows {
        complete: false,
        consistent: true,
        ..torn(files)
    }
}

fn whole(files: &[(u128, Status)]) -> Rows<'_> {
    Rows {
        complete: true,
        ..counted(files)
    }
}
