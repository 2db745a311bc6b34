//! What a portal may be asked to change: nothing, unless a test says that failed files may be reindexed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The end of the one path that may be posted to.
pub(crate) const REINDEX_FAILED: &str = "/reindex-failed";

/// What the exporter may ask of a portal beside reading.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    reindex_failed: AtomicBool,
}

impl Writes {
    /// From now on failed files may be reindexed.
    pub(crate) fn allow_reindex_failed(&self) {
        self.reindex_failed.store(true, Ordering::Relaxed);
    }

    /// Fails where anything else was asked than what may be; for the end of every test.
    pub(crate) fn judge<'a>(&self, requests: impl Iterator<Item = (&'a str, &'a str)>) {
        if thread::panicking() {
            return;
        }
        let wrong: Vec<_> = requests
            .filter(|(method, path)| !self.admits(method, path))
            .collect();
        assert!(wrong.is_empty(), "the portal was written to: {wrong:?}");
    }

    fn admits(&self, method: &str, path: &str) -> bool {
        let reindexes = method == "POST" && path.ends_with(REINDEX_FAILED);
        method == "GET" || (reindexes && self.reindex_failed.load(Ordering::Relaxed))
    }
}
