//! How far a look has come, for whoever watches.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the rows of one or several walks. Nothing depends on it.
#[derive(Debug, Default)]
pub struct Progress {
    rows: AtomicU64,
}

impl Progress {
    /// A page of `rows` was read.
    pub(super) fn read(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// Rows that were read so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }
}
