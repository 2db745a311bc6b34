//! From rows to counts. Pure: rows go in one by one and are not kept, a [`Reading`] comes out.

use std::collections::HashSet;
use std::sync::Arc;

use crate::classify::{ClassNumber, Classifier, ErrorTally};
use crate::history::{self, FileHistory};
use crate::model::{ByStatus, FileKey, FileMap, FolderSizes, Status, Timestamp};
use crate::portal::FileRow;
use crate::reading::{DoneFiles, MAX_REMEMBERED, Reading, Unfinished, hash};

/// Adds up rows.
#[derive(Debug)]
pub struct Tally {
    history: Arc<FileHistory>,
    watched: Arc<HashSet<FileKey>>,
    /// Hashes of the keys of all rows: eight bytes a file. Two files with one hash make a reading read less
    /// consistent than it is, never more.
    seen: Vec<u64>,
    counts: ByStatus<u64>,
    sizes: FolderSizes,
    errors: ErrorTally,
    /// Failed and flagged files; those that wait cannot crowd them out.
    settled: FileMap<Unfinished>,
    /// Files that wait, are processed, or are in an unknown state.
    waiting: FileMap<Unfinished>,
    fits: ByStatus<bool>,
    finished: Vec<FileKey>,
    watched_done: Vec<FileKey>,
}

/// What is known of a folder and its reasons before its rows are read.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The files that were not done before.
    pub history: Arc<FileHistory>,
    /// Files about which somebody wants to know whether they are done.
    pub watched: Arc<HashSet<FileKey>>,
    /// What reasons mean.
    pub classifier: Arc<Classifier>,
}

impl Tally {
    /// Begins with nothing.
    #[must_use]
    pub fn new(known: Known) -> Self {
        Self {
            history: known.history,
            watched: known.watched,
            seen: Vec::new(),
            counts: ByStatus::default(),
            sizes: FolderSizes::default(),
            errors: ErrorTally::new(known.classifier),
            settled: FileMap::default(),
            waiting: FileMap::default(),
            fits: ByStatus::from_fn(|_| true),
            finished: Vec::new(),
            watched_done: Vec::new(),
        }
    }

    /// Counts one row.
    pub fn add(&mut self, row: &FileRow<'_>) {
        let (key, status) = (row.key(), row.status());
        self.seen.push(hash(key));
        self.counts[status] += 1;
        self.sizes[status] = self.sizes[status].saturating_add(row.size());
        match status {
            Status::Done => self.add_done(key),
            Status::Failed | Status::Flagged => {
                let class = self.errors.add(status, row.error());
                self.add_unfinished(key, status, row.created_at(), Some(class));
            }
            Status::Pending | Status::Processing | Status::Unknown => {
                self.add_unfinished(key, status, row.created_at(), None);
            }
        }
    }

    fn add_done(&mut self, key: FileKey) {
        if self.history.remembers(key) {
            self.finished.push(key);
        }
        if self.watched.contains(&key) {
            self.watched_done.push(key);
        }
    }

    fn add_unfinished(
        &mut self,
        key: FileKey,
        status: Status,
        created_at: Option<Timestamp>,
        class: Option<ClassNumber>,
    ) {
        let files = if Status::WITH_REASON.contains(&status) {
            &mut self.settled
        } else {
            &mut self.waiting
        };
        if files.len() < MAX_REMEMBERED {
            let file = Unfinished {
                status,
                created_at,
                class,
            };
            files.insert(key, file);
        } else {
            self.fits[status] = false;
        }
    }

    /// Rows counted so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.seen.len() as u64
    }

    /// Files of a status, counted so far.
    #[must_use]
    pub fn files(&self, status: Status) -> u64 {
        self.counts[status]
    }

    /// Ends the count.
    #[must_use]
    pub fn finish(mut self) -> Reading {
        self.seen.sort_unstable();
        let distinct = self.seen.windows(2).all(|pair| pair[0] != pair[1]);
        let mut unfinished = self.settled;
        unfinished.extend(self.waiting);
        let unfinished = history::fit(unfinished, &self.history, &mut self.fits);
        Reading {
            counts: self.counts,
            errors: self.errors.finish(),
            distinct,
            unfinished,
            fits: self.fits,
            done: DoneFiles::Read {
                sizes: self.sizes,
                finished: self.finished,
                watched: self.watched_done,
                rows: self.seen,
            },
        }
    }
}
