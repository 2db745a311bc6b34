//! The statuses by position, in a list in which equal ones are adjacent.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::collect::sorted::page::{Layout, PageNumber, comes_again};
use crate::model::{ByStatus, StatusWord};

/// A position of the list: a file with this status, or no row if the portal has fewer rows than its total.
pub type Cell = Option<StatusWord>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellRange {
    pub cell: Cell,
    /// From the first that is known to the last that is known.
    pub range: Range<u64>,
}

/// Known statuses by position.
#[derive(Debug, Clone, Default)]
pub struct Map {
    /// In their order, none overlapping another.
    segments: Vec<CellRange>,
}

impl Map {
    /// Sets some positions that are not known yet.
    pub fn add(&mut self, range: Range<u64>, cell: Cell) {
        let mut start = range.start;
        let mut pieces = Vec::new();
        for known in &self.segments {
            if known.range.end <= start {
                continue;
            }
            if known.range.start >= range.end {
                break;
            }
            pieces.push(start..known.range.start);
            start = known.range.end;
        }
        pieces.push(start..range.end);
        let pieces = pieces.into_iter().filter(|piece| piece.start < piece.end);
        self.segments
            .extend(pieces.map(|range| CellRange { cell, range }));
        self.segments
            .sort_unstable_by_key(|segment| segment.range.start);
    }

    /// The known positions in order, adjacent equal ones together. Between two ranges there is a boundary, or a gap that holds boundaries.
    pub fn ranges(&self) -> Vec<CellRange> {
        let mut ranges: Vec<CellRange> = Vec::new();
        for segment in &self.segments {
            match ranges.last_mut() {
                Some(last) if last.cell == segment.cell => last.range.end = segment.range.end,
                _ => ranges.push(segment.clone()),
            }
        }
        ranges
    }
}

/// Whether a list is known from end to end.
pub fn is_whole(ranges: &[CellRange], total: u64) -> bool {
    let mut end = 0;
    let adjoins = |CellRange { range, .. }: &CellRange| {
        let adjoins = range.start == end;
        end = range.end;
        adjoins
    };
    ranges.iter().all(adjoins) && end >= total
}

/// Files by status in a list that is known from end to end.
pub fn counts(ranges: &[CellRange]) -> ByStatus<u64> {
    let mut counts = ByStatus::default();
    for CellRange { cell, range } in ranges {
        if let Some(word) = cell {
            counts[word.status] += range.end - range.start;
        }
    }
    counts
}

/// Whether a status occurs again after another one, which a list that is sorted by status cannot show.
pub fn is_unsorted(ranges: &[CellRange]) -> bool {
    comes_again(ranges, |range| range.cell)
}

/// The pages that the boundaries depend on: the first and the last page, and for every boundary the page with both its sides, or the
/// two pages that meet there.
///
/// If each of these shows the same twice, all first reads before all second ones, then all of them showed this at the moment
/// between, and what follows from them held then.
pub fn boundary_pages(ranges: &[CellRange], layout: Layout) -> BTreeSet<PageNumber> {
    let starts = ranges.iter().skip(1).map(|range| range.range.start);
    starts
        .flat_map(|start| [start - 1, start])
        .map(|position| layout.page_of(position))
        .chain([PageNumber::FIRST, layout.last_page()])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status::{self, Done, Failed, Pending};

    fn map(segments: &[(Range<u64>, Status)]) -> Map {
        let mut map = Map::default();
        for (range, status) in segments {
            map.add(range.clone(), Some((*status).into()));
        }
        map
    }

    fn ranges(map: &Map) -> Vec<(Range<u64>, Status)> {
        let ranges = map.ranges().into_iter();
        ranges
            .map(|CellRange { cell, range }| (range, cell.expect("a status").status))
            .collect()
    }

    #[test]
    fn what_is_known_first_stays() {
        let map = map(&[
            (10..20, Done),
            (5..15, Failed),
            (18..30, Pending),
            (0..30, Failed),
        ]);
        assert_eq!(
            ranges(&map),
            [(0..10, Failed), (10..20, Done), (20..30, Pending)]
        );
        assert!(!is_unsorted(&map.ranges()));
    }

    #[test]
    fn between_equals_there_are_only_equals() {
        let map = map(&[(0..10, Done), (90..100, Done), (95..110, Failed)]);
        assert_eq!(ranges(&map), [(0..100, Done), (100..110, Failed)]);
    }

    #[test]
    fn positions_without_a_row_are_not_counted() {
        let mut map = map(&[(0..10, Done), (10..14, Failed)]);
        map.add(14..20, None);
        let counts = counts(&map.ranges());
        assert_eq!((counts[Done], counts[Failed], counts.total()), (10, 4, 14));
    }

    #[test]
    fn a_status_that_comes_again_is_noticed() {
        let map = map(&[(0..10, Done), (10..14, Failed), (40..50, Done)]);
        assert!(is_unsorted(&map.ranges()));
    }

    #[test]
    fn a_boundary_is_on_the_page_that_shows_both_sides_or_between_the_two_that_meet_there() {
        let layout = Layout {
            total: 1_000,
            page_size: 100,
        };
        let map = map(&[(0..250, Failed), (250..800, Done), (800..1_000, Pending)]);
        let pages = [1, 3, 8, 9, 10].map(PageNumber);
        assert_eq!(boundary_pages(&map.ranges(), layout), BTreeSet::from(pages));
    }
}
