//! The class slots of one folder, and the classes that it shows.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::assign::assign;
use super::{ClassLimits, ClassSlot, ErrorRow, Growth, KnownClass};
use crate::classify::{Class, ClassCount, ClassCounts};
use crate::model::{ByStatus, Series, Status, Timestamp};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FolderSlots {
    pub slots: BTreeMap<Arc<str>, ClassSlot>,
    /// The files without a slot, by class, of which none is a text. None before the first count since the start.
    rest: Option<BTreeMap<Class, ByStatus<u64>>>,
    /// Of the classes that were counted and have no slot, the largest.
    largest_without: Option<ClassSlot>,
    /// When the classes were counted last.
    counted: Timestamp,
}

impl FolderSlots {
    /// The slots as they were stored; `counts`: the files of the stored count.
    pub fn restored(slots: Vec<ClassSlot>, counts: Option<&ClassCounts>) -> Self {
        let slots = slots.into_iter();
        let slots: BTreeMap<_, _> = slots.map(|slot| (Arc::clone(&slot.class), slot)).collect();
        let rest = counts.map(|counts| {
            let mut rest = BTreeMap::<_, ByStatus<u64>>::new();
            for (class, count) in &counts.counts {
                let class = match class {
                    Class::Text(class) if slots.contains_key(class) => continue,
                    Class::Text(_) => Class::Other,
                    class => class.clone(),
                };
                *rest.entry(class).or_default() += count.files;
            }
            rest
        });
        let seen = slots.values().map(|slot| slot.known.last_seen);
        Self {
            counted: seen.max().unwrap_or_default(),
            slots,
            rest,
            largest_without: None,
        }
    }

    /// Whether nothing is known.
    pub fn is_unused(&self) -> bool {
        self.slots.is_empty() && self.rest.as_ref().is_none_or(BTreeMap::is_empty)
    }

    /// Updates the slots by a count, and assigns them.
    pub fn count(
        &mut self,
        counts: &ClassCounts,
        limits: &ClassLimits,
        now: Timestamp,
        is_first: bool,
    ) {
        // While rows are not read yet, a class does not grow: its files become known.
        let has_unread = |rest: &BTreeMap<Class, _>| rest.contains_key(&Class::Unread);
        let was_whole = !is_first && !self.rest.as_ref().is_some_and(has_unread);
        let held: HashSet<_> = self.slots.keys().cloned().collect();
        let mut rest = BTreeMap::<_, ByStatus<u64>>::new();
        for slot in self.slots.values_mut() {
            slot.files = ByStatus::default();
            slot.empty_counts = slot.empty_counts.saturating_add(1);
        }
        let counted = counts.counts.iter();
        for (class, count) in counted.filter(|(_, count)| count.files.total() > 0) {
            let Class::Text(class) = class else {
                rest.insert(class.clone(), count.files);
                continue;
            };
            let new = || {
                let mut slot = ClassSlot::new(class, count, now);
                if was_whole {
                    slot.note_day(now.before(Series::STEP * 3));
                }
                slot
            };
            let slot = self.slots.entry(Arc::clone(class)).or_insert_with(new);
            slot.files = count.files;
            slot.empty_counts = 0;
            slot.known.last_seen = now;
            slot.classifier = Some(counts.classifier);
        }
        // Where another classifier found a class, its files may have another class now.
        self.slots
            .retain(|_, slot| slot.empty_counts == 0 || slot.classifier == Some(counts.classifier));
        if !has_unread(&rest) {
            for slot in self.slots.values_mut() {
                slot.note_day(now);
            }
        }
        self.counted = now;
        self.rest = Some(rest);
        self.largest_without = None;
        let slots = self.slots.values();
        let assigned = assign(slots, &held, limits.folder, &limits.rule_classes);
        self.free(|slot| !assigned.contains(&slot.class));
    }

    /// Whether the last count found nothing, and no class holds a slot.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty() && self.rest.as_ref().is_some_and(BTreeMap::is_empty)
    }

    /// Frees slots; their files are counted without one.
    pub fn free(&mut self, is_free: impl Fn(&ClassSlot) -> bool) {
        for (_, slot) in self.slots.extract_if(.., |_, slot| is_free(slot)) {
            if let Some(rest) = &mut self.rest {
                *rest.entry(Class::Other).or_default() += slot.files;
                let both = self.largest_without.take().into_iter().chain([slot]);
                self.largest_without = both.min_by_key(ClassSlot::order);
            }
        }
    }

    /// The classes that have files, those with most files first.
    pub fn largest_first(&self) -> Vec<&ClassSlot> {
        let slots = self.slots.values();
        let mut slots: Vec<_> = slots.filter(|slot| slot.empty_counts == 0).collect();
        slots.sort_by_key(|slot| slot.order());
        slots
    }

    /// Shows the classes that have a slot of the portal. Returns the rows if they change by that.
    pub fn show(&mut self, portal: &HashSet<Arc<str>>) -> Option<Vec<ErrorRow>> {
        let before = self.rows();
        for slot in self.slots.values_mut() {
            slot.shown = portal.contains(&slot.class);
        }
        let rows = self.rows();
        (rows != before && self.rest.is_some()).then_some(rows)
    }

    /// What is shown: by status and class.
    pub fn rows(&self) -> Vec<ErrorRow> {
        let mut files = self.rest.clone().unwrap_or_default();
        for slot in self.slots.values() {
            let text = || Class::Text(Arc::clone(&slot.class));
            let class = if slot.shown { text() } else { Class::Other };
            *files.entry(class).or_default() += slot.files;
        }
        let others = self.slots.values().filter(|slot| !slot.shown);
        let others = others.chain(&self.largest_without);
        let largest = others.min_by_key(|slot| slot.order());
        let example = largest.map(|slot| &slot.known.example);
        let rows = Status::WITH_REASON.into_iter().flat_map(|status| {
            let classes = files.iter().filter(move |(_, files)| files[status] > 0);
            classes.map(move |(class, files)| ErrorRow {
                status,
                class: class.clone(),
                files: files[status],
                example: example.filter(|_| *class == Class::Other).cloned(),
                growth: self.growth(class, status),
            })
        });
        rows.collect()
    }

    /// By how much a class grew that is shown.
    fn growth(&self, class: &Class, status: Status) -> Option<Growth> {
        let Class::Text(text) = class else {
            return None;
        };
        let slot = self.slots.get(text)?;
        let place = Status::WITH_REASON.iter().position(|it| *it == status)?;
        slot.day[place].first()?;
        let steps = Series::step(self.counted);
        let since = |ago: u32| slot.day[place].grown_since(steps.saturating_sub(ago));
        Some(Growth {
            hour: since(Series::HOUR),
            day: since(Series::DAY),
        })
    }
}

impl ClassSlot {
    pub(super) fn new(class: &Arc<str>, count: &ClassCount, now: Timestamp) -> Self {
        let example = count.example.as_ref().unwrap_or(class);
        Self {
            class: Arc::clone(class),
            known: KnownClass {
                example: Arc::clone(example),
                first_seen: now,
                last_seen: now,
            },
            classifier: None,
            files: ByStatus::default(),
            day: Default::default(),
            empty_counts: 0,
            shown: false,
        }
    }

    fn note_day(&mut self, now: Timestamp) {
        let step = Series::step(now);
        for (series, status) in self.day.iter_mut().zip(Status::WITH_REASON) {
            series.note(step - step % 3, self.files[status]);
        }
    }

    /// Sorts the classes with most files first; of equals, the one whose text comes first.
    fn order(&self) -> (Reverse<u64>, Arc<str>) {
        (Reverse(self.files.total()), Arc::clone(&self.class))
    }
}
