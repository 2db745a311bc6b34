//! The progress of a collector, for observers. Only liveness depends on it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Moment;

/// Files that were counted, and when the collector last showed that it is alive.
#[derive(Debug)]
pub struct Progress {
    rows: AtomicU64,
    beat: Mutex<Instant>,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            rows: AtomicU64::new(0),
            beat: Mutex::new(Moment::now().steady),
        }
    }
}

impl Progress {
    /// A page of `rows` was read.
    pub(super) fn read(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    pub(super) fn beat(&self) {
        *self.beat.lock().unwrap_or_else(PoisonError::into_inner) = Moment::now().steady;
    }

    /// Rows that were read so far.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// How long ago the collector showed that it is alive.
    pub fn silence(&self) -> Duration {
        let beat = self.beat.lock();
        beat.unwrap_or_else(PoisonError::into_inner).elapsed()
    }
}
