//! The class slots of one folder, and what it shows by them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::assign::{Candidate, assign};
use super::{ClassSlot, ErrorRow};
use crate::classify::{Class, ClassCount, ClassCounts, Version};
use crate::model::{ByStatus, Status, Timestamp};

/// The slots of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FolderSlots {
    pub slots: BTreeMap<Arc<str>, ClassSlot>,
    /// The files that have no slot; none before the first count since the start.
    rest: Option<Rest>,
}

/// Files of classes without a slot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Rest {
    /// By status and class: none of them has a text.
    files: BTreeMap<(Status, Class), u64>,
    /// The files, the class and the example of the largest class; among equals the one whose text comes first.
    largest: Option<(u64, Reverse<Arc<str>>, Arc<str>)>,
}

impl FolderSlots {
    /// Takes in a count: gives slots to its classes, as far as there are some.
    pub fn count(
        &mut self,
        counts: &ClassCounts,
        limit: usize,
        rules: &HashSet<Arc<str>>,
        now: Timestamp,
    ) {
        self.see(counts, now);
        let held = self.slots.values();
        let held = held.map(|slot| (&slot.class, slot.files, Some(slot.empty_counts)));
        let new = texts(counts).filter(|(class, _)| !self.slots.contains_key(*class));
        let new = new.map(|(class, count)| (class, count.files, None));
        let candidates = held
            .chain(new)
            .map(|(class, files, empty_counts)| Candidate {
                class,
                files,
                empty_counts,
                by_rule: rules.contains(class),
            });
        let assigned = assign(candidates, limit);
        self.slots.retain(|class, _| assigned.contains(class));
        let mut rest = Rest::default();
        for count in &counts.counts {
            match &count.class {
                Class::Text(class) if !assigned.contains(class) => {
                    rest.add(class, count.files, count.example_or(class));
                }
                Class::Text(class) => {
                    let slot = || ClassSlot::new(class, count, counts.classifier, now);
                    self.slots.entry(Arc::clone(class)).or_insert_with(slot);
                }
                reserved => rest.add_files(reserved, count.files),
            }
        }
        self.rest = Some(rest);
    }

    /// Notes which classes have files. Those without that another classifier told go at once: it may call the same files something
    /// else.
    fn see(&mut self, counts: &ClassCounts, now: Timestamp) {
        for slot in self.slots.values_mut() {
            slot.files = ByStatus::default();
            slot.empty_counts = slot.empty_counts.saturating_add(1);
        }
        for (class, count) in texts(counts) {
            if let Some(slot) = self.slots.get_mut(class) {
                slot.files = count.files;
                slot.empty_counts = 0;
                slot.last_seen = now;
                slot.classifier = Some(counts.classifier);
            }
        }
        self.slots
            .retain(|_, slot| slot.empty_counts == 0 || slot.classifier == Some(counts.classifier));
    }

    /// Frees slots; their files stay counted.
    pub fn free(&mut self, is_free: impl Fn(&ClassSlot) -> bool) {
        let rest = &mut self.rest;
        self.slots.retain(|_, slot| {
            let free = is_free(slot);
            if let Some(rest) = rest.as_mut().filter(|_| free) {
                rest.add(&slot.class, slot.files, Arc::clone(&slot.example));
            }
            !free
        });
    }

    /// Shows the classes that have a slot of the portal; tells whether that changes any row.
    pub fn show(&mut self, portal: &HashSet<Arc<str>>) -> bool {
        let mut changed = false;
        for slot in self.slots.values_mut() {
            let shown = portal.contains(&slot.class);
            changed |= shown != slot.shown && slot.files.total() > 0;
            slot.shown = shown;
        }
        changed && self.rest.is_some()
    }

    /// What is shown: by status and class.
    pub fn rows(&self) -> Vec<ErrorRow> {
        let mut rest = self.rest.clone().unwrap_or_default();
        let (shown, hidden) = self
            .slots
            .values()
            .partition::<Vec<_>, _>(|slot| slot.shown);
        for slot in hidden {
            rest.add(&slot.class, slot.files, Arc::clone(&slot.example));
        }
        let mut files = rest.files;
        for slot in shown {
            for status in Status::WITH_REASON {
                let class = Class::Text(Arc::clone(&slot.class));
                files.insert((status, class), slot.files[status]);
            }
        }
        let other = rest.largest.map(|(_, _, example)| example);
        let files = files.into_iter().filter(|(_, files)| *files > 0);
        let row = |((status, class), files)| ErrorRow {
            status,
            files,
            example: other.clone().filter(|_| class == Class::Other),
            class,
        };
        files.map(row).collect()
    }
}

impl Rest {
    fn add(&mut self, class: &Arc<str>, files: ByStatus<u64>, example: Arc<str>) {
        self.add_files(&Class::Other, files);
        if files.total() > 0 {
            let largest = (files.total(), Reverse(Arc::clone(class)), example);
            self.largest = self.largest.take().max(Some(largest));
        }
    }

    fn add_files(&mut self, class: &Class, files: ByStatus<u64>) {
        for status in Status::WITH_REASON {
            *self.files.entry((status, class.clone())).or_default() += files[status];
        }
    }
}

impl ClassSlot {
    fn new(class: &Arc<str>, count: &ClassCount, classifier: Version, now: Timestamp) -> Self {
        Self {
            class: Arc::clone(class),
            example: count.example_or(class),
            first_seen: now,
            last_seen: now,
            classifier: Some(classifier),
            files: count.files,
            empty_counts: 0,
            shown: false,
        }
    }
}

/// The counts of the classes that need a slot: reserved ones need none.
fn texts(counts: &ClassCounts) -> impl Iterator<Item = (&Arc<str>, &ClassCount)> {
    let counts = counts.counts.iter();
    let counts = counts.filter(|count| count.files.total() > 0);
    counts.filter_map(|count| match &count.class {
        Class::Text(text) => Some((text, count)),
        Class::Unspecified | Class::Other | Class::Unread => None,
    })
}
