//! Whether a portal sorts by status: pure.
//!
//! It is assumed, because the portal's interface says so (docs/portal.md, File list), until the rows of a full scan show it, or refute it. In a list
//! that is sorted, equal statuses are adjacent, whatever their order is.

pub mod contradiction;

use std::collections::BTreeMap;

use crate::count::SortingState::{self, Assumed, Refuted, Shown};

/// What its folders show of a portal.
pub fn of_portal(folders: impl IntoIterator<Item = SortingState>) -> SortingState {
    let folders: Vec<_> = folders.into_iter().collect();
    let decided = [Refuted, Shown].into_iter();
    let mut decided = decided.filter(|state| folders.contains(state));
    decided.next().unwrap_or(Assumed)
}

/// What is believed of a folder: its own rows, and else what others show of the portal.
pub fn of_folder(portal: SortingState, own: SortingState) -> SortingState {
    if own == Assumed { portal } else { own }
}

/// Where values come again after another one: for each the place where it ended, the last one before it comes again, and that where it does.
pub fn breaks<P: Copy, V: Copy + Ord>(values: impl IntoIterator<Item = (P, V)>) -> Vec<[P; 3]> {
    let mut breaks = Vec::new();
    let mut last = BTreeMap::new();
    let mut before = None;
    for (place, value) in values {
        let ended = last.insert(value, place);
        if let (Some(ended), Some((previous, until))) = (ended, before)
            && previous != value
        {
            breaks.push([ended, until, place]);
        }
        before = Some((value, place));
    }
    breaks
}

/// Whether a value occurs again after another one.
pub fn comes_again<V: Copy + Ord>(values: impl IntoIterator<Item = V>) -> bool {
    let values = values.into_iter().map(|value| ((), value));
    !breaks(values).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status::{self, Done, Failed, Pending};

    #[test]
    fn one_folder_shows_it_for_the_portal_and_one_refutes_it() {
        for (folders, state) in [
            (&[][..], Assumed),
            (&[Assumed, Assumed], Assumed),
            (&[Assumed, Shown], Shown),
            (&[Shown, Refuted, Shown], Refuted),
        ] {
            assert_eq!(of_portal(folders.iter().copied()), state, "{folders:?}");
        }
    }

    fn of(pages: &[&[Status]]) -> Vec<[usize; 3]> {
        let pages = pages.iter().enumerate();
        breaks(pages.flat_map(|(page, statuses)| statuses.iter().map(move |one| (page, *one))))
    }

    #[test]
    fn a_status_that_comes_again_is_shown_by_the_pages_around_it() {
        for (pages, breaks) in [
            (&[][..], vec![]),
            (&[&[Done][..], &[], &[Done]], vec![]),
            (
                &[&[Pending, Failed], &[Failed, Failed], &[Failed, Done]],
                vec![],
            ),
            (&[&[Done, Failed, Done]], vec![[0, 0, 0]]),
            (
                &[&[Done], &[Done], &[Failed], &[Failed], &[Done]],
                vec![[1, 3, 4]],
            ),
            (
                &[&[Done, Failed, Done], &[Failed]],
                vec![[0, 0, 0], [0, 0, 1]],
            ),
        ] {
            assert_eq!(of(pages), breaks, "{pages:?}");
        }
    }
}
