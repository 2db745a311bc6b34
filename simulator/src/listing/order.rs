//! The order of a list, and pages of it, whatever is listed.

use std::borrow::Cow;
use std::ops::Range;

use chrono::{DateTime, Utc};

use super::{FilePage, PageNumber, Pagination, Row};
use crate::options::{EmptyPages, Position, SortOrder, Switches};
use crate::status::Status;

/// What a row is sorted by.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key<'a> {
    Name(Cow<'a, str>),
    Created(DateTime<Utc>),
    Status(Rank<'a>),
}

/// What a status is sorted by: its position among those that the switches name, and itself where they do not name it. So unnamed ones
/// are adjacent, each in a run of its own.
pub(super) type Rank<'a> = (usize, Option<&'a Status>);

pub(super) fn rank<'a>(switches: &Switches, status: &'a Status) -> Rank<'a> {
    let named = switches.status_order.iter().position(|s| s == status);
    let unnamed = named.is_none().then_some(status);
    let position = match switches.unnamed_statuses {
        Position::First => named.map_or(0, |position| position + 1),
        Position::Last | Position::LastEitherWay => named.unwrap_or(switches.status_order.len()),
    };
    (position, unnamed)
}

/// Rows that are sorted, ascending.
pub(super) trait Sorted<'a> {
    fn len(&self) -> usize;

    /// What the row at a position is sorted by.
    fn key(&self, at: usize) -> Option<Key<'a>>;

    fn row(&self, at: usize) -> Option<Row<'a>>;
}

pub(super) struct Pages<'a> {
    pub switches: &'a Switches,
    pub page: PageNumber,
    pub order: SortOrder,
    /// Rows with equal keys are rotated by a random number with this seed.
    pub rotation: Option<u64>,
}

impl Pages<'_> {
    pub fn page<'r>(&self, sorted: &impl Sorted<'r>) -> FilePage<'r> {
        let total = sorted.len();
        let PageNumber { page, size } = self.page;
        let step = size.saturating_sub(self.switches.overlap).max(1);
        let start = (page - 1).saturating_mul(step).min(total);
        let end = start.saturating_add(size).min(total);
        let named = self.named(sorted);
        let ascending = |at| match self.order {
            SortOrder::Ascending => at,
            SortOrder::Descending if at < named => named - 1 - at,
            SortOrder::Descending => total - 1 - (at - named),
        };
        let rows = (start..end).filter_map(|at| sorted.row(self.rotated(sorted, ascending(at))));
        self.with_rows(total, rows.collect())
    }

    fn with_rows<'r>(&self, listed: usize, data: Vec<Row<'r>>) -> FilePage<'r> {
        let empty = match self.switches.empty_pages {
            EmptyPages::Zero => 0,
            EmptyPages::One => 1,
        };
        let total = listed + self.switches.hidden_files;
        let PageNumber { page, size } = self.page;
        FilePage {
            data,
            pagination: Pagination {
                page,
                page_size: size,
                total,
                total_pages: total.div_ceil(size).max(empty),
            },
        }
    }

    /// Rows before those that stay last in both directions.
    fn named<'r>(&self, sorted: &impl Sorted<'r>) -> usize {
        match self.switches.unnamed_statuses {
            Position::First | Position::Last => sorted.len(),
            Position::LastEitherWay => partition_point(sorted.len(), |at| {
                !matches!(sorted.key(at), Some(Key::Status((_, Some(_)))))
            }),
        }
    }

    /// The position of the row that is shown at a position: any of those with an equal key.
    fn rotated<'r>(&self, sorted: &impl Sorted<'r>, at: usize) -> usize {
        let Some(seed) = self.rotation else {
            return at;
        };
        let key = sorted.key(at);
        let equals: Range<usize> = partition_point(sorted.len(), |other| sorted.key(other) < key)
            ..partition_point(sorted.len(), |other| sorted.key(other) <= key);
        let step = fastrand::Rng::with_seed(seed).usize(..equals.len());
        equals.start + (at - equals.start + step) % equals.len()
    }
}

/// The first of `len` positions for which a condition is false, by a binary search. The standard library has this for slices only.
fn partition_point(len: usize, condition: impl Fn(usize) -> bool) -> usize {
    let (mut start, mut end) = (0, len);
    while start < end {
        let middle = start.midpoint(end);
        if condition(middle) {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    start
}
