//! The error classes of a portal, over all folders.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::classify::{Class, ErrorRow, Growth, KnownClass};
use crate::clock::Moment;
use crate::model::{ByStatus, FolderId};
use crate::snapshot::{FolderView, PortalView};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorClass {
    pub class: Class,
    /// Its files by status, in all folders whose counts are shown.
    pub files: ByStatus<u64>,
    pub folders: usize,
    /// By how many files it grew; none for a class without a class slot.
    pub growth: Option<Growth>,
    /// Since when it is known; none for a class without a class slot.
    pub known: Option<KnownClass>,
    /// One of its reasons, where there is one; of [`Class::Other`], one of the folder where most files have no class slot.
    pub example: Option<Arc<str>>,
}

impl PortalView {
    /// The classes of the files that failed or were flagged, those with most files first.
    pub fn error_classes(&self, now: Moment) -> Vec<ErrorClass> {
        self.error_classes_of(self.folders.values().map(|folder| &**folder), now)
    }

    /// The same of some folders.
    pub fn error_classes_of<'a>(
        &'a self,
        folders: impl IntoIterator<Item = &'a FolderView>,
        now: Moment,
    ) -> Vec<ErrorClass> {
        let mut sums =
            BTreeMap::<&Class, (ByStatus<u64>, BTreeSet<FolderId>, Option<Growth>)>::new();
        let mut other: Option<&ErrorRow> = None;
        for folder in folders {
            let counts = self.fresh_counts(folder, now);
            for row in counts.into_iter().flat_map(|counts| &counts.errors) {
                let (files, folders, growth) = sums.entry(&row.class).or_default();
                files[row.status] += row.files;
                folders.insert(folder.id);
                if let Some(more) = row.growth {
                    *growth.get_or_insert_default() += more;
                }
                if row.example.is_some() && other.is_none_or(|largest| largest.files < row.files) {
                    other = Some(row);
                }
            }
        }
        let classes = sums.into_iter().map(|(class, (files, folders, growth))| {
            let known = self.known(class);
            let of_other = other.filter(|row| row.class == *class);
            ErrorClass {
                class: class.clone(),
                files,
                folders: folders.len(),
                growth,
                example: match &known {
                    Some(known) => Some(Arc::clone(&known.example)),
                    None => of_other.and_then(|row| row.example.clone()),
                },
                known,
            }
        });
        let mut classes: Vec<_> = classes.collect();
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
