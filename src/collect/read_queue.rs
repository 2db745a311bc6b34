//! The reads of a portal that wait for a place among those that have a task.
//!
//! Many folders may be due at once. The task of a read takes memory, even while it only waits for a slot, so few of them have one.

use std::collections::VecDeque;

use crate::collect::folder_read::{Place, Slots};
use crate::collect::runs::RunId;
use crate::model::FolderId;

/// The reads that have no task yet, in the order in which they are made.
#[derive(Debug, Default)]
pub(super) struct ReadQueue {
    waiting: VecDeque<(RunId, FolderId)>,
    /// Whether a task waits for a place.
    is_asking: bool,
}

impl ReadQueue {
    /// Adds a read to the end.
    pub fn push(&mut self, run: RunId, folder: FolderId) {
        self.waiting.push_back((run, folder));
    }

    /// Takes out the next read, if there is a place for it.
    pub fn next(&mut self, slots: &Slots) -> Option<(RunId, FolderId, Place)> {
        let (run, folder) = *self.waiting.front()?;
        let place = slots.free_place()?;
        self.waiting.pop_front();
        Some((run, folder, place))
    }

    /// Whether to wait for a place now. Does not become true again before [`Self::place_is_free`].
    pub fn asks(&mut self) -> bool {
        let asks = !self.waiting.is_empty() && !self.is_asking;
        self.is_asking |= asks;
        asks
    }

    pub fn place_is_free(&mut self) {
        self.is_asking = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_reads_are_taken_out_as_there_are_places_and_the_others_follow_in_their_order() {
        let id = |number: u128| FolderId::from(uuid::Uuid::from_u128(number));
        let (slots, mut queue) = (Slots::new(1), ReadQueue::default());
        (0..10_000).for_each(|number| queue.push(1, id(number)));
        let mut places = Vec::new();
        while let Some((_, folder, place)) = queue.next(&slots) {
            assert_eq!(folder, id(places.len() as u128));
            places.push(place);
        }
        assert!((2..10_000).contains(&places.len()));
        assert!(queue.asks() && !queue.asks(), "once");
        let next = id(places.len() as u128);
        places.pop();
        queue.place_is_free();
        assert_eq!(queue.next(&slots).map(|(_, folder, _)| folder), Some(next));
    }
}
