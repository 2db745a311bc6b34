//! Where the pages of a list are, and where its rows may end: pure.

use std::ops::Range;

use crate::count::are_few;
use crate::portal::{PageRequest, Sort};

/// Rows at each end of a list that every portal shows. Search engines refuse pages beyond.
const ROWS_OF_AN_END: u64 = 10_000;

/// Whether a search engine may refuse a page because of its number.
pub const fn is_deep(page: u64, page_size: u64) -> bool {
    page.saturating_mul(page_size) > ROWS_OF_AN_END
}

/// Whether rows that end before the total can be believed to end there: the last page with rows is short, or few are missing. Otherwise an answer
/// is missing, and the read is incomplete.
pub fn may_end_at(rows: u64, total: u64, page_size: u64) -> bool {
    let last_page_is_short = !rows.is_multiple_of(page_size.max(1));
    last_page_is_short || are_few(total.saturating_sub(rows), total)
}

/// The pages of a list of this number of files, sorted by status. Positions count from 0.
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
    pub fn page_of(self, position: u64) -> PageRequest {
        let from_start = position / self.page_size + 1;
        if !self.from_both_ends {
            return Sort::Status.page(from_start);
        }
        let last = self.pages_of_an_end();
        let from_end = self.total.saturating_sub(position + 1) / self.page_size + 1;
        if from_start <= from_end {
            Sort::Status.page(from_start.min(last))
        } else {
            Sort::StatusDescending.page(from_end.min(last))
        }
    }

    /// The last page, by the total.
    pub fn last_page(self) -> PageRequest {
        self.page_of(self.total.saturating_sub(1))
    }

    /// The pages of these positions, some of them twice.
    pub fn pages_of(self, positions: &Range<u64>) -> impl Iterator<Item = PageRequest> + use<> {
        let step = usize::try_from(self.page_size).unwrap_or(usize::MAX);
        let last = positions.end.saturating_sub(1);
        let positions = positions.clone().step_by(step).chain([last]);
        positions.map(move |position| self.page_of(position))
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

    /// Whether a page can be read of each of these positions.
    pub fn can_read(self, positions: &Range<u64>) -> bool {
        let hidden = self.unreadable();
        hidden.is_empty() || positions.end <= hidden.start || hidden.end <= positions.start
    }

    /// The positions of this number of rows of a page.
    pub fn positions(self, page: PageRequest, rows: u64) -> Range<u64> {
        let before = page.page.saturating_sub(1).saturating_mul(self.page_size);
        if page.is_descending() {
            let end = self.total.saturating_sub(before);
            end.saturating_sub(rows)..end
        } else {
            before..before.saturating_add(rows)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(may_end_at(rows, total, 100), ends, "{rows} {total}");
        }
    }
}
