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
pub const PAGES_OF_A_RUN: u64 = 20;

/// What is known of the list when a plan is made.
#[derive(Debug)]
pub struct Explored<'a> {
    /// Where pages are.
    pub layout: Layout,
    /// The statuses by position.
    pub ranges: &'a [CellRange],
    /// Pages that were read in this attempt.
    pub current: &'a BTreeSet<PageNumber>,
    /// Pages whose rows were read, those of earlier attempts as well.
    pub read: &'a BTreeSet<PageNumber>,
    /// Where the boundaries were last time.
    pub hints: &'a [u64],
}

/// The pages to read next; none when every boundary is known and the rows that shall be read are read.
#[must_use]
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

/// From which end of the list a run is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Front,
    Back,
}

/// The pages of a run that are to be read.
#[derive(Default)]
struct RowPages {
    pages: Vec<PageNumber>,
    /// The range before the gap into which reading goes on, where it does.
    into_gap_after: Option<usize>,
}

impl Explored<'_> {
    /// The pages of a run that are still to be read: from its outer end inwards, and on into the gap while its boundary is not known.
    fn rows_of(&self, at: usize) -> RowPages {
        let Range { start, end } = self.ranges[at].range;
        let from = if start <= self.layout.total.saturating_sub(end) {
            End::Front
        } else {
            End::Back
        };
        let (front_known, back_known) = self.known_sides(at);
        let (outer_known, inner_known) = match from {
            End::Front => (front_known, back_known),
            End::Back => (back_known, front_known),
        };
        if !outer_known {
            return RowPages::default();
        }
        let of_run = self.pages_over(&(start..end), from);
        let read = of_run
            .iter()
            .filter(|page| self.read.contains(page))
            .count();
        let limit = usize::try_from(PAGES_OF_A_RUN).unwrap_or(usize::MAX);
        let limit = limit.saturating_sub(read);
        let missing = of_run.into_iter().filter(|page| !self.read.contains(page));
        let mut pages: Vec<_> = missing.take(limit).collect();
        let mut into_gap_after = None;
        if !inner_known && pages.len() < limit {
            let (inner, before) = match from {
                End::Front => (end, at),
                End::Back => (start - 1, at - 1),
            };
            let page = self.layout.page_of(inner);
            into_gap_after = Some(before).filter(|_| !self.current.contains(&page));
            pages.push(page);
        }
        RowPages {
            pages,
            into_gap_after,
        }
    }

    /// Whether the front and the back of a range are a boundary, or an end of the list.
    fn known_sides(&self, at: usize) -> (bool, bool) {
        let this = &self.ranges[at].range;
        let before = at.checked_sub(1).map(|before| &self.ranges[before].range);
        let after = self.ranges.get(at + 1).map(|after| &after.range);
        (
            before.is_none_or(|before| before.end == this.start),
            after.is_none_or(|after| after.start == this.end),
        )
    }

    /// The first pages that hold a range, those at its outer end first, as many as could be wanted.
    fn pages_over(&self, range: &Range<u64>, from: End) -> Vec<PageNumber> {
        let first = self.layout.page_of(range.start).0;
        let last = self.layout.page_of(range.end - 1).0;
        match from {
            End::Front => (first..=last.min(first + PAGES_OF_A_RUN))
                .map(PageNumber)
                .collect(),
            End::Back => (first.max(last.saturating_sub(PAGES_OF_A_RUN))..=last)
                .rev()
                .map(PageNumber)
                .collect(),
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
        let nearest = self
            .hints
            .iter()
            .copied()
            .min_by_key(|hint| distance(*hint));
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
