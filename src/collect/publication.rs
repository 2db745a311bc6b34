//! When a snapshot is published.

use std::time::Duration;

use tokio::time::Instant;

/// Snapshots are at least this far apart: each costs time for every folder of the portal, and thousands may be read in a second.
const MIN_GAP: Duration = Duration::from_millis(50);

/// The gap is at least this many times as long as making a snapshot takes.
const GAP_SHARE: u32 = 10;

/// Whether something is known that is not published, and when the next snapshot may be.
#[derive(Debug)]
pub(super) struct Publication {
    pending: bool,
    next: Instant,
}

impl Publication {
    pub fn new(now: Instant) -> Self {
        Self {
            pending: false,
            next: now,
        }
    }

    /// Something changed.
    pub fn request(&mut self) {
        self.pending = true;
    }

    /// When to publish what changed; none if nothing did.
    pub fn due(&self) -> Option<Instant> {
        Some(self.next).filter(|_| self.pending)
    }

    /// A snapshot was published; making it took `took`.
    pub fn published(&mut self, now: Instant, took: Duration) {
        self.pending = false;
        self.next = now + MIN_GAP.max(took * GAP_SHARE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;

    #[test]
    fn snapshots_are_a_gap_apart_that_grows_with_what_they_take() {
        let now = Moment::now().steady;
        let mut publication = Publication::new(now);
        assert_eq!(publication.due(), None);
        publication.request();
        assert_eq!(publication.due(), Some(now));
        for (took, gap) in [(1, 50), (5, 50), (20, 200)] {
            let [took, gap] = [took, gap].map(Duration::from_millis);
            publication.published(now, took);
            assert_eq!(publication.due(), None);
            publication.request();
            assert_eq!(publication.due(), Some(now + gap));
        }
    }
}
