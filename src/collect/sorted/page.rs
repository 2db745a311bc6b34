//! The rows of one page, read for their statuses.

use std::ops::Range;

use crate::classify::ReasonReader;
use crate::collect::layout::comes_again;
use crate::count::Unfinished;
use crate::model::{FileKey, Status, StatusWord};
use crate::portal::{PageBody, Pagination, PortalError};

pub(super) struct PageRows {
    pub pagination: Pagination,
    /// The statuses of the rows in their order: each run with its number of files.
    runs: Vec<(StatusWord, u64)>,
    /// The files that are not done.
    pub files: Vec<(FileKey, Unfinished)>,
    /// The files of all rows, in the order of their keys.
    keys: Vec<FileKey>,
}

impl PageRows {
    pub fn read(
        body: &PageBody,
        reasons: &mut ReasonReader,
        clock_ahead: i64,
    ) -> Result<Self, PortalError> {
        let mut runs: Vec<(StatusWord, u64)> = Vec::new();
        let (mut files, mut keys) = (Vec::new(), Vec::new());
        let page = body.read(|row| {
            let (status, word) = (row.status(), row.word());
            match runs.last_mut() {
                Some(run) if run.0 == word => run.1 += 1,
                _ => runs.push((word, 1)),
            }
            keys.push(row.key());
            if status != Status::Done {
                files.push((row.key(), Unfinished::read(&row, reasons, clock_ahead)));
            }
        })?;
        keys.sort_unstable();
        Ok(Self {
            pagination: page.pagination,
            runs,
            files,
            keys,
        })
    }

    /// The files of all rows, in the order of their keys.
    pub fn keys(&self) -> &[FileKey] {
        &self.keys
    }

    /// Whether no file is on the page twice.
    pub fn is_distinct(&self) -> bool {
        self.keys.windows(2).all(|pair| pair[0] != pair[1])
    }

    pub fn total(&self) -> u64 {
        self.pagination.total
    }

    pub fn rows(&self) -> u64 {
        self.runs.iter().map(|(_, files)| files).sum()
    }

    /// The same rows from the last to the first.
    pub fn reversed(mut self) -> Self {
        self.runs.reverse();
        self
    }

    pub fn is_unsorted(&self) -> bool {
        comes_again(self.runs.iter().map(|(word, _)| word))
    }

    /// The positions of the runs, where the page begins at this one. A page may have more rows than the total allows.
    pub fn positions(&self, start: u64) -> impl Iterator<Item = (Range<u64>, StatusWord)> {
        let mut end = start;
        self.runs.iter().map(move |(word, files)| {
            let start = end;
            end = end.saturating_add(*files);
            (start..end, *word)
        })
    }
}
