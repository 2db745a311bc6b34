//! The counters of a folder.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::ByStatus;

/// Upper bounds of the buckets of `kb_folder_indexing_seconds`, in seconds (docs/metrics.md, Indexing time).
const BUCKETS: [u32; 6] = [60, 300, 900, 3_600, 14_400, 86_400];

/// The counters of a folder, which never decrease.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderCounters {
    pub entries: ByStatus<u64>,
    pub indexing: IndexingTimes,
}

/// How long files took from upload to done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexingTimes {
    /// Durations in each bucket and not in a smaller one; longer ones are only in [`Self::count`].
    pub buckets: [u64; BUCKETS.len()],
    pub count: u64,
    /// Their sum in milliseconds.
    pub sum_millis: u64,
}

impl IndexingTimes {
    pub fn observe(&mut self, duration: Duration) {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let fits = |bound: &u32| millis <= u64::from(*bound) * 1_000;
        if let Some(bucket) = BUCKETS.iter().position(fits) {
            self.buckets[bucket] += 1;
        }
        self.count += 1;
        self.sum_millis = self.sum_millis.saturating_add(millis);
    }

    /// Each bucket's bound in seconds with the number of durations up to it.
    pub fn cumulative(&self) -> impl Iterator<Item = (u32, u64)> {
        let mut sum = 0;
        BUCKETS
            .into_iter()
            .zip(self.buckets)
            .map(move |(bound, count)| {
                sum += count;
                (bound, sum)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_fall_into_the_first_bucket_that_holds_them() {
        let mut times = IndexingTimes::default();
        for seconds in [0, 60, 61, 86_400, 86_401] {
            times.observe(Duration::from_secs(seconds));
        }
        assert_eq!(times.buckets, [2, 1, 0, 0, 0, 1]);
        assert_eq!((times.count, times.sum_millis), (5, 172_922_000));
        assert_eq!(times.cumulative().last(), Some((86_400, 4)));
    }
}
