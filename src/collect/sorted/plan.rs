//! Which pages to read next: pure.
//!
//! Of each run of files that are not done the first pages are read from its outer end, which mostly shows its inner boundary as
//! well. Where a run is longer than that, its boundary is searched for between positions that hold different statuses: first where
//! it was last time, then farther and farther from there, never farther than halfway.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::collect::sorted::map::CellRange;
use crate::collect::sorted::page::{Layout, PageNumber};
use crate::model::Status;

/// Pages of one run whose rows are read, at most.
pub const PAGES_OF_A_RUN: u64 = MAX_READ as u64;

const MAX_READ: usize = 20;

/// Facts about the list when a plan is made.
#[derive(Debug)]
pub struct Explored<'a> {
    pub layout: Layout,
    pub ranges: &'a [CellRange],
    /// Pages that were read in this attempt.
    pub current: &'a BTreeSet<PageNumber>,
    /// Pages whose rows were read, those of earlier attempts as well.
    pub read: &'a BTreeSet<PageNumber>,
    /// Where the boundaries were last time.
    pub hints: &'a [u64],
}

/// The pages to read next; none when every boundary is known and the rows that shall be read are read.
pub fn next(explored: &Explored<'_>) -> BTreeSet<PageNumber> {
    let mut wanted = BTreeSet::new();
    let mut inward = BTreeSet::new();
    for (at, range) in explored.ranges.iter().enumerate() {
        if range.cell.is_some_and(|word| word.status != Status::Done) {
            let rows = explored.rows_of(at);
            inward.extend(rows.into_gap_after);
            wanted.extend(rows.pages);
        }
    }
    for (before, pair) in explored.ranges.windows(2).enumerate() {
        let gap = pair[0].range.end..pair[1].range.start;
        if !gap.is_empty() && !inward.contains(&before) {
            wanted.extend(explored.probe(&gap));
        }
    }
    let end = explored.ranges.last().map_or(0, |last| last.range.end);
    if end < explored.layout.total {
        wanted.insert(explored.layout.last_page());
    }
    wanted.retain(|page| !explored.current.contains(page));
    wanted
}

/// The pages of a run that are to be read.
#[derive(Default)]
struct RowPages {
    pages: Vec<PageNumber>,
    /// The range before the gap into which reading goes on, if it does.
    into_gap_after: Option<usize>,
}

impl Explored<'_> {
    /// The pages of a run that are still to be read: from its outer end inwards, and on into the gap while its boundary is not known.
    fn rows_of(&self, at: usize) -> RowPages {
        let Range { start, end } = self.ranges[at].range;
        let before = at.checked_sub(1).map(|before| &self.ranges[before].range);
        let start_known = before.is_none_or(|before| before.end == start);
        let after = self.ranges.get(at + 1).map(|after| &after.range);
        let end_known = after.is_none_or(|after| after.start == end);
        let [first, last] = [start, end - 1].map(|position| self.layout.page_of(position).0);
        let mut pages: Vec<_> = (first..=last).take(MAX_READ + 1).map(PageNumber).collect();
        let (mut outer_known, mut inner_known) = (start_known, end_known);
        let (mut inner, mut gap) = (end, at);
        if start > self.layout.total.saturating_sub(end) {
            let backwards = (first..=last).rev().take(MAX_READ + 1);
            pages = backwards.map(PageNumber).collect();
            (outer_known, inner_known) = (end_known, start_known);
            (inner, gap) = (start.saturating_sub(1), at.saturating_sub(1));
        }
        if !outer_known {
            return RowPages::default();
        }
        let of_run = pages.len();
        pages.retain(|page| !self.read.contains(page));
        let limit = MAX_READ.saturating_sub(of_run - pages.len());
        pages.truncate(limit);
        let mut into_gap_after = None;
        if !inner_known && pages.len() < limit {
            let page = self.layout.page_of(inner);
            into_gap_after = Some(gap).filter(|_| !self.current.contains(&page));
            pages.push(page);
        }
        RowPages {
            pages,
            into_gap_after,
        }
    }

    /// The page to read next in a gap between two ranges: near the nearest hint, but never farther than halfway.
    fn probe(&self, gap: &Range<u64>) -> Option<PageNumber> {
        let middle = gap.start.midpoint(gap.end);
        let step = |distance: u64| distance.max(self.layout.page_size);
        let distance = |hint: u64| {
            gap.start
                .saturating_sub(hint)
                .max(hint.saturating_sub(gap.end))
        };
        let hints = self.hints.iter().copied();
        let nearest = hints.min_by_key(|hint| distance(*hint));
        let target = match nearest {
            None => middle,
            Some(hint) if hint < gap.start => (gap.start + step(distance(hint))).min(middle),
            Some(hint) if hint > gap.end => {
                let back = gap.end.saturating_sub(1 + step(distance(hint)));
                back.max(middle)
            }
            Some(hint) => hint.clamp(gap.start, gap.end - 1),
        };
        [target, middle, gap.start, gap.end - 1]
            .into_iter()
            .map(|position| self.layout.page_of(position))
            .find(|page| !self.current.contains(page))
    }
}
