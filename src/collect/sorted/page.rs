//! Pages of a list that is sorted by status, and where their rows are.

use std::ops::Range;

use crate::model::StatusWord;
use crate::portal::PageRequest;

/// The number of a page of the list sorted by status, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageNumber(pub u64);

impl PageNumber {
    /// The first page of the list.
    pub const FIRST: Self = Self(1);

    pub fn request(self) -> PageRequest {
        PageRequest::by_status(self.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusRun {
    pub word: StatusWord,
    pub files: u64,
}

/// The statuses of a page's rows, in their order, and the total that the page gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageStatuses {
    pub total: u64,
    pub runs: Vec<StatusRun>,
}

impl PageStatuses {
    pub fn add(&mut self, word: StatusWord) {
        match self.runs.last_mut() {
            Some(run) if run.word == word => run.files += 1,
            _ => self.runs.push(StatusRun { word, files: 1 }),
        }
    }

    pub fn rows(&self) -> u64 {
        self.runs.iter().map(|run| run.files).sum()
    }

    /// Whether a status occurs again after another: then these rows are not sorted by status.
    pub fn is_unsorted(&self) -> bool {
        comes_again(&self.runs, |run| run.word)
    }
}

/// Whether a value occurs again after another one.
pub(super) fn comes_again<T, V: PartialEq>(runs: &[T], value: impl Fn(&T) -> V) -> bool {
    let values: Vec<_> = runs.iter().map(value).collect();
    let is_again = |at: usize| values[..at].contains(&values[at]);
    (0..values.len()).any(is_again)
}

/// Where pages are in a list of this number of files. Positions count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Files in the list, by the portal's total.
    pub total: u64,
    /// Rows of a full page; never 0.
    pub page_size: u64,
}

impl Layout {
    /// The page that holds a position.
    pub fn page_of(self, position: u64) -> PageNumber {
        PageNumber(position / self.page_size + 1)
    }

    /// The last page, by the total.
    pub fn last_page(self) -> PageNumber {
        self.page_of(self.total.saturating_sub(1))
    }

    /// The position of a page's first row.
    pub fn start_of(self, page: PageNumber) -> u64 {
        page.0.saturating_sub(1).saturating_mul(self.page_size)
    }

    /// The positions of a page, cut at the total.
    pub fn span(self, page: PageNumber) -> Range<u64> {
        let start = self.start_of(page).min(self.total);
        start..start.saturating_add(self.page_size).min(self.total)
    }

    /// The positions of a page's rows, each range with its status. A page may have more rows than the total allows.
    pub fn positions(
        self,
        page: PageNumber,
        statuses: &PageStatuses,
    ) -> impl Iterator<Item = (Range<u64>, StatusWord)> {
        let mut end = self.start_of(page);
        statuses.runs.clone().into_iter().map(move |run| {
            let start = end;
            end = end.saturating_add(run.files);
            (start..end, run.word)
        })
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

    #[test]
    fn pages_are_counted_from_the_front_and_cut_at_the_total() {
        assert_eq!(LAYOUT.span(PageNumber::FIRST), 0..100);
        assert_eq!(LAYOUT.span(PageNumber(3)), 200..250);
        assert_eq!(LAYOUT.span(PageNumber(4)), 250..250);
        assert_eq!(LAYOUT.page_of(199), PageNumber(2));
        assert_eq!(LAYOUT.last_page(), PageNumber(3));
        let empty = Layout { total: 0, ..LAYOUT };
        assert_eq!(empty.last_page(), PageNumber::FIRST);
    }

    #[test]
    fn rows_have_positions_in_their_order() {
        let mut statuses = PageStatuses::default();
        for status in [Status::Failed, Status::Done, Status::Done] {
            statuses.add(status.into());
        }
        let positions: Vec<_> = LAYOUT.positions(PageNumber(2), &statuses).collect();
        assert_eq!(
            positions,
            [
                (100..101, Status::Failed.into()),
                (101..103, Status::Done.into())
            ]
        );
    }

    #[test]
    fn a_status_that_returns_is_noticed() {
        let mut statuses = PageStatuses::default();
        for status in [Status::Done, Status::Failed, Status::Failed] {
            statuses.add(status.into());
            assert!(!statuses.is_unsorted());
        }
        statuses.add(Status::Done.into());
        assert!(statuses.is_unsorted());
    }
}
