//! Stories of a folder that is read once a minute.

mod entries;
mod histories;
mod limit;
mod times;

use std::collections::BTreeMap;
use std::ops::Range;

use super::*;
use crate::classify::{Class, ReasonReader};
use crate::clock::Moment;
use crate::count::{Boundaries, DoneFiles, FolderCount, MAX_REMEMBERED};
use crate::history::Unidentified;
use crate::model::FileKey;

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
    /// Failed and flagged files by class.
    classes: BTreeMap<String, u64>,
    oldest: ByStatus<Option<Timestamp>>,
    /// Files that became done by the last read.
    finished: usize,
}

#[derive(Clone, Copy)]
struct Rows<'a> {
    files: &'a [(u128, Status)],
    created: i64,
    consistent: bool,
    /// Whether they are all rows of their status.
    are_all: bool,
    /// Whether done files were read, and not only counted.
    every_row: bool,
}

impl Story {
    fn read(&mut self, files: &[(u128, Status)]) -> &mut Self {
        self.read_folder(&Rows {
            files,
            created: self.minute,
            consistent: true,
            are_all: true,
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
            examples: ReasonReader::default().finish(),
            consistent: rows.consistent,
            whole: ByStatus::from_fn(|_| rows.are_all),
            ..FolderCount::empty(DoneFiles::Counted(Boundaries::default()))
        };
        for (number, status) in rows.files {
            count.files[*status] += 1;
            let created_at = Some(at(rows.created));
            if *status != Status::Done {
                let status = *status;
                let file = Unfinished {
                    status,
                    created_at,
                    class: status
                        .has_reason()
                        .then(|| Class::from_label(status.as_str())),
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
            };
        }
        crate::history::limit_rows(&mut count, &self.history);
        let now = Moment {
            wall: at(self.minute),
            ..Moment::now()
        };
        let read = CompletedRead {
            entry: None,
            began: now,
            ended: now,
            missing_files: 0,
            count,
        };
        let count = &read.count;
        let update = apply(self.record.as_ref(), &self.history, &read);
        let (changed, forgotten) = (update.changed, update.forgotten);
        self.history.update(changed, &forgotten);
        self.record = Some(update.record);
        self.oldest = self.history.oldest(count);
        let classes = self.history.classes(count).files.into_iter();
        let classes = classes.map(|(class, files)| (class.to_string(), files.total()));
        self.classes = classes.collect();
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

fn unidentified(story: &Story, status: Status) -> Unidentified {
    story.record.as_ref().unwrap().unidentified[status]
}

/// A read that was not consistent.
fn torn(files: &[(u128, Status)]) -> Rows<'_> {
    Rows {
        files,
        created: 0,
        consistent: false,
        are_all: true,
        every_row: true,
    }
}

fn whole(files: &[(u128, Status)]) -> Rows<'_> {
    Rows {
        consistent: true,
        ..torn(files)
    }
}

/// A read that lists every file that is not done, and counts the others by their boundaries.
fn walked(files: &[(u128, Status)]) -> Rows<'_> {
    Rows {
        every_row: false,
        ..whole(files)
    }
}

/// The same with the rows of some pages.
fn part(files: &[(u128, Status)]) -> Rows<'_> {
    Rows {
        are_all: false,
        ..walked(files)
    }
}

fn counts(of: &[(Status, u64)]) -> ByStatus<u64> {
    let mut counts = ByStatus::default();
    for (status, files) in of {
        counts[*status] = *files;
    }
    counts
}

/// Files with one status and these numbers.
fn files(numbers: Range<u128>, status: Status) -> Vec<(u128, Status)> {
    numbers.map(|number| (number, status)).collect()
}
