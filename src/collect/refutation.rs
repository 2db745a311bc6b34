//! What refutes a portal's sorting, kept across restarts: otherwise each new process would believe the portal for a while.

use std::sync::Arc;

use crate::collect::sorted::PageNumber;
use crate::collect::sorting::{Refutation, Sorting};
use crate::collect::{Collector, Settings};
use crate::state::SavedRefutation;

/// What is known of a portal's sorting: what was saved, unless that was of another address.
pub(super) fn restore(settings: &Settings, saved: Option<SavedRefutation>) -> Arc<Sorting> {
    let saved = saved.filter(|saved| saved.address == settings.address);
    let refutation = saved.map(|saved| Refutation {
        folder: saved.folder,
        pages: saved.pages.into_iter().map(PageNumber).collect(),
    });
    let portal = settings.portal.clone();
    Arc::new(Sorting::new(portal, settings.full_every, refutation))
}

impl Collector {
    /// Keeps on disk what refutes the portal's sorting, when that changed.
    pub(super) async fn save_refutation(&mut self) {
        let refutation = self.sorting.refutation();
        if refutation == self.saved_refutation {
            return;
        }
        let saved = refutation.as_ref().map(|refutation| SavedRefutation {
            address: self.settings.address.clone(),
            folder: refutation.folder,
            pages: refutation.pages.iter().map(|page| page.0).collect(),
        });
        let portal = self.settings.portal.clone();
        let result = self
            .dependencies
            .store
            .write_refutation(portal, saved)
            .await;
        self.say_refused(&result);
        if result.is_ok() {
            self.saved_refutation = refutation;
        }
    }
}
