//! The class slots of one folder, and the classes that it shows.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use super::assign::assign;
use super::{ClassLimits, ClassSlot, ErrorRow, Growth, KnownClass};
use crate::classify::{Class, ClassCounts, Reasons};
use crate::model::{ByStatus, Series, Status, Timestamp};

/// How long a class without files keeps a slot that no other class needs.
const MAX_UNSEEN: Duration = Duration::from_hours(24);

/// Of the day of a class, every third step is noted.
const STEPS: u32 = 3;

/// By class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FolderSlots(BTreeMap<Class, ClassSlot>);

impl FolderSlots {
    pub fn new(slots: Vec<ClassSlot>) -> Self {
        let slots = slots.into_iter();
        Self(slots.map(|slot| (slot.class.clone(), slot)).collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = &ClassSlot> {
        self.0.values()
    }

    /// Assigns the slots by a count, and updates them. Returns the texts with files that have one, in their order.
    pub fn count(
        &mut self,
        counts: &ClassCounts,
        reasons: &Reasons,
        limits: &ClassLimits,
        now: Timestamp,
        is_first: bool,
    ) -> Vec<Class> {
        // While rows are not read yet, a class does not grow: its files become known.
        let is_whole = !counts.contains_key(&Class::Unread);
        let was_whole = !is_first && !self.0.contains_key(&Class::Unread);
        let is_there = |class: &Class| counts.contains_key(class);
        let mut before = std::mem::take(&mut self.0);
        before.retain(|class, slot| is_there(class) || slot.may_return(now));
        let held = before.keys().cloned().collect();
        let empty = before.keys().map(|class| (class, ByStatus::default()));
        let files = empty.chain(counts.iter().map(|(class, files)| (class, *files)));
        let mut assigned = assign(files, &held, limits.folder, &limits.rule_classes);
        for (class, (files, largest)) in by_slot(counts, &assigned) {
            let example = reasons.example(largest);
            let new = || ClassSlot::new(&class, &example, now, was_whole);
            let mut slot = before.remove(&class).unwrap_or_else(new);
            if class == Class::Other {
                slot.known.example = example;
            }
            if files.total() > 0 {
                slot.known.last_seen = now;
            }
            slot.files = files;
            if is_whole {
                slot.note_day(now);
            }
            self.0.insert(class, slot);
        }
        assigned.retain(is_there);
        assigned
    }

    /// Shows the classes that have a slot of the portal. Returns the rows if they change by that.
    pub fn show(&mut self, portal: &HashSet<Class>) -> Option<Vec<ErrorRow>> {
        let before = self.rows();
        for slot in self.0.values_mut() {
            slot.shown = portal.contains(&slot.class);
        }
        Some(self.rows()).filter(|rows| *rows != before)
    }

    /// What is shown: by status and class.
    pub fn rows(&self) -> Vec<ErrorRow> {
        let (shown, others): (Vec<_>, Vec<_>) = self.iter().partition(|slot| slot.is_shown());
        let largest = others.iter().max_by_key(|slot| slot.files.total());
        let example = largest.map(|slot| Arc::clone(&slot.known.example));
        let rows = Status::WITH_REASON.into_iter().flat_map(|status| {
            let shown = shown.iter().map(move |slot| slot.row(status));
            let others = others.iter().map(|slot| slot.files[status]);
            shown.chain([ErrorRow {
                status,
                class: Class::Other,
                files: others.sum(),
                example: example.clone(),
                growth: None,
            }])
        });
        rows.filter(|row| row.files > 0).collect()
    }
}

/// The files of each slot, and the largest class in it.
fn by_slot<'a>(
    counts: &'a ClassCounts,
    assigned: &'a [Class],
) -> BTreeMap<Class, (ByStatus<u64>, &'a Class)> {
    let empty = |class: &'a Class| (class.clone(), (ByStatus::default(), class));
    let mut slots: BTreeMap<_, _> = assigned.iter().map(empty).collect();
    let mut classes: Vec<_> = counts.iter().collect();
    classes.sort_by_key(|(class, files)| (Reverse(files.total()), *class));
    for (class, more) in classes {
        let has_slot = slots.contains_key(class) || !class.is_text();
        let slot = if has_slot { class } else { &Class::Other };
        let entry = slots.entry(slot.clone());
        let (files, _) = entry.or_insert_with(|| (ByStatus::default(), class));
        *files += *more;
    }
    slots
}

impl ClassSlot {
    /// The slot of a class that had none. `was_whole`: whether it had no files at the count before.
    fn new(class: &Class, example: &Arc<str>, now: Timestamp, was_whole: bool) -> Self {
        let mut new = Self {
            class: class.clone(),
            known: KnownClass {
                example: Arc::clone(example),
                first_seen: now,
                last_seen: now,
            },
            files: ByStatus::default(),
            day: Default::default(),
            shown: false,
        };
        if was_whole {
            new.note_day(now.before(Series::STEP * STEPS));
        }
        new
    }

    /// Whether a class without files keeps its slot.
    fn may_return(&self, now: Timestamp) -> bool {
        now.since(self.known.last_seen) <= MAX_UNSEEN
    }

    fn is_shown(&self) -> bool {
        self.shown || matches!(self.class, Class::Unspecified | Class::Unread)
    }

    fn note_day(&mut self, now: Timestamp) {
        let step = Series::step(now);
        for (series, status) in self.day.iter_mut().zip(Status::WITH_REASON) {
            series.note(step - step % STEPS, self.files[status]);
        }
    }

    fn row(&self, status: Status) -> ErrorRow {
        ErrorRow {
            status,
            class: self.class.clone(),
            files: self.files[status],
            example: None,
            growth: self.growth(status).filter(|_| self.class != Class::Unread),
        }
    }

    /// By how much its files of a status grew until it was seen last.
    fn growth(&self, status: Status) -> Option<Growth> {
        let mut series = Status::WITH_REASON.iter().zip(&self.day);
        let (_, series) = series.find(|(of, _)| **of == status)?;
        let steps = Series::step(self.known.last_seen);
        let since = |ago: u32| series.grown_since(steps.saturating_sub(ago));
        Some(Growth {
            hour: since(Series::HOUR),
            day: since(Series::DAY),
        })
    }
}
