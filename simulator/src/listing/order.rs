//! The order of a list, and pages of it, whatever is listed.

use std::ops::Range;

use super::{FilePage, PageNumber, Row};
use crate::options::{EmptyPages, Equals, Position, SortOrder, Switches};
use crate::status::Status;

/// What statuses are sorted by: those that the switches do not name lie together, each in a run of its own.
pub(super) fn rank<'a>(switches: &Switches, status: &'a Status) -> (usize, Option<&'a Status>) {
    let named = place_of(switches, status);
    let unnamed = named.is_none().then_some(status);
    let place = match switches.unnamed_statuses {
        Position::First => named.map_or(0, |place| place + 1),
        Position::Last | Position::LastEitherWay => named.unwrap_or(switches.status_order.len()),
    };
    (place, unnamed)
}

fn place_of(switches: &Switches, status: &Status) -> Option<usize> {
    switches.status_order.iter().position(|s| s == status)
}

/// Whether a status has its place among the others, so that it is turned round with them.
pub(super) fn is_named(switches: &Switches, status: &Status) -> bool {
    switches.unnamed_statuses != Position::LastEitherWay || place_of(switches, status).is_some()
}

/// Which of the rows that the sort holds for equal comes first.
#[derive(Clone, Copy, Debug)]
pub(super) enum Equal {
    Fixed,
    /// Turned by a step that is drawn from this.
    Turned(u64),
}

impl Equal {
    pub fn new(switches: &Switches, seed: u64) -> Self {
        match switches.equals {
            Equals::Fixed => Self::Fixed,
            Equals::Shifting => Self::Turned(seed),
        }
    }

    /// Where the row at a place comes from, given the places of its equals.
    pub fn instead_of(self, at: usize, equals: impl FnOnce() -> Range<usize>) -> usize {
        let Self::Turned(seed) = self else {
            return at;
        };
        let equals = equals();
        let step = fastrand::Rng::with_seed(seed).usize(..equals.len());
        equals.start + (at - equals.start + step) % equals.len()
    }
}

/// How rows become a page.
pub(super) struct Pages<'a> {
    pub switches: &'a Switches,
    pub page: PageNumber,
    pub order: SortOrder,
    pub equal: Equal,
}

impl Pages<'_> {
    /// A page of nothing.
    pub fn empty<'r>(&self) -> FilePage<'r> {
        self.page(0, 0, |_| None)
    }

    /// A page of so many rows, which are asked for by their places in ascending order. Those behind the first `turning` stay behind
    /// them in both directions.
    pub fn page<'r>(
        &self,
        total: usize,
        turning: usize,
        row: impl Fn(usize) -> Option<Row<'r>>,
    ) -> FilePage<'r> {
        let PageNumber { page, size } = self.page;
        let start = (page - 1).saturating_mul(size).min(total);
        let end = start.saturating_add(size).min(total);
        let ascending = |at| match self.order {
            SortOrder::Ascending => at,
            SortOrder::Descending if at < turning => turning - 1 - at,
            SortOrder::Descending => total - 1 - (at - turning),
        };
        let rows = (start..end).filter_map(|at| row(ascending(at))).collect();
        let empty = match self.switches.empty_pages {
            EmptyPages::Zero => 0,
            EmptyPages::One => 1,
        };
        let total = total + self.switches.hidden_files;
        FilePage {
            rows,
            page: self.page,
            total,
            total_pages: total.div_ceil(size).max(empty),
        }
    }
}
