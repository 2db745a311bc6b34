//! Which classes are shown by their own label: those that have a class slot. The files of all others are `other`.
//!
//! Slots are few, in each folder and in the whole portal; both are given by the same function ([`assign`]), of who had one and how many
//! files each class has:
//!
//! - A folder's slots are assigned at each count of the folder.
//! - A portal's slots are assigned at the end of each collection ([`ClassSlots::settle`]), among the classes that have a slot in any
//!   folder, by who had one at the end of the collection before. So it does not matter in which order folders are read. Folders
//!   are shown as each is read, so until then a new class has a free slot at once.
//!
//! A class is shown in a folder where it has a slot of the folder and one of the portal. Everything that the assignment
//! hangs on is kept on disk, so a restart changes no label.

mod assign;
mod folder;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use crate::classify::{Class, ClassCounts, Classifier, Version};
use crate::model::{ByStatus, FolderId, Status, Timestamp};

use assign::{Candidate, assign, is_given_up};
use folder::FolderSlots;

/// How long a class without files keeps a slot that nobody needs.
const KEPT_UNSEEN: Duration = Duration::from_hours(24);

/// How many classes may be shown. Those that rules name are always shown, and others fewer then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassLimits {
    /// Of one portal.
    pub portal: usize,
    /// Of one folder.
    pub folder: usize,
}

/// The slot of a class in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassSlot {
    /// The text of the class.
    pub class: Arc<str>,
    /// One of its reasons.
    pub example: Arc<str>,
    /// When it was first seen in the folder.
    pub first_seen: Timestamp,
    /// When it was last seen there.
    pub last_seen: Timestamp,
    /// What told the class; none where that is not known any more.
    pub classifier: Option<Version>,
    /// Its files at the last count.
    pub files: ByStatus<u64>,
    /// Counts in a row in which it had no file.
    pub empty_counts: u32,
    /// Whether the class has a slot of the portal as well.
    pub shown: bool,
}

/// Files of one folder in one class, as they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorRow {
    /// Failed or flagged.
    pub status: Status,
    /// The class.
    pub class: Class,
    /// How many.
    pub files: u64,
    /// One of the reasons, where the class is [`Class::Other`]: of the largest class that has no slot.
    pub example: Option<Arc<str>>,
}

/// A class of a portal that has a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownClass {
    /// One of its reasons.
    pub example: Arc<str>,
    /// When it was first seen in any folder.
    pub first_seen: Timestamp,
    /// When it was last seen.
    pub last_seen: Timestamp,
}

/// The class slots of one portal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassSlots {
    limits: ClassLimits,
    /// The classes that rules name.
    rules: HashSet<Arc<str>>,
    folders: BTreeMap<FolderId, FolderSlots>,
    /// The classes that have a slot of the portal.
    portal: HashSet<Arc<str>>,
    /// Those that had one at the end of the last collection.
    settled: HashSet<Arc<str>>,
}

impl ClassSlots {
    /// Begins with nothing.
    #[must_use]
    pub fn new(limits: ClassLimits, classifier: &Classifier) -> Self {
        Self {
            limits,
            rules: classifier.rule_classes(),
            folders: BTreeMap::new(),
            portal: HashSet::new(),
            settled: HashSet::new(),
        }
    }

    /// Goes on with other limits and rules, from the next count of a folder and the end of the next collection on.
    pub fn reconfigure(&mut self, limits: ClassLimits, classifier: &Classifier) {
        self.limits = limits;
        self.rules = classifier.rule_classes();
    }

    /// Puts back what was kept of a folder.
    pub fn restore(&mut self, folder: FolderId, slots: Vec<ClassSlot>) {
        let shown = slots.iter().filter(|slot| slot.shown);
        let shown: Vec<_> = shown.map(|slot| Arc::clone(&slot.class)).collect();
        self.settled.extend(shown.iter().cloned());
        self.portal.extend(shown);
        let of = self.folders.entry(folder).or_default();
        let slots = slots.into_iter();
        of.slots
            .extend(slots.map(|slot| (Arc::clone(&slot.class), slot)));
    }

    /// The slots of a folder, by class.
    pub fn of(&self, folder: FolderId) -> impl Iterator<Item = &ClassSlot> {
        let of = self.folders.get(&folder).into_iter();
        of.flat_map(|of| of.slots.values())
    }

    /// Every class that has a slot of the portal.
    #[must_use]
    pub fn classes(&self) -> BTreeMap<Arc<str>, KnownClass> {
        let mut classes = BTreeMap::<_, KnownClass>::new();
        for slot in self.slots().filter(|slot| slot.shown) {
            let known = classes
                .entry(Arc::clone(&slot.class))
                .or_insert_with(|| KnownClass {
                    example: Arc::clone(&slot.example),
                    first_seen: slot.first_seen,
                    last_seen: slot.last_seen,
                });
            if slot.first_seen < known.first_seen {
                known.first_seen = slot.first_seen;
                known.example = Arc::clone(&slot.example);
            }
            known.last_seen = known.last_seen.max(slot.last_seen);
        }
        classes
    }

    /// Takes in a count of a folder and returns what is to be shown: by status and class.
    pub fn count(
        &mut self,
        folder: FolderId,
        counts: &ClassCounts,
        now: Timestamp,
    ) -> Vec<ErrorRow> {
        let of = self.folders.entry(folder).or_default();
        of.count(counts, self.limits.folder, &self.rules, now);
        let mut new: Vec<_> = of
            .slots
            .values()
            .filter(|slot| slot.empty_counts == 0)
            .collect();
        new.sort_by_key(|slot| Reverse(slot.files.total()));
        for ClassSlot { class, .. } in new {
            if self.portal.len() < self.limits.portal || self.rules.contains(class) {
                self.portal.insert(Arc::clone(class));
            }
        }
        of.show(&self.portal);
        of.rows()
    }

    /// Ends a collection: assigns the portal's slots, and returns the folders that show something else for it.
    pub fn settle(&mut self) -> Vec<(FolderId, Vec<ErrorRow>)> {
        let mut classes = HashMap::<&Arc<str>, (ByStatus<u64>, u32)>::new();
        for slot in self.slots() {
            let (files, empty_counts) = classes
                .entry(&slot.class)
                .or_insert((ByStatus::default(), u32::MAX));
            *files = ByStatus::from_fn(|status| files[status].saturating_add(slot.files[status]));
            *empty_counts = slot.empty_counts.min(*empty_counts);
        }
        let candidates = classes.into_iter();
        let candidates = candidates.map(|(class, (files, empty_counts))| Candidate {
            class,
            files,
            empty_counts: self.settled.contains(class).then_some(empty_counts),
            by_rule: self.rules.contains(class),
        });
        let assigned = assign(candidates, self.limits.portal);
        self.settled.clone_from(&assigned);
        self.portal = assigned;
        let mut changed = Vec::new();
        for (folder, of) in &mut self.folders {
            if of.show(&self.portal) {
                changed.push((*folder, of.rows()));
            }
        }
        changed
    }

    /// Frees the slots of classes that were unseen for a day, though looks could have shown them, or in folders that are not looked at.
    pub fn expire(&mut self, now: Timestamp, not_looked_at: impl Fn(FolderId) -> bool) {
        for (folder, of) in &mut self.folders {
            of.free(|slot| {
                let could_be_seen = is_given_up(slot.empty_counts);
                now.since(slot.last_seen) > KEPT_UNSEEN && (could_be_seen || not_looked_at(*folder))
            });
        }
        self.folders
            .retain(|folder, of| !of.slots.is_empty() || !not_looked_at(*folder));
    }

    /// Frees the slots of the folders that are not kept.
    pub fn retain_folders(&mut self, keep: impl Fn(FolderId) -> bool) {
        self.folders.retain(|folder, _| keep(*folder));
    }

    fn slots(&self) -> impl Iterator<Item = &ClassSlot> {
        self.folders.values().flat_map(|of| of.slots.values())
    }
}

#[cfg(test)]
mod tests;
