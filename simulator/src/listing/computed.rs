//! The list of a folder that computes its files: a page takes as long as a page is large.

use std::borrow::Cow;
use std::ops::Range;

use super::order::{Key, Sorted, rank};
use super::{Row, SortBy};
use crate::format::FORMATS;
use crate::options::Switches;
use crate::synthetic::{self, File, Run, Synthetic};

/// All files of a folder, sorted.
pub(super) struct Computed<'a> {
    files: &'a Synthetic,
    switches: &'a Switches,
    /// Runs with the positions of their rows, ascending; none when the files are sorted by name.
    runs: Option<Vec<(&'a Run, Range<usize>)>>,
}

impl<'a> Computed<'a> {
    /// Only names and statuses have an order here.
    pub fn new(files: &'a Synthetic, by: SortBy, switches: &'a Switches) -> Self {
        let runs = (by == SortBy::IndexStatus).then(|| {
            let mut runs: Vec<_> = files.runs().iter().collect();
            runs.sort_by_key(|run| rank(switches, &run.status));
            let mut next = 0;
            let placed = runs.into_iter().map(|run| {
                let start = next;
                next += run.slots.len();
                (run, start..next)
            });
            placed.collect()
        });
        Self {
            files,
            switches,
            runs,
        }
    }

    fn file(&self, at: usize) -> Option<File<'a>> {
        let Some(runs) = &self.runs else {
            return self.files.by_name(at);
        };
        let (run, rows) = runs.get(runs.partition_point(|(_, rows)| rows.end <= at))?;
        Some(self.files.in_run(run, at - rows.start))
    }
}

impl<'a> Sorted<'a> for Computed<'a> {
    fn len(&self) -> usize {
        self.files.len()
    }

    fn key(&self, at: usize) -> Option<Key<'a>> {
        let file = self.file(at)?;
        Some(match self.runs {
            Some(_) => Key::Status(rank(self.switches, file.status)),
            None => Key::Name(file.filename().into()),
        })
    }

    fn row(&self, at: usize) -> Option<Row<'a>> {
        let file = self.file(at)?;
        Some(Row {
            link_id: file.link_id,
            id: file.id,
            filename: Cow::Owned(file.filename()),
            file_size: synthetic::SIZE,
            mime_type: FORMATS[0].mime,
            index_status: file.status,
            index_error: file.error().map(Cow::Owned),
            created_at: file.created,
        })
    }
}
