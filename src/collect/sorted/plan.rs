//! Which pages to read next: pure.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::collect::layout::{Layout, PageNumber};
use crate::collect::sorted::map::{CellRange, List};
use crate::count::RowsRead;
use crate::model::{ByStatus, Status};

/// Pages of one run whose rows are read in one read, at most.
pub const PAGES_OF_A_RUN: u64 = 20;

/// The same for files with a reason where the count need not wait: it was published before, or did not change in a folder that is seldom read.
const PAGES_WITH_TIME: u64 = 100;

/// Which rows of the files that are not done to read.
#[derive(Debug, Clone, Copy, Default)]
pub struct RowsWanted {
    /// By status: the page to begin with, counted from the outer end of the run, from 0.
    pub next: ByStatus<u64>,
    /// By status: the count at which all files were identified; `None` if some are not.
    pub identified: ByStatus<Option<u64>>,
    /// Whether files wait, so that the folder is read often.
    pub is_read_often: bool,
    /// Whether the read goes on with rows of a folder that was just counted.
    pub goes_on: bool,
}

impl RowsWanted {
    /// Maximum number of pages to read of a status with this number of files.
    pub fn pages(&self, status: Status, files: u64) -> u64 {
        let is_known = self.identified[status] == Some(files);
        let has_time = self.goes_on || (is_known && !self.is_read_often);
        if status.has_reason() && has_time {
            PAGES_WITH_TIME
        } else {
            PAGES_OF_A_RUN
        }
    }
}

/// The pages to read next to find the boundaries; none if there is none that could show more. `current`: the pages that were read in this pass;
/// `hints`: where to expect boundaries.
pub fn next(
    layout: Layout,
    ranges: &[CellRange],
    current: &BTreeSet<PageNumber>,
    hints: &[u64],
) -> BTreeSet<PageNumber> {
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

/// The pages with the rows that are wanted, and what is read of each status then.
pub fn rows(
    list: &List,
    layout: Layout,
    wanted: &RowsWanted,
) -> (BTreeSet<PageNumber>, ByStatus<RowsRead>) {
    let (mut pages, mut read) = (BTreeSet::new(), ByStatus::default());
    let counts = list.counts();
    for CellRange { cell, range } in list.ranges() {
        let Some(status) = cell.map(|word| word.status) else {
            continue;
        };
        if status == Status::Done {
            continue;
        }
        let [front, back] = [range.start, range.end - 1].map(|at| layout.page_of(at).0);
        let of_run = back - front + 1;
        let from = Some(wanted.next[status]).filter(|from| *from < of_run);
        let from = from.unwrap_or(0);
        let end = from + wanted.pages(status, counts[status]).min(of_run - from);
        let is_in_front = range.start <= list.end() - range.end;
        let page = |at: u64| PageNumber(if is_in_front { front + at } else { back - at });
        pages.extend((from..end).map(page));
        read[status] = RowsRead {
            from,
            next: Some(end).filter(|end| *end < of_run),
        };
    }
    (pages, read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::sorted::map::add;
    use crate::model::Status::{Done, Failed, Pending};

    const LAYOUT: Layout = Layout {
        total: 100_000,
        page_size: 100,
    };

    fn rows_read(next: u64, identified: Option<u64>, run: Range<u64>) -> (Vec<u64>, RowsRead) {
        let mut ranges = Vec::new();
        add(&mut ranges, 0..run.start, Some(Done.into()));
        add(&mut ranges, run, Some(Failed.into()));
        add(&mut ranges, 0..LAYOUT.total, Some(Done.into()));
        let list = List::new(ranges, LAYOUT.total).unwrap();
        let mut wanted = RowsWanted {
            is_read_often: true,
            goes_on: identified.is_none(),
            ..RowsWanted::default()
        };
        (wanted.next[Failed], wanted.identified[Failed]) = (next, identified);
        wanted.next[Pending] = 7;
        let (pages, read) = rows(&list, LAYOUT, &wanted);
        assert_eq!(read[Pending], RowsRead::default());
        (pages.into_iter().map(|page| page.0).collect(), read[Failed])
    }

    #[test]
    fn the_rows_of_a_long_run_are_read_over_several_reads_from_its_outer_end() {
        let read = |from, next| RowsRead { from, next };
        let front = 0..25_000;
        let (pages, rows) = rows_read(0, None, front.clone());
        assert_eq!((pages[0], pages.len()), (1, 100));
        assert_eq!(rows, read(0, Some(100)));
        let (pages, rows) = rows_read(200, None, front.clone());
        assert_eq!((pages[0], pages.len()), (201, 50));
        assert_eq!(rows, read(200, None));
        let (pages, rows) = rows_read(900, Some(25_000), front);
        assert_eq!((pages[0], pages.len()), (1, 20));
        assert_eq!(rows, read(0, Some(20)));
        let (pages, rows) = rows_read(20, Some(25_000), 75_000..100_000);
        assert_eq!((pages[0], pages.len(), pages[19]), (961, 20, 980));
        assert_eq!(rows, read(20, Some(40)));
    }
}
