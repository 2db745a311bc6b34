//! Which pages to read next: pure.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::collect::layout::Layout;
use crate::collect::sorted::map::{CellRange, List};
use crate::count::MAX_REMEMBERED;
use crate::model::{ByStatus, Status};
use crate::portal::{PAGE_SIZE, PageRequest};

/// Pages of one run whose rows are read by a count, at most.
pub const PAGES_OF_A_RUN: u64 = 20;

/// The same by a walk, of files with a reason: as many files as are remembered.
const PAGES_OF_A_WALK: u64 = MAX_REMEMBERED as u64 / PAGE_SIZE;

/// The pages to read next to find the boundaries; none if there is none that could show more. `current`: the pages that were read in this pass;
/// `hints`: where to expect boundaries.
pub fn next(
    layout: Layout,
    ranges: &[CellRange],
    current: &BTreeSet<PageRequest>,
    hints: &[u64],
) -> BTreeSet<PageRequest> {
    let gaps = ranges.windows(2);
    let gaps = gaps.map(|pair| pair[0].range.end..pair[1].range.start);
    let gaps = gaps.filter(|gap| !gap.is_empty());
    let places = gaps.map(|gap| probes(&gap, layout, hints));
    let unread =
        |position: u64| Some(layout.page_of(position)).filter(|page| !current.contains(page));
    let mut wanted: BTreeSet<_> = places
        .filter_map(|places| places.into_iter().find_map(unread))
        .collect();
    let end = ranges.last().map_or(0, |last| last.range.end);
    if end < layout.total {
        wanted.insert(layout.last_page());
    }
    wanted.retain(|page| !current.contains(page));
    wanted
}

/// Where to read in a gap between two ranges, first choice first: at the nearest hint, then farther and farther from there, but never farther
/// than halfway. The ends of the list are hints as well: most runs of files that are not done are short.
fn probes(gap: &Range<u64>, layout: Layout, hints: &[u64]) -> [u64; 4] {
    let middle = gap.start.midpoint(gap.end);
    let distance = |hint: u64| {
        let before = gap.start.saturating_sub(hint);
        before.max(hint.saturating_sub(gap.end))
    };
    let hints = hints.iter().copied().chain([0, layout.total]);
    let hint = hints.min_by_key(|hint| distance(*hint)).unwrap_or(middle);
    let step = distance(hint).max(layout.page_size);
    let target = if hint < gap.start {
        gap.start.saturating_add(step).min(middle)
    } else if hint >= gap.end {
        gap.end.saturating_sub(1 + step).max(middle)
    } else {
        hint
    };
    [target, middle, gap.start, gap.end - 1]
}

/// The pages of the rows to read, and the statuses of which these are all: a walk reads all rows of failed and flagged files.
pub fn rows(list: &List, layout: Layout, is_walk: bool) -> (BTreeSet<PageRequest>, ByStatus<bool>) {
    let (mut pages, mut are_all) = (BTreeSet::new(), ByStatus::from_fn(|_| true));
    for CellRange { cell, range } in list.ranges() {
        let status = cell.map(|word| word.status);
        let Some(status) = status.filter(|status| *status != Status::Done) else {
            continue;
        };
        let most = if is_walk && status.has_reason() {
            PAGES_OF_A_WALK
        } else {
            PAGES_OF_A_RUN
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX - 1);
        let of_run: BTreeSet<_> = layout.pages_of(range).take(most + 1).collect();
        are_all[status] &= of_run.len() <= most && layout.can_read(range);
        pages.extend(of_run.into_iter().take(most));
    }
    (pages, are_all)
}
