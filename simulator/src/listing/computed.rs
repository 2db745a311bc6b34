//! The list of a folder that computes its files: a page takes as long as a page is large.

use std::borrow::Cow;
use std::ops::Range;

use super::order::{Pages, is_named, rank};
use super::{FilePage, Row, SortBy};
use crate::format::FORMATS;
use crate::synthetic::{self, File, Run, Synthetic};

/// A page of all files of a folder.
pub(super) fn page<'a>(files: &'a Synthetic, by: SortBy, pages: &Pages) -> FilePage<'a> {
    match by {
        SortBy::Filename | SortBy::Creation | SortBy::FilenameWithoutCase => {
            let row = |at| files.by_name(at).map(Row::from);
            pages.page(files.len(), files.len(), row)
        }
        SortBy::IndexStatus => ByStatus::new(files, pages).page(),
    }
}

/// The order by status: runs as the switches order their statuses.
struct ByStatus<'a, 'b> {
    files: &'a Synthetic,
    pages: &'b Pages<'b>,
    /// Runs with the places that they take, ascending.
    runs: Vec<(&'a Run, Range<usize>)>,
    /// Files whose status the switches name.
    named: usize,
}

impl<'a, 'b> ByStatus<'a, 'b> {
    fn new(files: &'a Synthetic, pages: &'b Pages) -> Self {
        let mut runs: Vec<_> = files.runs().iter().collect();
        runs.sort_by_key(|run| rank(pages.switches, &run.status));
        let mut next = 0;
        let place = |run: &'a Run| {
            let places = next..next + run.slots.len();
            next = places.end;
            (run, places)
        };
        let runs: Vec<_> = runs.into_iter().map(place).collect();
        let unnamed = runs
            .iter()
            .position(|(run, _)| !is_named(pages.switches, &run.status));
        let named = unnamed.map_or(files.len(), |at| runs[at].1.start);
        Self {
            files,
            pages,
            runs,
            named,
        }
    }

    fn page(&self) -> FilePage<'a> {
        let total = self.files.len();
        self.pages.page(total, self.named, |at| self.row(at))
    }

    fn row(&self, at: usize) -> Option<Row<'a>> {
        let at = self.pages.equal.instead_of(at, || self.equals(at));
        let (run, places) = self.runs.get(self.run(at))?;
        Some(self.files.in_run(run, at - places.start).into())
    }

    /// Which run the row at a place lies in.
    fn run(&self, at: usize) -> usize {
        self.runs.partition_point(|(_, places)| places.end <= at)
    }

    /// The places of all rows of the status that the row at a place has.
    fn equals(&self, at: usize) -> Range<usize> {
        let rank = |run: &'a Run| rank(self.pages.switches, &run.status);
        let own = rank(self.runs[self.run(at)].0);
        let first = self.runs.partition_point(|(run, _)| rank(run) < own);
        let end = self.runs.partition_point(|(run, _)| rank(run) <= own);
        self.runs[first].1.start..self.runs[end - 1].1.end
    }
}

impl<'a> From<File<'a>> for Row<'a> {
    fn from(file: File<'a>) -> Self {
        Self {
            link_id: file.link_id,
            id: file.id,
            filename: Cow::Owned(file.filename()),
            size: synthetic::SIZE,
            mime: FORMATS[0].mime,
            status: file.status,
            error: file.error().map(Cow::Owned),
            created: file.created,
        }
    }
}
