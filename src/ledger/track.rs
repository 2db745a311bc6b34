//! The attempts of one portal in one mode, in the orders in which limits ask for them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;
use std::time::Duration;

use crate::classify::Class;
use crate::ledger::attempt::{Attempt, ClassFate};
use crate::ledger::forgive::{Forgiveness, PassedOver};
use crate::ledger::mode::AttemptId;
use crate::model::{FolderId, Timestamp};

/// Attempts in the order of a time.
type ByTime = BTreeSet<(Timestamp, AttemptId)>;

/// The attempts of one mode. Dry run and enforce do not count for each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Track {
    attempts: BTreeMap<AttemptId, Arc<Attempt>>,
    intended: ByTime,
    changed: ByTime,
    judged: ByTime,
    by_folder: HashMap<FolderId, ByTime>,
    by_class: HashMap<Class, ByTime>,
    unjudged: BTreeSet<AttemptId>,
    passed_over: PassedOver,
}

impl Track {
    /// One attempt.
    #[must_use]
    pub fn get(&self, id: AttemptId) -> Option<&Arc<Attempt>> {
        self.attempts.get(&id)
    }

    /// Every attempt, oldest first.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Attempt>> {
        self.attempts.values()
    }

    /// The attempts in the window of this length that ends now: each counts until the length has passed.
    pub fn within(&self, length: Duration, now: Timestamp) -> impl Iterator<Item = &Arc<Attempt>> {
        let before = (now.before(length), AttemptId::MAX);
        self.intended
            .range((Excluded(before), Unbounded))
            .filter_map(|(_, id)| self.get(*id))
    }

    /// The attempts of a folder, newest first, but for those that were forgiven.
    pub fn of_folder(&self, folder: FolderId) -> impl Iterator<Item = &Arc<Attempt>> {
        self.all_of_folder(folder)
            .take_while(is_after(self.passed_over.folder(folder)))
    }

    /// Every attempt of a folder, newest first.
    pub(super) fn all_of_folder(&self, folder: FolderId) -> impl Iterator<Item = &Arc<Attempt>> {
        let ids = self.by_folder.get(&folder).into_iter().flatten().rev();
        ids.filter_map(|(_, id)| self.get(*id))
    }

    /// The newest attempt of a folder that was not forgiven.
    #[must_use]
    pub fn last_of(&self, folder: FolderId) -> Option<&Arc<Attempt>> {
        self.of_folder(folder).next()
    }

    /// The attempts that sent files of a class, newest first, and what became of these; but for those that were forgiven.
    pub fn of_class<'a>(
        &'a self,
        class: &'a Class,
    ) -> impl Iterator<Item = (&'a Arc<Attempt>, &'a ClassFate)> {
        let ids = self.by_class.get(class).into_iter().flatten().rev();
        let attempts = ids.filter_map(|(_, id)| self.get(*id));
        let attempts = attempts.take_while(is_after(self.passed_over.class(class)));
        attempts.filter_map(move |attempt| {
            let fate = attempt.classes.iter().find(|fate| fate.class == *class)?;
            Some((attempt, fate))
        })
    }

    /// Whether files of a class were ever sent.
    pub(super) fn knows_class(&self, class: &Class) -> bool {
        self.by_class.contains_key(class)
    }

    /// The classes of the files that were sent.
    pub fn classes(&self) -> impl Iterator<Item = &Class> {
        self.by_class.keys()
    }

    /// Whether what an attempt told of a class counts: it was made since that was forgiven last.
    #[must_use]
    pub fn counts_for(&self, class: &Class, attempt: &Attempt) -> bool {
        is_later(attempt, self.passed_over.class(class))
    }

    /// The attempts in the order in which their verdicts were found, newest first, but for those that the breaker passes over.
    pub fn judged(&self) -> impl Iterator<Item = &Arc<Attempt>> {
        let newest_first = self.judged.iter().rev();
        newest_first
            .filter_map(|(_, id)| self.get(*id))
            .filter(is_after(self.passed_over.breaker()))
    }

    /// The attempts in the order in which they were made, newest first, but for those that the breaker passes over.
    pub fn newest_first(&self) -> impl Iterator<Item = &Arc<Attempt>> {
        let newest_first = self.intended.iter().rev();
        newest_first
            .filter_map(|(_, id)| self.get(*id))
            .take_while(is_after(self.passed_over.breaker()))
    }

    /// The attempts whose verdict is still to come, oldest first.
    pub fn unjudged(&self) -> impl Iterator<Item = &Arc<Attempt>> {
        self.unjudged.iter().filter_map(|id| self.get(*id))
    }

    /// Those of them that were made in a folder.
    pub fn unjudged_in(&self, folder: FolderId) -> impl Iterator<Item = &Arc<Attempt>> {
        self.unjudged()
            .filter(move |attempt| attempt.folder == folder)
    }

    /// How many attempts wait for their verdict.
    #[must_use]
    pub fn unjudged_count(&self) -> usize {
        self.unjudged.len()
    }

    /// The last time that anything was written of any of them.
    #[must_use]
    pub fn last_change(&self) -> Option<Timestamp> {
        self.changed.last().map(|(at, _)| *at)
    }

    pub(super) fn note_forgiven(&mut self, forgiveness: &Forgiveness) {
        self.passed_over.note(forgiveness);
    }

    /// The same with every time moved by so many milliseconds.
    pub(super) fn moved(&self, by: i64) -> Self {
        let mut moved = Self {
            passed_over: self.passed_over.moved(by),
            ..Self::default()
        };
        for attempt in self.iter() {
            moved.set(attempt.with_times(|time| time.moved(by)));
        }
        moved
    }

    /// Adds an attempt, or replaces what was known of it.
    pub(super) fn set(&mut self, attempt: Attempt) {
        let id = attempt.id;
        self.remove(id);
        self.intended.insert((attempt.intended, id));
        self.changed.insert((attempt.last_change(), id));
        let folder = self.by_folder.entry(attempt.folder).or_default();
        folder.insert((attempt.intended, id));
        for fate in attempt.classes.iter() {
            let class = self.by_class.entry(fate.class.clone()).or_default();
            class.insert((attempt.intended, id));
        }
        if let Some((at, _)) = attempt.verdict() {
            self.judged.insert((at, id));
        }
        if attempt.is_unjudged() {
            self.unjudged.insert(id);
        }
        self.attempts.insert(id, Arc::new(attempt));
    }

    pub(super) fn remove(&mut self, id: AttemptId) {
        let Some(attempt) = self.attempts.remove(&id) else {
            return;
        };
        self.intended.remove(&(attempt.intended, id));
        self.changed.remove(&(attempt.last_change(), id));
        if let Some((at, _)) = attempt.verdict() {
            self.judged.remove(&(at, id));
        }
        self.unjudged.remove(&id);
        for fate in attempt.classes.iter() {
            if let Some(class) = self.by_class.get_mut(&fate.class) {
                class.remove(&(attempt.intended, id));
                if class.is_empty() {
                    self.by_class.remove(&fate.class);
                }
            }
        }
        if let Some(folder) = self.by_folder.get_mut(&attempt.folder) {
            folder.remove(&(attempt.intended, id));
            if folder.is_empty() {
                self.by_folder.remove(&attempt.folder);
            }
        }
    }

    /// The attempts that no limit can ask for any more: unchanged since before `limit`, and neither unjudged, nor the
    /// newest of their folder, nor in the folder's row of attempts without effect.
    pub(super) fn dispensable(&self, limit: Timestamp) -> Vec<AttemptId> {
        let folders = self.by_folder.keys();
        folders
            .flat_map(|folder| self.dispensable_of(*folder, limit))
            .collect()
    }

    fn dispensable_of(&self, folder: FolderId, limit: Timestamp) -> Vec<AttemptId> {
        let mut in_row = true;
        let mut found = Vec::new();
        for (age, attempt) in self.all_of_folder(folder).enumerate() {
            let effect = attempt.verdict().and_then(|(_, v)| v.had_effect());
            in_row &= effect != Some(true);
            let counts = in_row && effect == Some(false);
            let old = attempt.last_change() < limit;
            if old && age > 0 && !counts && !attempt.is_unjudged() {
                found.push(attempt.id);
            }
        }
        found
    }
}

/// Whether an attempt was made after this time.
fn is_later(attempt: &Attempt, until: Option<Timestamp>) -> bool {
    until.is_none_or(|until| attempt.intended > until)
}

fn is_after(until: Option<Timestamp>) -> impl Fn(&&Arc<Attempt>) -> bool {
    move |attempt| is_later(attempt, until)
}
