//! Pages of a list that is sorted by status, and where their rows stand.

use std::ops::Range;

use crate::model::StatusWord;
use crate::portal::{Order, PageRequest, Sort};

/// Names a page of the list sorted by status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId {
    /// From which end the list is paged.
    pub order: Order,
    /// From 1.
    pub number: u64,
}

impl PageId {
    /// The page at the front of the list.
    pub const FRONT: Self = Self {
        order: Order::Ascending,
        number: 1,
    };

    /// The page at its back.
    pub const BACK: Self = Self {
        order: Order::Descending,
        number: 1,
    };

    /// The request for this page.
    #[must_use]
    pub fn request(self) -> PageRequest {
        PageRequest {
            sort: Sort::Status(self.order),
            page: self.number,
        }
    }
}

/// Rows of one status that stand one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Their status.
    pub word: StatusWord,
    /// How many.
    pub files: u64,
}

/// What a page told about statuses and positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// Files in the folder.
    pub total: u64,
    /// Its rows, in the order of the page.
    pub runs: Vec<Run>,
}

impl Shown {
    /// Takes the next row.
    pub fn add(&mut self, word: StatusWord) {
        match self.runs.last_mut() {
            Some(run) if run.word == word => run.files += 1,
            _ => self.runs.push(Run { word, files: 1 }),
        }
    }

    /// Rows of the page.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.runs.iter().map(|run| run.files).sum()
    }

    /// Whether a status comes again after another: then the list is not sorted by status.
    #[must_use]
    pub fn is_unsorted(&self) -> bool {
        let returns = |at: usize| {
            let earlier = &self.runs[..at];
            earlier.iter().any(|run| run.word == self.runs[at].word)
        };
        (0..self.runs.len()).any(returns)
    }
}

/// Where pages lie in a list of so many files. Positions count from 0 at the front, whichever end a page was asked from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Files in the list.
    pub total: u64,
    /// Rows of a full page; never 0.
    pub page_size: u64,
}

impl Layout {
    /// The page with a position, from the end that is nearer.
    #[must_use]
    pub fn page_at(self, position: u64) -> PageId {
        let order = if position < self.total / 2 {
            Order::Ascending
        } else {
            Order::Descending
        };
        self.page_in(order, position)
    }

    /// The page with a position, from one end.
    #[must_use]
    pub fn page_in(self, order: Order, position: u64) -> PageId {
        let depth = match order {
            Order::Ascending => position,
            Order::Descending => self.total.saturating_sub(position + 1),
        };
        PageId {
            order,
            number: depth / self.page_size + 1,
        }
    }

    /// The positions of a page with so many rows.
    #[must_use]
    pub fn span(self, page: PageId, rows: u64) -> Range<u64> {
        self.rows_of(page, 0..rows)
    }

    /// The positions of a page's rows, each with its status, front to back.
    pub fn place(
        self,
        page: PageId,
        shown: &Shown,
    ) -> impl Iterator<Item = (Range<u64>, StatusWord)> {
        let mut end = 0;
        shown.runs.clone().into_iter().map(move |run| {
            let start = end;
            end += run.files;
            (self.rows_of(page, start..end), run.word)
        })
    }

    /// The positions of some rows of a page, which count from 0 in the order of the page.
    fn rows_of(self, page: PageId, rows: Range<u64>) -> Range<u64> {
        let before = (page.number - 1).saturating_mul(self.page_size);
        let depth = |row| before.saturating_add(row).min(self.total);
        let (near, far) = (depth(rows.start), depth(rows.end));
        match page.order {
            Order::Ascending => near..far,
            Order::Descending => self.total - far..self.total - near,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status;

    const LAYOUT: Layout = Layout {
        total: 250,
        page_size: 100,
    };

    fn page(order: Order, number: u64) -> PageId {
        PageId { order, number }
    }

    #[test]
    fn pages_from_the_back_are_counted_from_the_last_file() {
        assert_eq!(LAYOUT.span(page(Order::Ascending, 3), 50), 200..250);
        assert_eq!(LAYOUT.span(PageId::BACK, 100), 150..250);
        assert_eq!(LAYOUT.span(page(Order::Descending, 3), 50), 0..50);
        assert_eq!(LAYOUT.page_at(124), page(Order::Ascending, 2));
        assert_eq!(LAYOUT.page_at(125), page(Order::Descending, 2));
        assert_eq!(LAYOUT.page_at(249), PageId::BACK);
    }

    #[test]
    fn rows_from_the_back_stand_the_other_way_round() {
        let mut shown = Shown::default();
        for status in [Status::Failed, Status::Done, Status::Done] {
            shown.add(status.into());
        }
        let placed: Vec<_> = LAYOUT.place(PageId::BACK, &shown).collect();
        assert_eq!(
            placed,
            [
                (249..250, Status::Failed.into()),
                (247..249, Status::Done.into())
            ]
        );
    }

    #[test]
    fn a_status_that_returns_is_noticed() {
        let mut shown = Shown::default();
        for status in [Status::Done, Status::Failed, Status::Failed] {
            shown.add(status.into());
            assert!(!shown.is_unsorted());
        }
        shown.add(Status::Done.into());
        assert!(shown.is_unsorted());
    }
}
