//! The class slots of one folder, and the classes that it shows.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use super::assign::assign;
use super::{ClassLimits, ClassSlot, ErrorRow, Growth, KnownClass};
use crate::classify::{Class, ClassCounts};
use crate::model::{ByStatus, Series, Status, Timestamp};

/// How long a class without files keeps a slot that no other class needs.
const MAX_UNSEEN: Duration = Duration::from_hours(24);

/// Of the day of a class, every third step is noted.
const STEPS: u32 = 3;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FolderSlots {
    pub slots: BTreeMap<Arc<str>, ClassSlot>,
    rest: Rest,
}

/// The files without a slot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Rest {
    /// By class, of which none is a text.
    files: BTreeMap<Class, ByStatus<u64>>,
    largest: Option<Largest>,
}

/// The files, the text and an example of a class: the largest one first, and among equals the one whose text comes first.
type Largest = (Reverse<u64>, Arc<str>, Arc<str>);

impl Rest {
    fn of(counts: &ClassCounts, slots: &BTreeMap<Arc<str>, ClassSlot>) -> Self {
        let mut rest = Self::default();
        for (class, files) in &counts.files {
            let Class::Text(text) = class else {
                rest.files.insert(class.clone(), *files);
                continue;
            };
            if !slots.contains_key(text) {
                *rest.files.entry(Class::Other).or_default() += *files;
                let example = counts.example(text);
                let this = (Reverse(files.total()), Arc::clone(text), example);
                rest.largest = rest.largest.into_iter().chain([this]).min();
            }
        }
        rest
    }
}

impl FolderSlots {
    /// The slots as they were stored; `counts`: the files of the stored count.
    pub fn restored(slots: Vec<ClassSlot>, counts: Option<&ClassCounts>) -> Self {
        let slots = slots.into_iter();
        let slots = slots.map(|slot| (Arc::clone(&slot.class), slot)).collect();
        let rest = counts.map(|counts| Rest::of(counts, &slots));
        Self {
            slots,
            rest: rest.unwrap_or_default(),
        }
    }

    /// Assigns the slots by a count, and updates them. Returns the classes with files that have one, in their order.
    pub fn count(
        &mut self,
        counts: &ClassCounts,
        limits: &ClassLimits,
        now: Timestamp,
        is_first: bool,
    ) -> Vec<Arc<str>> {
        // While rows are not read yet, a class does not grow: its files become known.
        let is_whole = !counts.files.contains_key(&Class::Unread);
        let was_whole = !is_first && !self.rest.files.contains_key(&Class::Unread);
        let is_there = |class: &Arc<str>| counts.of_text(class).is_some();
        let slots = &mut self.slots;
        slots.retain(|class, slot| is_there(class) || slot.may_return(counts, now));
        let held = slots.keys().cloned().collect();
        let empty = slots.keys().map(|class| (class, ByStatus::default()));
        let files = empty.chain(counts.texts());
        let mut assigned = assign(files, &held, limits.folder, &limits.rule_classes);
        let mut before = std::mem::take(slots);
        for class in &assigned {
            let new = || ClassSlot::new(class, counts, now, was_whole);
            let mut slot = before.remove(class).unwrap_or_else(new);
            slot.files = counts.of_text(class).unwrap_or_default();
            if is_there(class) {
                slot.known.last_seen = now;
                slot.classifier = Some(counts.classifier);
            }
            if is_whole {
                slot.note_day(now);
            }
            slots.insert(Arc::clone(class), slot);
        }
        self.rest = Rest::of(counts, &self.slots);
        assigned.retain(is_there);
        assigned
    }

    /// Shows the classes that have a slot of the portal. Returns the rows if they change by that.
    pub fn show(&mut self, portal: &HashSet<Arc<str>>) -> Option<Vec<ErrorRow>> {
        let before = self.rows();
        for slot in self.slots.values_mut() {
            slot.shown = portal.contains(&slot.class);
        }
        Some(self.rows()).filter(|rows| *rows != before)
    }

    /// What is shown: by status and class.
    pub fn rows(&self) -> Vec<ErrorRow> {
        let mut files = self.rest.files.clone();
        let mut largest = self.rest.largest.clone();
        for slot in self.slots.values() {
            let class = if slot.shown {
                Class::Text(Arc::clone(&slot.class))
            } else {
                largest = largest.into_iter().chain([slot.size()]).min();
                Class::Other
            };
            *files.entry(class).or_default() += slot.files;
        }
        let example = largest.map(|(_, _, example)| example);
        let rows = Status::WITH_REASON.into_iter().flat_map(|status| {
            let classes = files.iter().filter(move |(_, files)| files[status] > 0);
            let example = example.clone();
            classes.map(move |(class, files)| ErrorRow {
                status,
                class: class.clone(),
                files: files[status],
                example: example.clone().filter(|_| *class == Class::Other),
                growth: self
                    .slots
                    .get(class.as_str())
                    .and_then(|slot| slot.growth(status)),
            })
        });
        rows.collect()
    }
}

impl ClassSlot {
    /// The slot of a class that had none. `was_whole`: whether it had no files at the count before.
    fn new(class: &Arc<str>, counts: &ClassCounts, now: Timestamp, was_whole: bool) -> Self {
        let mut new = Self {
            class: Arc::clone(class),
            known: KnownClass {
                example: counts.example(class),
                first_seen: now,
                last_seen: now,
            },
            classifier: None,
            files: ByStatus::default(),
            day: Default::default(),
            shown: false,
        };
        if was_whole {
            new.note_day(now.before(Series::STEP * STEPS));
        }
        new
    }

    /// Whether a class without files keeps its slot. Where another classifier found it, its files may have another class now.
    fn may_return(&self, counts: &ClassCounts, now: Timestamp) -> bool {
        let is_known = self.classifier == Some(counts.classifier);
        is_known && now.since(self.known.last_seen) <= MAX_UNSEEN
    }

    fn note_day(&mut self, now: Timestamp) {
        let step = Series::step(now);
        for (series, status) in self.day.iter_mut().zip(Status::WITH_REASON) {
            series.note(step - step % STEPS, self.files[status]);
        }
    }

    /// By how much its files of a status grew until it was seen last.
    fn growth(&self, status: Status) -> Option<Growth> {
        let mut series = Status::WITH_REASON.iter().zip(&self.day);
        let (_, series) = series.find(|(of, _)| **of == status)?;
        series.first()?;
        let steps = Series::step(self.known.last_seen);
        let since = |ago: u32| series.grown_since(steps.saturating_sub(ago));
        Some(Growth {
            hour: since(Series::HOUR),
            day: since(Series::DAY),
        })
    }

    fn size(&self) -> Largest {
        let (class, example) = (&self.class, &self.known.example);
        let files = Reverse(self.files.total());
        (files, Arc::clone(class), Arc::clone(example))
    }
}
