//! How many reads of a portal run in parallel, and their progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

/// Slots for each request in flight: enough reads to use every one of them, few enough that folders are
/// finished one after another and not all at the end.
const SLOTS_PER_REQUEST: usize = 2;

/// Maximum number of concurrent scans of more than `FEW_PAGES`: with more of them, all would end late.
const LARGE_SCANS: usize = 2;

/// Reads that have a task and wait for a slot, at most; enough to use every slot while the collector writes.
const PLACES: usize = 256;

/// A place among the reads that have a task, until it is dropped. A read releases it with its slot.
pub(in crate::collect) type Place = OwnedSemaphorePermit;

/// A slot of a read, until it is dropped.
pub(super) type Slot<'a> = Option<SemaphorePermit<'a>>;

/// The slots of the reads of a portal. A long or slow read releases its slot, so that it delays no other.
#[derive(Debug, Clone)]
pub(in crate::collect) struct Slots {
    places: Arc<Semaphore>,
    reads: Arc<Semaphore>,
    large_scans: Arc<Semaphore>,
}

impl Slots {
    pub fn new(in_flight: usize) -> Self {
        let slots = in_flight * SLOTS_PER_REQUEST;
        Self {
            places: Arc::new(Semaphore::new(slots + PLACES)),
            reads: Arc::new(Semaphore::new(slots)),
            large_scans: Arc::new(Semaphore::new(LARGE_SCANS)),
        }
    }

    /// A place, if one is free.
    pub fn free_place(&self) -> Option<Place> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }

    /// Waits until a place is free.
    pub async fn wait_for_place(self) {
        let _ = self.places.acquire().await;
    }

    /// Waits for a slot of a read. The semaphores are never closed, so one becomes free eventually.
    pub(super) async fn read(&self) -> Slot<'_> {
        self.reads.acquire().await.ok()
    }

    /// Waits for a slot of a large scan.
    pub(super) async fn large_scan(&self) -> Slot<'_> {
        self.large_scans.acquire().await.ok()
    }
}

/// How far a read under way has come.
#[derive(Debug, Default)]
pub(in crate::collect) struct ReadStatus {
    has_begun: AtomicBool,
    /// 0 if it is no large scan.
    large_scan_pages: AtomicU64,
}

impl ReadStatus {
    /// Whether it has had a slot, so that requests may have been sent.
    pub fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }

    /// The pages of the large scan that it makes.
    pub fn large_scan_pages(&self) -> Option<u64> {
        Some(self.large_scan_pages.load(Ordering::Relaxed)).filter(|pages| *pages > 0)
    }

    pub(super) fn begin(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
    }

    pub(super) fn begin_large_scan(&self, pages: u64) {
        self.large_scan_pages.store(pages, Ordering::Relaxed);
    }
}
