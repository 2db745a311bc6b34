//! What file names tell about a list: one that is sorted by them goes on ascending where one status ends and another begins.

use std::ops::Range;

use crate::collect::sorted::map::Stretch;
use crate::collect::sorted::page::Shown;
use crate::portal::Order;

/// The names of a page, as far as they are worth keeping.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// Whether at a border on the page they do not go on ascending.
    falls: bool,
    /// The one nearest to the front of the list.
    first: Option<String>,
    /// The one nearest to its back.
    last: Option<String>,
}

impl Names {
    /// Takes the names of a page's rows.
    pub fn of(order: Order, shown: &Shown, mut names: Vec<String>) -> Self {
        let borders = shown.runs.iter().scan(0, |at, run| {
            *at += usize::try_from(run.files).unwrap_or(usize::MAX);
            Some(*at)
        });
        let mut pairs = borders.filter_map(|at| Some((names.get(at - 1)?, names.get(at)?)));
        let falls = pairs.any(|(before, after)| match order {
            Order::Ascending => before > after,
            Order::Descending => after > before,
        });
        if order == Order::Descending {
            names.reverse();
        }
        let last = names.pop();
        Self {
            falls,
            first: names.into_iter().next().or_else(|| last.clone()),
            last,
        }
    }
}

/// Whether at a border between stretches the names do not go on ascending.
pub(super) fn fall(stretches: &[Stretch], pages: &[(Range<u64>, &Names)]) -> bool {
    let between_pages = |border: u64| {
        let before = pages.iter().filter(|(span, _)| span.end == border);
        let mut after = pages.iter().filter(|(span, _)| span.start == border);
        let before = before.filter_map(|(_, names)| names.last.as_ref()).max();
        let after = after.find_map(|(_, names)| names.first.as_ref());
        before
            .zip(after)
            .is_some_and(|(before, after)| before > after)
    };
    let mut borders = stretches.iter().skip(1).map(|stretch| stretch.range.start);
    pages.iter().any(|(_, names)| names.falls) || borders.any(between_pages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status::{Done, Failed};

    fn page(order: Order, rows: &[(crate::model::Status, &str)]) -> Names {
        let mut shown = Shown::default();
        for (status, _) in rows {
            shown.add((*status).into());
        }
        Names::of(
            order,
            &shown,
            rows.iter().map(|row| row.1.to_owned()).collect(),
        )
    }

    #[test]
    fn names_that_go_on_ascending_at_a_border_tell_nothing() {
        for (order, rows, falls) in [
            (
                Order::Ascending,
                [(Failed, "a"), (Failed, "z"), (Done, "b")],
                true,
            ),
            (
                Order::Ascending,
                [(Failed, "c"), (Failed, "a"), (Done, "b")],
                false,
            ),
            (
                Order::Descending,
                [(Done, "z"), (Failed, "y"), (Failed, "a")],
                false,
            ),
            (
                Order::Descending,
                [(Done, "b"), (Failed, "y"), (Failed, "a")],
                true,
            ),
        ] {
            assert_eq!(page(order, &rows).falls, falls, "{order:?} {rows:?}");
        }
    }

    #[test]
    fn a_border_between_two_pages_counts_too() {
        let stretches = [(Failed, 0..2), (Done, 2..4)].map(|(status, range)| Stretch {
            word: status.into(),
            range,
        });
        let front = page(Order::Ascending, &[(Failed, "a"), (Failed, "m")]);
        for (back, falls) in [("b", true), ("n", false)] {
            let back = page(Order::Descending, &[(Done, "z"), (Done, back)]);
            let pages = [(0..2, &front), (2..4, &back)];
            assert_eq!(fall(&stretches, &pages), falls, "{back:?}");
        }
    }
}
