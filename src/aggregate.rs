//! Computes a [`FolderCount`] from rows, which are added one by one and not stored. Pure.

use std::collections::HashSet;
use std::sync::Arc;

use crate::classify::{Classifier, ErrorTally};
use crate::count::{DoneFiles, FolderCount, MAX_REMEMBERED, Unfinished, hash};
use crate::history::FileHistory;
use crate::model::{ByStatus, FileKey, FileMap, FolderSizes, Status};
use crate::portal::FileRow;

/// Adds up the rows of a folder.
#[derive(Debug)]
pub struct Tally {
    context: TallyContext,
    /// Hashes of the keys of all rows: eight bytes a file. Two files with the same hash make a count look less
    /// consistent than it is, never more.
    rows: Vec<u64>,
    files: ByStatus<u64>,
    sizes: FolderSizes,
    errors: ErrorTally,
    /// Failed and flagged files. They have a map of their own, so that waiting files cannot use up their limit.
    with_reason: FileMap<Unfinished>,
    /// All other files that are not done.
    waiting: FileMap<Unfinished>,
    complete: ByStatus<bool>,
    finished: Vec<FileKey>,
    watched: Vec<FileKey>,
}

/// Facts about a folder before its rows are read.
#[derive(Debug, Clone, Default)]
pub struct TallyContext {
    /// The files that were not done before.
    pub history: Arc<FileHistory>,
    /// The files that the ledger watches: whether they are done must be noted.
    pub watched: Arc<HashSet<FileKey>>,
    /// Finds the class of a reason.
    pub classifier: Arc<Classifier>,
}

impl Tally {
    /// A tally without rows.
    pub fn new(context: TallyContext) -> Self {
        Self {
            errors: ErrorTally::new(Arc::clone(&context.classifier)),
            context,
            rows: Vec::new(),
            files: ByStatus::default(),
            sizes: FolderSizes::default(),
            with_reason: FileMap::default(),
            waiting: FileMap::default(),
            complete: ByStatus::from_fn(|_| true),
            finished: Vec::new(),
            watched: Vec::new(),
        }
    }

    pub fn add(&mut self, row: &FileRow<'_>) {
        let (key, status) = (row.key(), row.status());
        self.rows.push(hash(key));
        self.files[status] += 1;
        self.sizes[status] = self.sizes[status].saturating_add(row.size());
        if status == Status::Done {
            self.add_done(key);
        } else {
            self.add_unfinished(key, row);
        }
    }

    fn add_done(&mut self, key: FileKey) {
        if self.context.history.remembers(key) {
            self.finished.push(key);
        }
        if self.context.watched.contains(&key) {
            self.watched.push(key);
        }
    }

    fn add_unfinished(&mut self, key: FileKey, row: &FileRow<'_>) {
        let status = row.status();
        let (files, class) = if Status::WITH_REASON.contains(&status) {
            let class = self.errors.add(status, row.reason());
            (&mut self.with_reason, Some(class))
        } else {
            (&mut self.waiting, None)
        };
        if files.len() < MAX_REMEMBERED {
            let file = Unfinished {
                status,
                created_at: row.created_at(),
                class,
            };
            files.insert(key, file);
        } else {
            self.complete[status] = false;
        }
    }

    pub fn rows(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Files of a status, counted so far.
    pub fn files(&self, status: Status) -> u64 {
        self.files[status]
    }

    /// Ends the count. It is consistent if no file was added twice; the caller adds other checks.
    pub fn finish(mut self) -> FolderCount {
        self.rows.sort_unstable();
        // They may be remembered until the next count.
        self.rows.shrink_to_fit();
        let mut unfinished = self.with_reason;
        unfinished.extend(self.waiting);
        FolderCount {
            files: self.files,
            errors: self.errors.finish(),
            consistent: self.rows.windows(2).all(|pair| pair[0] != pair[1]),
            unfinished,
            complete: self.complete,
            done: DoneFiles::Read {
                sizes: self.sizes,
                finished: self.finished,
                watched: self.watched,
                rows: Arc::new(self.rows),
            },
            rows_read: ByStatus::default(),
            failed_page: None,
            rows_beyond: None,
            missing_rows: 0,
            requests: 0,
        }
    }
}
