//! The statuses by position, in a list in which equal ones are adjacent.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::collect::layout::Layout;
use crate::collect::sorting::comes_again;
use crate::count::Boundaries;
use crate::model::{ByStatus, Status, StatusWord};
use crate::portal::PageRequest;

/// A position of the list: a file with this status, or no row if the portal has fewer rows than its total.
pub type Cell = Option<StatusWord>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellRange {
    pub cell: Cell,
    /// From the first that is known to the last that is known.
    pub range: Range<u64>,
}

/// Adds positions to those that are known before them, adjacent equal ones together: what overlaps these is left out. Between two ranges
/// there is a boundary, or a gap that holds boundaries.
pub fn add(ranges: &mut Vec<CellRange>, range: Range<u64>, cell: Cell) {
    let known = ranges.last().map_or(0, |last| last.range.end);
    let range = range.start.max(known)..range.end;
    match ranges.last_mut() {
        _ if range.is_empty() => {}
        Some(last) if last.cell == cell => last.range.end = range.end,
        _ => ranges.push(CellRange { cell, range }),
    }
}

/// The pages that the boundaries depend on: the first and the last page, and for every boundary the page with both its sides, or the
/// two pages that meet there. `boundaries` are the positions at which another status begins.
pub fn boundary_pages(
    boundaries: impl IntoIterator<Item = u64>,
    layout: Layout,
) -> BTreeSet<PageRequest> {
    boundaries
        .into_iter()
        .flat_map(|start| [start.saturating_sub(1), start])
        .map(|position| layout.page_of(position.min(layout.total.saturating_sub(1))))
        .chain([layout.page_of(0), layout.last_page()])
        .collect()
}

/// Whether a status occurs again after another one, which a list that is sorted by status cannot show.
pub fn is_unsorted(ranges: &[CellRange]) -> bool {
    comes_again(ranges.iter().map(|range| range.cell))
}

/// A list that is known from end to end: there is no other way to a count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    ranges: Vec<CellRange>,
    from_both_ends: bool,
    /// Whether two statuses meet where no page can be read.
    pub is_estimated: bool,
}

impl List {
    /// The list of these ranges, unless a position before the total is not known that can be read. If two statuses meet where no page can be read,
    /// the files there are taken for done ones if one of the two is that.
    pub fn new(mut ranges: Vec<CellRange>, layout: Layout) -> Option<Self> {
        let hidden = layout.unreadable();
        let met = ranges.windows(2).position(|pair| {
            let gap = pair[0].range.end..pair[1].range.start;
            !gap.is_empty() && hidden.start <= gap.start && gap.end <= hidden.end
        });
        if let Some(before) = met {
            let [first, next] = [ranges[before].range.end, ranges[before + 1].range.start];
            if ranges[before + 1].cell == Some(Status::Done.into()) {
                ranges[before + 1].range.start = first;
            } else {
                ranges[before].range.end = next;
            }
        }
        let starts = ranges.iter().map(|range| range.range.start);
        let ends = ranges.iter().map(|range| range.range.end);
        let end = ranges.last().map_or(0, |last| last.range.end);
        let is_whole = starts.eq([0].into_iter().chain(ends).take(ranges.len()));
        (is_whole && end >= layout.total).then_some(Self {
            ranges,
            from_both_ends: layout.from_both_ends,
            is_estimated: met.is_some(),
        })
    }

    pub fn ranges(&self) -> &[CellRange] {
        &self.ranges
    }

    /// The position behind the last one.
    pub fn end(&self) -> u64 {
        self.ranges.last().map_or(0, |last| last.range.end)
    }

    /// The first position without a row, if there is one.
    pub fn missing_from(&self) -> Option<u64> {
        let missing = self.ranges.iter().find(|range| range.cell.is_none())?;
        Some(missing.range.start)
    }

    /// Files by status.
    pub fn counts(&self) -> ByStatus<u64> {
        let mut counts = ByStatus::default();
        for CellRange { cell, range } in &self.ranges {
            if let Some(word) = cell {
                counts[word.status] += range.end - range.start;
            }
        }
        counts
    }

    pub fn boundaries(&self) -> Boundaries {
        let inner = self.ranges.iter().skip(1);
        Boundaries {
            positions: inner.map(|next| next.range.start).collect(),
            total: self.end(),
            from_both_ends: self.from_both_ends && !self.is_estimated,
        }
    }

    /// Whether the same statuses meet at the same boundaries, each as far from the nearer end as in another list.
    pub fn stands_as(&self, other: &Self) -> bool {
        let cells =
            |list: &Self| -> Vec<_> { list.ranges.iter().map(|range| range.cell).collect() };
        cells(self) == cells(other)
            && other.boundaries().in_list_of(self.end()) == self.boundaries().positions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status::{self, Done, Failed};

    const LAYOUT: Layout = Layout {
        total: 30,
        page_size: 100,
        from_both_ends: false,
    };

    fn ranges(segments: &[(Range<u64>, Status)]) -> Vec<CellRange> {
        let mut ranges = Vec::new();
        for (range, status) in segments {
            add(&mut ranges, range.clone(), Some((*status).into()));
        }
        ranges
    }

    #[test]
    fn a_status_that_comes_again_is_noticed() {
        let segments = [(0..10, Done), (10..14, Failed), (14..30, Done)];
        assert!(is_unsorted(&ranges(&segments)));
        assert!(!is_unsorted(&ranges(&segments[..2])));
    }

    #[test]
    fn a_list_has_no_gap_between_two_statuses_and_none_at_an_end() {
        for (segments, is_list) in [
            (&[(0..10, Failed), (10..30, Done)][..], true),
            (&[(0..10, Failed), (20..30, Failed)], true),
            (&[(0..10, Failed), (20..30, Done)], false),
            (&[(5..30, Failed)], false),
            (&[(0..29, Done)], false),
        ] {
            let list = List::new(ranges(segments), LAYOUT);
            assert_eq!(list.is_some(), is_list, "{segments:?}");
        }
    }
}
