//! What a search found.

use std::ops::Range;

use crate::collect::sorted::map::Stretch;
use crate::collect::sorted::page::Layout;
use crate::model::ByStatus;

/// What was found.
pub(super) struct Found {
    pub layout: Layout,
    /// The whole list, front to back, without gaps.
    pub stretches: Vec<Stretch>,
    /// Whether every border was read the same twice.
    pub consistent: bool,
    /// Positions that were seen themselves.
    pub seen: Vec<Range<u64>>,
    /// Whether file names did not go on in their order at a border.
    pub names_break: bool,
}

impl Found {
    /// Files by status.
    pub fn counts(&self) -> ByStatus<u64> {
        let mut counts = ByStatus::default();
        for Stretch { word, range } in &self.stretches {
            counts[word.status] += range.end - range.start;
        }
        counts
    }

    /// The longest part of the list that was not seen itself.
    pub fn largest_unseen(&self) -> Option<Range<u64>> {
        let mut seen = self.seen.clone();
        seen.push(self.layout.total..self.layout.total);
        seen.sort_unstable_by_key(|span| span.start);
        let mut end = 0;
        let unseen = seen.into_iter().map(|span| {
            let unseen = end..span.start.max(end);
            end = end.max(span.end);
            unseen
        });
        unseen
            .filter(|range| !range.is_empty())
            .max_by_key(|range| range.end - range.start)
    }
}
