//! Computes a [`FolderCount`] from rows, which are added one by one and not stored. Pure.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::classify::{Classifier, Reasons};
use crate::count::{DoneFiles, FolderCount, MAX_REMEMBERED, Unfinished};
use crate::history::FileHistory;
use crate::model::{ByStatus, FileKey, FileMap, FolderSizes, Status};
use crate::portal::FileRow;

/// Adds up the rows of a folder.
#[derive(Debug, Default)]
pub struct Tally {
    context: TallyContext,
    /// Hashes of the keys of all rows: eight bytes a file. Two files with the same hash make a count look less
    /// consistent than it is, never more.
    rows: Vec<u64>,
    hasher: RandomState,
    files: ByStatus<u64>,
    sizes: FolderSizes,
    reasons: Reasons,
    /// Failed and flagged files. They have a map of their own, so that waiting files cannot use up their limit.
    with_reason: FileMap<Unfinished>,
    /// All other files that are not done.
    waiting: FileMap<Unfinished>,
    done: HashSet<FileKey>,
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
    /// How far the portal's clock is ahead of ours, in milliseconds.
    pub clock_ahead: i64,
}

impl Tally {
    /// A tally without rows.
    pub fn new(context: TallyContext) -> Self {
        Self {
            context,
            ..Self::default()
        }
    }

    pub fn add(&mut self, row: &FileRow<'_>) {
        let (key, status) = (row.key(), row.status());
        self.rows.push(self.hasher.hash_one(key));
        self.files[status] += 1;
        self.sizes[status] = self.sizes[status].saturating_add(row.size());
        let TallyContext {
            history, watched, ..
        } = &self.context;
        if status != Status::Done {
            self.add_unfinished(key, row);
        } else if history.contains_key(&key) || watched.contains(&key) {
            self.done.insert(key);
        }
    }

    /// Adds a file. Of two rows of a file, the one in the remembered status is believed, or else the later one.
    fn add_unfinished(&mut self, key: FileKey, row: &FileRow<'_>) {
        let earlier = self.with_reason.remove(&key);
        let earlier = earlier.or_else(|| self.waiting.remove(&key));
        let known = self.context.history.get(&key).map(|known| known.status);
        let earlier = earlier.filter(|file| known == Some(file.status));
        let status = earlier.as_ref().map_or(row.status(), |file| file.status);
        let files = if status.has_reason() {
            &mut self.with_reason
        } else {
            &mut self.waiting
        };
        if files.len() < MAX_REMEMBERED {
            let (context, reasons) = (&self.context, &mut self.reasons);
            let read = || Unfinished::read(row, &context.classifier, reasons, context.clock_ahead);
            let file = earlier.unwrap_or_else(read);
            files.insert(key, file);
        }
    }

    pub fn rows(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Ends the count of a folder. It is consistent if no file was added twice; the caller adds other checks.
    pub fn finish(mut self) -> FolderCount {
        self.rows.sort_unstable();
        let repeated = self.rows.windows(2).filter(|pair| pair[0] == pair[1]);
        let repeated_rows = repeated.count() as u64;
        let has_room = |files: &FileMap<Unfinished>| files.len() < MAX_REMEMBERED;
        let (with_reason, waiting) = (has_room(&self.with_reason), has_room(&self.waiting));
        let mut unfinished = self.with_reason;
        unfinished.extend(self.waiting);
        FolderCount {
            files: self.files,
            reasons: self.reasons,
            consistent: repeated_rows == 0,
            unfinished,
            whole: ByStatus::from_fn(|status| {
                if status.has_reason() {
                    with_reason
                } else {
                    waiting
                }
            }),
            done: DoneFiles::Read {
                sizes: self.sizes,
                noted: self.done,
            },
            repeated_rows,
            ..FolderCount::default()
        }
    }
}
