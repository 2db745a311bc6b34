//! Where the pages of a list are, and where its rows may end: pure.

use std::cmp::Reverse;
use std::ops::Range;

use crate::count::are_few;
use crate::portal::PageRequest;

/// Rows at each end of a list that every portal shows. Search engines refuse pages beyond.
const ROWS_OF_AN_END: u64 = 10_000;

/// The number of a page of the list sorted by status, from 1. In the order of their rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PageNumber {
    FromStart(u64),
    /// Of the list in descending order.
    FromEnd(Reverse<u64>),
}

impl PageNumber {
    /// The first page of the list.
    pub const FIRST: Self = Self::FromStart(1);

    pub fn request(self) -> PageRequest {
        let page = PageRequest::by_status(self.number());
        if self.is_from_end() {
            page.descending()
        } else {
            page
        }
    }

    pub const fn number(self) -> u64 {
        match self {
            Self::FromStart(number) | Self::FromEnd(Reverse(number)) => number,
        }
    }

    /// Whether its last row comes first.
    pub const fn is_from_end(self) -> bool {
        matches!(self, Self::FromEnd(_))
    }
}

/// Whether a search engine may refuse a page because of its number.
pub const fn is_deep(page: u64, page_size: u64) -> bool {
    page.saturating_mul(page_size) > ROWS_OF_AN_END
}

/// The pages of a list of this number of files. Positions count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Files in the list, by the portal's total.
    pub total: u64,
    /// Rows of a full page; never 0.
    pub page_size: u64,
    /// Whether each page is counted from the nearer end, because the portal refuses pages that are far from the start.
    pub from_both_ends: bool,
}

impl Layout {
    /// The page that holds a position, or the one nearest to it that can be read.
    pub fn page_of(self, position: u64) -> PageNumber {
        let from_start = position / self.page_size + 1;
        if !self.from_both_ends {
            return PageNumber::FromStart(from_start);
        }
        let last = self.pages_of_an_end();
        let from_end = self.total.saturating_sub(position + 1) / self.page_size + 1;
        if from_start <= from_end {
            PageNumber::FromStart(from_start.min(last))
        } else {
            PageNumber::FromEnd(Reverse(from_end.min(last)))
        }
    }

    /// Pages that can be read at each end.
    fn pages_of_an_end(self) -> u64 {
        (ROWS_OF_AN_END / self.page_size).max(1)
    }

    /// The positions of which no page can be read.
    pub fn unreadable(self) -> Range<u64> {
        if !self.from_both_ends {
            return 0..0;
        }
        let of_an_end = self.page_size * self.pages_of_an_end();
        of_an_end..self.total.saturating_sub(of_an_end)
    }

    /// The pages of these positions, some of them twice.
    pub fn pages_of(self, positions: &Range<u64>) -> impl Iterator<Item = PageNumber> + use<> {
        let step = usize::try_from(self.page_size).unwrap_or(usize::MAX);
        let last = positions.end.saturating_sub(1);
        let positions = positions.clone().step_by(step).chain([last]);
        positions.map(move |position| self.page_of(position))
    }

    /// The last page, by the total.
    pub fn last_page(self) -> PageNumber {
        self.page_of(self.total.saturating_sub(1))
    }

    /// Whether a page can be read of each of these positions.
    pub fn can_read(self, positions: &Range<u64>) -> bool {
        let unreadable = self.unreadable();
        positions.end <= unreadable.start || unreadable.end <= positions.start
    }

    /// The positions of so many rows of a page.
    pub fn positions(self, page: PageNumber, rows: u64) -> Range<u64> {
        let before = page.number().saturating_sub(1);
        let before = before.saturating_mul(self.page_size);
        if page.is_from_end() {
            let end = self.total.saturating_sub(before);
            end.saturating_sub(rows)..end
        } else {
            before..before.saturating_add(rows)
        }
    }

    /// The positions of a page, cut at the total.
    pub fn span(self, page: PageNumber) -> Range<u64> {
        let Range { start, end } = self.positions(page, self.page_size);
        start.min(self.total)..end.min(self.total)
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
            from_both_ends: false,
        };
        let page = PageNumber::FromStart;
        assert_eq!(layout.span(PageNumber::FIRST), 0..100);
        assert_eq!(layout.span(page(3)), 200..250);
        assert_eq!(layout.span(page(4)), 250..250);
        assert_eq!(layout.page_of(199), page(2));
        assert_eq!(layout.last_page(), page(3));
        let empty = Layout { total: 0, ..layout };
        assert_eq!(empty.last_page(), PageNumber::FIRST);
    }

    #[test]
    fn pages_from_both_ends_hold_every_position_but_those_far_from_both() {
        for (total, page_size) in [(1, 100), (250, 100), (20_050, 100), (50_000, 70)] {
            let layout = Layout {
                total,
                page_size,
                from_both_ends: true,
            };
            let unreadable = layout.unreadable();
            for position in 0..total {
                let page = layout.page_of(position);
                assert!(!is_deep(page.number(), page_size), "{page:?}");
                let holds = layout.span(page).contains(&position);
                assert_eq!(holds, !unreadable.contains(&position), "{position}");
            }
        }
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
                from_both_ends: false,
            };
            assert_eq!(layout.may_end_at(rows), ends, "{rows} {total}");
        }
    }
}
