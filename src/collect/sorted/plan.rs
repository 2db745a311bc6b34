//! Which pages to read next: pure.
//!
//! Of each run of files that are not done the first pages are read from its outer end, which mostly shows its inner border as
//! well. Where a run is longer than that, its border is searched for between positions whose statuses differ: first where
//! it was last time, then farther and farther from there, never farther than halfway.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::collect::sorted::map::{Map, Stretch};
use crate::collect::sorted::page::{Layout, PageId};
use crate::model::Status;
use crate::portal::Order;

/// Pages of one run whose rows are read, at most.
pub const PAGES_OF_A_RUN: u64 = 20;

/// What is known when a plan is made.
#[derive(Debug)]
pub struct Known<'a> {
    /// Where pages lie.
    pub layout: Layout,
    /// The statuses, by position.
    pub map: &'a Map,
    /// Pages that made the map.
    pub seen: &'a BTreeSet<PageId>,
    /// Pages whose rows were read, those of earlier rounds as well.
    pub read: &'a BTreeSet<PageId>,
    /// Where the borders were last time.
    pub hints: &'a [u64],
}

/// The pages to read next; none when every border is known and the rows that shall be read are read.
#[must_use]
pub fn next(known: &Known<'_>) -> BTreeSet<PageId> {
    let stretches = known.map.stretches();
    let mut wanted = BTreeSet::new();
    let mut inward = BTreeSet::new();
    for (at, stretch) in stretches.iter().enumerate() {
        if stretch.word.status != Status::Done {
            let neighbours = Neighbours::of(&stretches, at);
            let rows = known.rows_of(stretch, &neighbours);
            inward.extend(rows.into_gap_after);
            wanted.extend(rows.pages);
        }
    }
    for (before, pair) in stretches.windows(2).enumerate() {
        let gap = pair[0].range.end..pair[1].range.start;
        if !gap.is_empty() && !inward.contains(&before) {
            wanted.extend(known.probe(&gap));
        }
    }
    wanted.retain(|page| !known.seen.contains(page));
    wanted
}

/// What lies around a stretch.
struct Neighbours {
    at: usize,
    /// Whether its front is a border, or the front of the list.
    front_known: bool,
    /// Whether its back is.
    back_known: bool,
}

impl Neighbours {
    fn of(stretches: &[Stretch], at: usize) -> Self {
        let this = &stretches[at].range;
        let before = at.checked_sub(1).map(|before| &stretches[before]);
        Self {
            at,
            front_known: before.is_none_or(|before| before.range.end == this.start),
            back_known: stretches
                .get(at + 1)
                .is_none_or(|after| after.range.start == this.end),
        }
    }
}

/// The pages of a run that are to be read.
#[derive(Default)]
struct RowPages {
    pages: Vec<PageId>,
    /// The stretch before the gap into which reading goes on, where it does.
    into_gap_after: Option<usize>,
}

impl Known<'_> {
    /// The pages of a run that are still to be read: from its outer end inwards, and on into the gap while its border is not known.
    fn rows_of(&self, stretch: &Stretch, neighbours: &Neighbours) -> RowPages {
        let Range { start, end } = stretch.range;
        let order = if start <= self.layout.total - end {
            Order::Ascending
        } else {
            Order::Descending
        };
        let (outer_known, inner_known) = match order {
            Order::Ascending => (neighbours.front_known, neighbours.back_known),
            Order::Descending => (neighbours.back_known, neighbours.front_known),
        };
        if !outer_known {
            return RowPages::default();
        }
        let covered = self.covered(&stretch.range);
        let mut room = PAGES_OF_A_RUN.saturating_sub(covered.len() as u64);
        let mut pages = Vec::new();
        for missing in missing(&stretch.range, covered, order) {
            let wanted = self.pages_over(&missing, order);
            let wanted = wanted.take(usize::try_from(room).unwrap_or(usize::MAX));
            let before = pages.len();
            pages.extend(wanted);
            room -= (pages.len() - before) as u64;
        }
        let mut into_gap_after = None;
        if !inner_known && room > 0 {
            let (inner, before) = match order {
                Order::Ascending => (end, neighbours.at),
                Order::Descending => (start - 1, neighbours.at - 1),
            };
            let page = self.layout.page_in(order, inner);
            into_gap_after = Some(before).filter(|_| !self.seen.contains(&page));
            pages.push(page);
        }
        RowPages {
            pages,
            into_gap_after,
        }
    }

    /// The parts of a stretch whose rows were read, one for each page.
    fn covered(&self, stretch: &Range<u64>) -> Vec<Range<u64>> {
        let spans = self
            .read
            .iter()
            .map(|page| self.layout.span(*page, self.layout.page_size));
        spans
            .map(|span| span.start.max(stretch.start)..span.end.min(stretch.end))
            .filter(|part| part.start < part.end)
            .collect()
    }

    /// The pages that hold a range, those at its outer end first.
    fn pages_over(&self, range: &Range<u64>, order: Order) -> impl Iterator<Item = PageId> + use<> {
        let (outer, inner) = match order {
            Order::Ascending => (range.start, range.end - 1),
            Order::Descending => (range.end - 1, range.start),
        };
        let first = self.layout.page_in(order, outer).number;
        let last = self.layout.page_in(order, inner).number;
        (first..=last).map(move |number| PageId { order, number })
    }

    /// The page that tells most about a gap between two statuses.
    fn probe(&self, gap: &Range<u64>) -> Option<PageId> {
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
            .flat_map(|position| {
                let near = self.layout.page_at(position);
                let orders = [Order::Ascending, Order::Descending];
                let either = orders.map(|order| self.layout.page_in(order, position));
                [near].into_iter().chain(either)
            })
            .find(|page| !self.seen.contains(page))
    }
}

/// The parts of a stretch that are not covered, those at its outer end first.
fn missing(stretch: &Range<u64>, mut covered: Vec<Range<u64>>, order: Order) -> Vec<Range<u64>> {
    covered.sort_unstable_by_key(|part| part.start);
    let mut missing = Vec::new();
    let mut start = stretch.start;
    for part in covered {
        if start < part.start {
            missing.push(start..part.start);
        }
        start = start.max(part.end);
    }
    if start < stretch.end {
        missing.push(start..stretch.end);
    }
    if order == Order::Descending {
        missing.reverse();
    }
    missing
}
