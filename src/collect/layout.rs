//! Where the pages of a list are, and where its rows may end: pure.

use std::ops::Range;

use crate::count::are_few;
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

/// The pages of a list of this number of files. Positions count from 0.
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

    /// Whether rows that end before the total can be believed to end there: the last page with rows is short, or few are missing.
    /// Otherwise an answer is missing, and the read is incomplete.
    pub fn may_end_at(self, rows: u64) -> bool {
        let missing = self.total.saturating_sub(rows);
        let last_page_is_short = !rows.is_multiple_of(self.page_size.max(1));
        last_page_is_short || are_few(missing, self.total)
    }
}

/// Whether a value occurs again after another one: then rows with these statuses are not sorted by status.
pub fn comes_again<V: PartialEq>(values: impl IntoIterator<Item = V>) -> bool {
    let mut runs: Vec<V> = Vec::new();
    for value in values {
        if runs.last() == Some(&value) {
            continue;
        }
        if runs.contains(&value) {
            return true;
        }
        runs.push(value);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_from_the_front_and_cut_at_the_total() {
        let layout = Layout {
            total: 250,
            page_size: 100,
        };
        assert_eq!(layout.span(PageNumber::FIRST), 0..100);
        assert_eq!(layout.span(PageNumber(3)), 200..250);
        assert_eq!(layout.span(PageNumber(4)), 250..250);
        assert_eq!(layout.page_of(199), PageNumber(2));
        assert_eq!(layout.last_page(), PageNumber(3));
        let empty = Layout { total: 0, ..layout };
        assert_eq!(empty.last_page(), PageNumber::FIRST);
    }

    #[test]
    fn a_value_that_returns_is_noticed() {
        assert!(!comes_again([1, 2, 2, 3]));
        assert!(comes_again([1, 2, 2, 1]));
    }

    #[test]
    fn rows_end_on_a_short_page_or_close_to_the_total() {
        for (rows, total, ends) in [
            (100, 101, true),
            (100, 150, false),
            (130, 1_000, true),
            (9_900, 9_937, true),
            (9_000, 10_000, false),
            (0, 1, true),
            (0, 50, false),
        ] {
            let layout = Layout {
                total,
                page_size: 100,
            };
            assert_eq!(layout.may_end_at(rows), ends, "{rows} {total}");
        }
    }
}
