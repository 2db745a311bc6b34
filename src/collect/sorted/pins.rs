//! The pages on which a count hangs: pure.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::collect::sorted::map::Stretch;
use crate::collect::sorted::page::PageId;

/// The first page of each end, and for every border a page with both its sides, or else the two pages that meet there.
///
/// If each of these shows the same in two looks, all first looks before all second ones, then all of them showed this at the
/// moment between, and what follows from them held then.
#[must_use]
pub fn pins(stretches: &[Stretch], pages: &[(PageId, Range<u64>)]) -> BTreeSet<PageId> {
    let mut pins = BTreeSet::from([PageId::FRONT, PageId::BACK]);
    for border in stretches.iter().skip(1).map(|stretch| stretch.range.start) {
        let holding = |position: u64| {
            let mut holding = pages
                .iter()
                .filter(move |(_, span)| span.contains(&position));
            holding.next().map(|(page, _)| *page)
        };
        let across = pages
            .iter()
            .find(|(_, span)| span.contains(&(border - 1)) && span.contains(&border));
        match across {
            Some((page, _)) => {
                pins.insert(*page);
            }
            None => pins.extend([border - 1, border].into_iter().filter_map(holding)),
        }
    }
    pins
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::sorted::page::Layout;
    use crate::model::Status::{Done, Failed, Pending};
    use crate::portal::Order;

    #[test]
    fn a_border_hangs_on_the_page_that_shows_both_sides_or_on_the_two_that_meet_there() {
        let layout = Layout {
            total: 1_000,
            page_size: 100,
        };
        let stretches = [(Failed, 0..150), (Done, 150..900), (Pending, 900..1_000)];
        let stretches = stretches.map(|(status, range)| Stretch {
            word: status.into(),
            range,
        });
        let page = |order, number| {
            let id = PageId { order, number };
            (id, layout.span(id, 100))
        };
        let pages = [
            page(Order::Ascending, 1),
            page(Order::Ascending, 2),
            page(Order::Ascending, 3),
            page(Order::Descending, 1),
            page(Order::Descending, 2),
        ];
        let expected = [0, 1, 3, 4].map(|at: usize| pages[at].0);
        assert_eq!(pins(&stretches, &pages), BTreeSet::from(expected));
    }
}
