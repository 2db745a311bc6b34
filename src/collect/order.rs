//! What the folders of a portal show about the order of its rows.

use tracing::{info, warn};

use crate::collect::Collector;
use crate::collect::folder::Folder;
use crate::collect::sorting;
use crate::config::Strategy;
use crate::model::FolderId;
use crate::snapshot::SortingState;

/// Folders that a message names, at most.
const NAMED_FOLDERS: usize = 3;

impl Collector {
    /// Whether a folder is sorted, as far as it is known.
    pub(super) fn sorting_of(&self, folder: &Folder) -> SortingState {
        sorting::of_folder(self.sorting, folder.order())
    }

    /// Rows of a folder show that it is not sorted.
    pub(super) fn refute(&mut self, id: FolderId) {
        if let Some(folder) = self.folders.get_mut(id) {
            folder.stored.order = SortingState::Refuted;
            folder.doubt_boundaries();
        }
        self.judge_sorting();
    }

    /// Notes what the folders show about the portal, and says what is new.
    pub(super) fn judge_sorting(&mut self) {
        // What a folder showed of the portal holds after it left.
        let folders = self.folders.iter();
        let folders =
            folders.filter(|folder| folder.is_there() || folder.order() == SortingState::Shown);
        let state = sorting::of_portal(folders.map(Folder::order));
        let before = std::mem::replace(&mut self.sorting, state);
        if state == before {
            return;
        }
        let portal = &self.settings.portal.name;
        if state == SortingState::Refuted {
            let others = self.folders.iter_mut();
            let others = others.filter(|folder| folder.order() == SortingState::Assumed);
            others.for_each(Folder::doubt_boundaries);
            if let Some(unsorted) = self.unsorted() {
                warn!(%portal, "{unsorted}");
            }
        } else {
            info!(%portal, sorting = state.as_str(), "what is known of the order of its lists changed");
        }
        self.publish_soon();
    }

    /// Why every page is read although the configuration asks for less.
    pub(super) fn unsorted(&self) -> Option<String> {
        if self.settings.collect.strategy == Strategy::Full || self.sorting != SortingState::Refuted
        {
            return None;
        }
        let folders = self.folders.iter();
        let unsorted = folders.filter(|folder| folder.order() == SortingState::Refuted);
        let names: Vec<_> = unsorted.map(|folder| folder.view.name.label()).collect();
        let first = names[..names.len().min(NAMED_FOLDERS)].join(", ");
        Some(format!(
            "the portal does not sort by status, as the rows of {} folders show ({first}): every page is read of all folders that were not shown to be sorted",
            names.len()
        ))
    }
}
