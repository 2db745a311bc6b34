//! The pages that a count follows from: pure.

use std::collections::BTreeSet;

use crate::collect::sorted::map::CellRange;
use crate::collect::sorted::page::{Layout, PageNumber};

/// The first and the last page, and for every boundary the page with both its sides, or the two pages that meet there.
///
/// If each of these shows the same twice, all first reads before all second ones, then all of them showed this at the moment
/// between, and what follows from them held then.
#[must_use]
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
    use crate::model::Status::{Done, Failed, Pending};

    #[test]
    fn a_boundary_is_on_the_page_that_shows_both_sides_or_between_the_two_that_meet_there() {
        let layout = Layout {
            total: 1_000,
            page_size: 100,
        };
        let ranges = [(Failed, 0..250), (Done, 250..800), (Pending, 800..1_000)];
        let ranges = ranges.map(|(status, range)| CellRange {
            cell: Some(status.into()),
            range,
        });
        let pages = [1, 3, 8, 9, 10].map(PageNumber);
        assert_eq!(boundary_pages(&ranges, layout), BTreeSet::from(pages));
    }
}
