//! The error classes of a portal, over all folders.

use std::cmp::Reverse;
use std::collections::BTreeMap;
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
        let mut classes = BTreeMap::<&Class, (ErrorClass, Option<FolderId>)>::new();
        let mut other: Option<&ErrorRow> = None;
        for folder in folders {
            let counts = self.fresh_counts(folder, now);
            for row in counts.into_iter().flat_map(|counts| &counts.errors) {
                let new = || (self.error_class(&row.class), None);
                let (sum, last_folder) = classes.entry(&row.class).or_insert_with(new);
                sum.files[row.status] += row.files;
                sum.folders += usize::from(last_folder.replace(folder.id) != Some(folder.id));
                if let Some(more) = row.growth {
                    let growth = sum.growth.get_or_insert_default();
                    growth.hour += more.hour;
                    growth.day += more.day;
                }
                if row.example.is_some() && other.is_none_or(|largest| largest.files < row.files) {
                    other = Some(row);
                }
            }
        }
        if let Some(row) = other
            && let Some((class, _)) = classes.get_mut(&row.class)
        {
            class.example = class.example.take().or_else(|| row.example.clone());
        }
        let mut classes: Vec<_> = classes.into_values().map(|(class, _)| class).collect();
        classes.sort_by_key(|class| Reverse(class.files.total()));
        classes
    }

    /// A class before its files are added up.
    fn error_class(&self, class: &Class) -> ErrorClass {
        let known = self.classes.get(class).cloned();
        ErrorClass {
            class: class.clone(),
            files: ByStatus::default(),
            folders: 0,
            growth: None,
            example: known.as_ref().map(|known| Arc::clone(&known.example)),
            known,
        }
    }
}
