//! Where the boundaries between statuses were when a folder was last counted.

use crate::collect::sorted::map::CellRange;
use crate::collect::sorted::page::Layout;

/// A list that is known from end to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundaries {
    ranges: Vec<CellRange>,
    page_size: u64,
}

impl Default for Boundaries {
    fn default() -> Self {
        Self::of(Vec::new(), 1)
    }
}

impl Boundaries {
    /// The boundaries of a list that is known from end to end.
    #[must_use]
    pub fn of(ranges: Vec<CellRange>, page_size: u64) -> Self {
        Self { ranges, page_size }
    }

    /// The list that they are of.
    #[must_use]
    pub fn layout(&self) -> Layout {
        Layout {
            total: self.ranges.last().map_or(0, |last| last.range.end),
            page_size: self.page_size,
        }
    }

    /// Where they are to be expected in a list of this length: each as far from the nearer end as it was.
    #[must_use]
    pub fn in_list_of(&self, total: u64) -> Vec<u64> {
        let Layout { total: before, .. } = self.layout();
        let expected = self.ranges.iter().skip(1).map(|range| {
            let (front, back) = (range.range.start, before - range.range.start);
            if front <= back {
                front
            } else {
                total.saturating_sub(back)
            }
        });
        expected.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status::{Done, Failed, Pending};

    fn boundaries() -> Boundaries {
        let ranges = [(Failed, 0..10), (Done, 10..90), (Pending, 90..100)];
        let ranges = ranges.map(|(status, range)| CellRange {
            cell: Some(status.into()),
            range,
        });
        Boundaries::of(ranges.into(), 10)
    }

    #[test]
    fn boundaries_keep_their_distance_from_the_nearer_end() {
        let boundaries = boundaries();
        assert_eq!(boundaries.in_list_of(100), [10, 90]);
        assert_eq!(boundaries.in_list_of(150), [10, 140]);
        assert_eq!(boundaries.in_list_of(5), [10, 0]);
    }
}
