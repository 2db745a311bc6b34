//! Whether a portal sorts by status: pure.
//!
//! It is assumed, because the portal's interface says so (docs/portal.md, File list), until the rows of a full scan show it, or refute it.

pub mod contradiction;

use crate::count::Order;
use crate::snapshot::SortingState;

/// What the orders of its folders show of a portal.
pub fn of_portal(orders: impl IntoIterator<Item = Order>) -> SortingState {
    let mut state = SortingState::Assumed;
    for order in orders {
        match order {
            Order::Unsorted => return SortingState::Refuted,
            Order::Sorted => state = SortingState::Shown,
            Order::Unknown => {}
        }
    }
    state
}

/// What is believed of a folder: its own rows, and else what others show of the portal.
pub fn of_folder(portal: SortingState, order: Order) -> SortingState {
    match order {
        Order::Sorted => SortingState::Shown,
        Order::Unsorted => SortingState::Refuted,
        Order::Unknown => portal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Order::{Sorted, Unknown, Unsorted};
    use SortingState::{Assumed, Refuted, Shown};

    #[test]
    fn one_folder_shows_it_for_the_portal_and_one_refutes_it() {
        for (orders, state) in [
            (&[][..], Assumed),
            (&[Unknown, Unknown], Assumed),
            (&[Unknown, Sorted], Shown),
            (&[Sorted, Unsorted, Sorted], Refuted),
        ] {
            assert_eq!(of_portal(orders.iter().copied()), state, "{orders:?}");
        }
        for portal in [Assumed, Shown, Refuted] {
            assert_eq!(of_folder(portal, Sorted), Shown);
            assert_eq!(of_folder(portal, Unsorted), Refuted);
            assert_eq!(of_folder(portal, Unknown), portal);
        }
    }
}
