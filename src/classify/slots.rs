//! Class slots: which classes are shown by a label of their own. The files of all other classes are `other`.
//!
//! A class is shown in a folder if it has a slot of the folder and one of the portal. Both are assigned by the same pure function,
//! `assign`, from the classes that hold a slot and the files of every class:
//!
//! - the slots of a folder at each count of the folder;
//! - the slots of the portal at the end of each collection ([`ClassSlots::settle`]), so that the order in which folders are read does
//!   not matter. Until then, a new class gets a slot of the portal that is free.
//!
//! Everything that the assignment depends on is on disk, so a restart changes no label.

mod assign;
mod folder;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::classify::{Class, ClassCounts, Reasons};
use crate::model::{ByStatus, FolderId, Series, Status, Timestamp};

use assign::assign;
use folder::FolderSlots;

/// How many classes may be shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassLimits {
    pub portal: usize,
    pub folder: usize,
    /// The classes that rules name. While they have files, they are shown, and fewer others.
    pub rule_classes: HashSet<Class>,
}

/// The slot of a class in a folder. Classes that are no text have one beside the limits; that of [`Class::Other`] has the files of all classes
/// without a slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassSlot {
    pub class: Class,
    /// Its facts in the folder.
    pub known: KnownClass,
    /// Its files at the last count.
    pub files: ByStatus<u64>,
    /// Its failed and its flagged files in the last day, every quarter of an hour.
    #[serde(default)]
    pub day: [Series; 2],
    /// Whether the class has a slot of the portal as well.
    pub shown: bool,
}

/// Files of one folder in one class, as they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorRow {
    pub status: Status,
    pub class: Class,
    pub files: u64,
    /// One of the reasons, if the class is [`Class::Other`]: of the largest class that has no slot.
    pub example: Option<Arc<str>>,
    /// None if the class is [`Class::Other`].
    pub growth: Option<Growth>,
}

/// By how many files a class grew until its last count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Growth {
    pub hour: i64,
    pub day: i64,
}

/// Facts about a class that has a slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownClass {
    pub example: Arc<str>,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
}

/// The class slots of one portal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassSlots {
    /// Apply from the next count of a folder and the end of the next collection on.
    pub limits: ClassLimits,
    folders: BTreeMap<FolderId, FolderSlots>,
    /// The classes that have a slot of the portal.
    portal: HashSet<Class>,
    /// Those that had one at the end of the last collection.
    settled: HashSet<Class>,
}

impl ClassSlots {
    /// Begins without any slot.
    pub fn new(limits: ClassLimits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Restores the slots of a folder from disk, and what is shown of its files.
    pub fn restore(&mut self, folder: FolderId, slots: Vec<ClassSlot>) -> Vec<ErrorRow> {
        let shown = slots.iter().filter(|slot| slot.shown);
        self.portal.extend(shown.map(|slot| slot.class.clone()));
        self.settled.clone_from(&self.portal);
        let restored = FolderSlots::new(slots);
        let rows = restored.rows();
        self.folders.insert(folder, restored);
        rows
    }

    /// The slots of a folder, by class.
    pub fn of(&self, folder: FolderId) -> impl Iterator<Item = &ClassSlot> {
        let folder = self.folders.get(&folder).into_iter();
        folder.flat_map(FolderSlots::iter)
    }

    /// Every class that has a slot of the portal.
    pub fn classes(&self) -> BTreeMap<Class, KnownClass> {
        let mut classes = BTreeMap::<_, KnownClass>::new();
        for ClassSlot { class, known, .. } in self.slots().filter(|slot| slot.shown) {
            let entry = classes.entry(class.clone());
            let oldest = entry.or_insert_with(|| known.clone());
            let last_seen = oldest.last_seen.max(known.last_seen);
            if known.first_seen < oldest.first_seen {
                oldest.clone_from(known);
            }
            oldest.last_seen = last_seen;
        }
        classes
    }

    /// Assigns the slots of a folder by a count of its files, and returns the folder's files by status and shown class. `is_first`: in the
    /// first count of the folder no class is new.
    pub fn count(
        &mut self,
        id: FolderId,
        counts: &ClassCounts,
        reasons: &Reasons,
        at: Timestamp,
        is_first: bool,
    ) -> Vec<ErrorRow> {
        let limits = &self.limits;
        let folder = self.folders.entry(id).or_default();
        for class in folder.count(counts, reasons, limits, at, is_first) {
            if self.portal.len() < limits.portal || limits.rule_classes.contains(&class) {
                self.portal.insert(class);
            }
        }
        folder.show(&self.portal);
        folder.rows()
    }

    /// Assigns the portal's slots at the end of a collection, and returns the folders that show something else now.
    pub fn settle(&mut self) -> Vec<(FolderId, Vec<ErrorRow>)> {
        let (limit, rule_classes) = (self.limits.portal, &self.limits.rule_classes);
        let files = self.slots().map(|slot| (&slot.class, slot.files));
        let assigned = assign(files, &self.settled, limit, rule_classes);
        self.portal = assigned.into_iter().collect();
        self.settled.clone_from(&self.portal);
        let portal = &self.portal;
        let folders = self.folders.iter_mut();
        let changed = folders.filter_map(|(id, slots)| Some((*id, slots.show(portal)?)));
        changed.collect()
    }

    /// Frees the slots of all folders but those for which `keep` is true.
    pub fn retain_folders(&mut self, keep: impl Fn(FolderId) -> bool) {
        self.folders.retain(|folder, _| keep(*folder));
    }

    fn slots(&self) -> impl Iterator<Item = &ClassSlot> {
        self.folders.values().flat_map(FolderSlots::iter)
    }
}

#[cfg(test)]
mod tests;
