//! The class slots of one folder, and what it shows by them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::assign::{Candidate, assign};
use super::{ClassSlot, ErrorRow};
use crate::classify::{Class, ClassCount, ClassCounts};
use crate::model::{ByStatus, Status, Timestamp};

/// The slots of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FolderSlots {
    pub slots: BTreeMap<Arc<str>, ClassSlot>,
    /// The files without a slot; none before the first count since the start.
    rest: Option<Rest>,
}

/// Files of classes without a slot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Rest {
    /// By class, of which none is a text.
    files: BTreeMap<Class, ByStatus<u64>>,
    /// The files, the text and the example of the largest class; among equals the one whose text comes first.
    largest: Option<(u64, Reverse<Arc<str>>, Arc<str>)>,
}

impl FolderSlots {
    /// Updates the slots by a count, and assigns them.
    pub fn count(
        &mut self,
        counts: &ClassCounts,
        limit: usize,
        rule_classes: &HashSet<Arc<str>>,
        now: Timestamp,
    ) {
        let held: HashSet<_> = self.slots.keys().cloned().collect();
        let mut rest = Rest::default();
        for slot in self.slots.values_mut() {
            slot.files = ByStatus::default();
            slot.empty_counts = slot.empty_counts.saturating_add(1);
        }
        for count in counts.counts.iter().filter(|count| count.files.total() > 0) {
            let Class::Text(class) = &count.class else {
                rest.add_files(&count.class, count.files);
                continue;
            };
            let new = || ClassSlot::new(class, count, now);
            let slot = self.slots.entry(Arc::clone(class)).or_insert_with(new);
            slot.files = count.files;
            slot.empty_counts = 0;
            slot.last_seen = now;
            slot.classifier = Some(counts.classifier);
        }
        // Where another classifier found a class, its files may have another class now.
        self.slots
            .retain(|_, slot| slot.empty_counts == 0 || slot.classifier == Some(counts.classifier));
        let candidates = self.slots.values().map(|slot| Candidate {
            class: &slot.class,
            files: slot.files,
            empty_counts: held.contains(&slot.class).then_some(slot.empty_counts),
            by_rule: rule_classes.contains(&slot.class),
        });
        let assigned = assign(candidates, limit);
        self.rest = Some(rest);
        self.free(|slot| !assigned.contains(&slot.class));
    }

    /// Frees slots; their files are counted without one.
    pub fn free(&mut self, is_free: impl Fn(&ClassSlot) -> bool) {
        for (_, slot) in self.slots.extract_if(.., |_, slot| is_free(slot)) {
            if let Some(rest) = &mut self.rest {
                rest.add(&slot);
            }
        }
    }

    /// The classes that have files, those with most files first.
    pub fn largest_first(&self) -> impl Iterator<Item = &Arc<str>> {
        let slots = self.slots.values();
        let mut slots: Vec<_> = slots.filter(|slot| slot.empty_counts == 0).collect();
        slots.sort_by_key(|slot| Reverse(slot.files.total()));
        slots.into_iter().map(|slot| &slot.class)
    }

    /// Shows the classes that have a slot of the portal. Returns the rows where they change by that.
    pub fn show(&mut self, portal: &HashSet<Arc<str>>) -> Option<Vec<ErrorRow>> {
        let mut changed = false;
        for slot in self.slots.values_mut() {
            let shown = portal.contains(&slot.class);
            changed |= shown != slot.shown && slot.files.total() > 0;
            slot.shown = shown;
        }
        (changed && self.rest.is_some()).then(|| self.rows())
    }

    /// What is shown: by status and class.
    pub fn rows(&self) -> Vec<ErrorRow> {
        let mut all = self.rest.clone().unwrap_or_default();
        for slot in self.slots.values() {
            if slot.shown {
                all.add_files(&Class::Text(Arc::clone(&slot.class)), slot.files);
            } else {
                all.add(slot);
            }
        }
        let other = all.largest.as_ref().map(|(_, _, example)| example);
        let rows = Status::WITH_REASON.into_iter().flat_map(|status| {
            let classes = all.files.iter().filter(move |(_, files)| files[status] > 0);
            classes.map(move |(class, files)| ErrorRow {
                status,
                class: class.clone(),
                files: files[status],
                example: other.filter(|_| *class == Class::Other).cloned(),
            })
        });
        rows.collect()
    }
}

impl Rest {
    /// Adds a class without a slot.
    fn add(&mut self, slot: &ClassSlot) {
        self.add_files(&Class::Other, slot.files);
        if slot.files.total() > 0 {
            let class = Reverse(Arc::clone(&slot.class));
            let largest = (slot.files.total(), class, Arc::clone(&slot.example));
            self.largest = self.largest.take().max(Some(largest));
        }
    }

    fn add_files(&mut self, class: &Class, files: ByStatus<u64>) {
        let sum = self.files.entry(class.clone()).or_default();
        for status in Status::WITH_REASON {
            sum[status] += files[status];
        }
    }
}

impl ClassSlot {
    fn new(class: &Arc<str>, count: &ClassCount, now: Timestamp) -> Self {
        let example = count.example.as_deref().map(Arc::from);
        Self {
            class: Arc::clone(class),
            example: example.unwrap_or_else(|| Arc::clone(class)),
            first_seen: now,
            last_seen: now,
            classifier: None,
            files: ByStatus::default(),
            empty_counts: 0,
            shown: false,
        }
    }
}
