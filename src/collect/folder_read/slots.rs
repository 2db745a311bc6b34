//! The places of a portal's reads: how many are made side by side.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};

/// Reads that begin while others have a place: enough to use every request in flight, few enough that folders are
/// finished one after another and not all at the end.
const PLACES_PER_REQUEST: usize = 2;

/// Scans of more than `FEW_PAGES` that a portal is sent at once: side by side, all of them would end late.
const LARGE_SCANS: usize = 2;

/// The places of the reads of a portal. A long or slow read gives its place up, so that it holds up nobody.
#[derive(Debug, Clone)]
pub(in crate::collect) struct Slots {
    reads: Arc<Semaphore>,
    large_scans: Arc<Semaphore>,
}

impl Slots {
    pub fn new(in_flight: usize) -> Self {
        Self {
            reads: Arc::new(Semaphore::new(in_flight * PLACES_PER_REQUEST)),
            large_scans: Arc::new(Semaphore::new(LARGE_SCANS)),
        }
    }

    /// Waits for a place of a read. The semaphores are never closed, so there always is one in the end.
    pub(super) async fn read(&self) -> Option<SemaphorePermit<'_>> {
        self.reads.acquire().await.ok()
    }

    /// Waits for a place of a large scan.
    pub(super) async fn large_scan(&self) -> Option<SemaphorePermit<'_>> {
        self.large_scans.acquire().await.ok()
    }
}

/// The pages of a large scan that is under way; 0 where none is.
#[derive(Debug, Default)]
pub(in crate::collect) struct LargeScan(AtomicU64);

impl LargeScan {
    /// The pages, where one is under way.
    pub fn pages(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|pages| *pages > 0)
    }

    pub(super) fn begin(&self, pages: u64) {
        self.0.store(pages, Ordering::Relaxed);
    }
}
