//! What fails in a portal: its classes of error, over all folders.

use std::collections::BTreeMap;
use std::collections::HashMap;

use crate::classify::{Class, KnownClass};
use crate::model::{ByStatus, FolderId, Moment};
use crate::snapshot::PortalView;

/// One class of a portal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorClass {
    /// The class.
    pub class: Class,
    /// Its files by status, in all folders whose counts are shown.
    pub files: ByStatus<u64>,
    /// Folders with such files.
    pub folders: usize,
    /// Since when it is known and what it looks like; none for a class without a place of its own.
    pub known: Option<KnownClass>,
}

impl PortalView {
    /// The classes of the files that failed or were flagged, those with most files first.
    #[must_use]
    pub fn error_classes(&self, now: Moment) -> Vec<ErrorClass> {
        let mut files = BTreeMap::<&Class, HashMap<FolderId, ByStatus<u64>>>::new();
        for folder in self.folders.values() {
            let counts = self.fresh_counts(folder, now);
            for row in counts.into_iter().flat_map(|counts| &counts.errors) {
                let folders = files.entry(&row.class).or_default();
                folders.entry(folder.id).or_default()[row.status] += row.files;
            }
        }
        let mut classes: Vec<_> = files
            .into_iter()
            .map(|(class, folders)| ErrorClass {
                class: class.clone(),
                files: ByStatus::from_fn(|status| {
                    folders.values().map(|files| files[status]).sum()
                }),
                folders: folders.len(),
                known: self.known(class),
            })
            .collect();
        classes.sort_by_key(|class| std::cmp::Reverse(class.files.total()));
        classes
    }

    fn known(&self, class: &Class) -> Option<KnownClass> {
        match class {
            Class::Text(text) => self.classes.get(text).cloned(),
            Class::Unspecified | Class::Other | Class::Unread => None,
        }
    }
}
