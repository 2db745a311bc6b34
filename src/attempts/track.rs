//! The attempts of one portal, sorted as limits need them, and what people forgive: limits ignore the attempts before it. The facts stay where
//! they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::attempts::attempt::{Attempt, AttemptId, ClassResult};
use crate::classify::Class;
use crate::model::{FolderId, Timestamp};

/// What people forgive in a portal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Forgiven {
    /// All of the following, the pause of a portal that does not carry out requests, and the doubt about the ledger.
    Everything,
    /// The cooldown of a folder, and the attempts of its files.
    Folder(FolderId),
    /// The results of the files of a class of error.
    Class(Class),
}

/// As the ledger stores it, and as people read it.
impl fmt::Display for Forgiven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everything => f.write_str("everything"),
            Self::Folder(folder) => write!(f, "folder {folder}"),
            Self::Class(class) => write!(f, "class {class}"),
        }
    }
}

impl Forgiven {
    /// Reads what [`Self::fmt`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once(' ') {
            None if text == "everything" => Some(Self::Everything),
            Some(("folder", id)) => FolderId::parse(id).map(Self::Folder),
            Some(("class", class)) => Some(Self::Class(Class::from_label(class))),
            _ => None,
        }
    }
}

/// Attempts by something that they have in common, oldest first.
type Index<K> = BTreeMap<K, BTreeSet<AttemptId>>;

fn remove<K: Ord>(index: &mut Index<K>, key: &K, id: AttemptId) {
    if let Some(attempts) = index.get_mut(key) {
        attempts.remove(&id);
        if attempts.is_empty() {
            index.remove(key);
        }
    }
}

/// The attempts of one portal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Track {
    attempts: BTreeMap<AttemptId, Arc<Attempt>>,
    by_folder: Index<FolderId>,
    by_class: Index<Class>,
    /// The newest attempt that each of these makes limits ignore.
    forgiven: BTreeMap<Forgiven, AttemptId>,
}

impl Track {
    pub fn get(&self, id: AttemptId) -> Option<&Arc<Attempt>> {
        self.attempts.get(&id)
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Attempt>> {
        self.attempts.values()
    }

    /// The attempts in the window of this length that ends now: each counts until the length has passed.
    pub fn within(&self, length: Duration, now: Timestamp) -> impl Iterator<Item = &Arc<Attempt>> {
        let begin = now.before(length);
        self.iter().filter(move |attempt| attempt.intended > begin)
    }

    /// The attempts of a folder, newest first, but for those that were forgiven.
    pub fn of_folder(&self, folder: FolderId) -> impl Iterator<Item = &Arc<Attempt>> {
        self.all_of_folder(folder)
            .take_while(is_after(self.forgiven_until(&Forgiven::Folder(folder))))
    }

    /// Every attempt of a folder, newest first.
    pub(super) fn all_of_folder(&self, folder: FolderId) -> impl Iterator<Item = &Arc<Attempt>> {
        let ids = self.by_folder.get(&folder).into_iter().flatten().rev();
        ids.filter_map(|id| self.get(*id))
    }

    /// The attempts that sent files of a class, newest first, with the results of these files; but for those that were forgiven.
    pub fn of_class<'a>(
        &'a self,
        class: &'a Class,
    ) -> impl Iterator<Item = (&'a Arc<Attempt>, &'a ClassResult)> {
        let ids = self.by_class.get(class).into_iter().flatten().rev();
        let attempts = ids.filter_map(|id| self.get(*id));
        let attempts = attempts.take_while(is_after(
            self.forgiven_until(&Forgiven::Class(class.clone())),
        ));
        attempts.filter_map(move |attempt| Some((attempt, attempt.result(class)?)))
    }

    /// Whether files of a class were ever sent.
    pub(super) fn knows_class(&self, class: &Class) -> bool {
        self.by_class.contains_key(class)
    }

    /// The classes of the files that were sent.
    pub fn classes(&self) -> impl Iterator<Item = &Class> {
        self.by_class.keys()
    }

    /// The attempts in the order in which they were made, newest first, but for those that were forgiven with everything.
    pub fn newest_first(&self) -> impl Iterator<Item = &Arc<Attempt>> {
        self.iter()
            .rev()
            .take_while(is_after(self.forgiven_until(&Forgiven::Everything)))
    }

    /// The attempts whose verdict is still to come, oldest first.
    pub fn unjudged(&self) -> impl Iterator<Item = &Arc<Attempt>> {
        self.iter().filter(|attempt| attempt.is_unjudged())
    }

    /// Those of them that were made in a folder.
    pub fn unjudged_in(&self, folder: FolderId) -> impl Iterator<Item = &Arc<Attempt>> {
        self.all_of_folder(folder)
            .filter(|attempt| attempt.is_unjudged())
    }

    /// The last time that anything was written of any of them.
    pub(crate) fn last_change(&self) -> Option<Timestamp> {
        self.iter().map(|attempt| attempt.last_change()).max()
    }

    pub(crate) fn forgive(&mut self, what: &Forgiven, until: AttemptId) {
        let known = self.forgiven.entry(what.clone()).or_default();
        *known = until.max(*known);
    }

    /// What was forgiven, with the newest attempt that it makes limits ignore.
    pub(crate) fn forgiven(&self) -> impl Iterator<Item = (&Forgiven, AttemptId)> {
        self.forgiven.iter().map(|(what, until)| (what, *until))
    }

    /// The newest attempt that limits ignore which read what `what` names.
    fn forgiven_until(&self, what: &Forgiven) -> Option<AttemptId> {
        let of = |what| self.forgiven.get(what).copied();
        of(what).max(of(&Forgiven::Everything))
    }

    /// The greatest id of an attempt.
    pub fn last_id(&self) -> AttemptId {
        let last = self.attempts.keys().next_back();
        last.copied().unwrap_or_default()
    }

    /// Adds an attempt, or replaces what was known of it.
    pub(crate) fn set(&mut self, attempt: Attempt) {
        let id = attempt.id;
        self.by_folder.entry(attempt.folder).or_default().insert(id);
        for result in attempt.classes.iter() {
            let of_class = self.by_class.entry(result.class.clone());
            of_class.or_default().insert(id);
        }
        self.attempts.insert(id, Arc::new(attempt));
    }

    /// Replaces every time of the attempts.
    pub(super) fn set_times(&mut self, time: impl Fn(Timestamp) -> Timestamp) {
        for attempt in self.attempts.values_mut() {
            Arc::make_mut(attempt).set_times(&time);
        }
    }

    pub(super) fn remove(&mut self, id: AttemptId) {
        if let Some(attempt) = self.attempts.remove(&id) {
            remove(&mut self.by_folder, &attempt.folder, id);
            for result in attempt.classes.iter() {
                remove(&mut self.by_class, &result.class, id);
            }
        }
    }

    /// The attempts that no limit can ask for any more: unchanged since before `limit`, and neither unjudged, nor the newest of their folder.
    pub(super) fn dispensable(&self, limit: Timestamp) -> Vec<AttemptId> {
        let folders = self.by_folder.keys();
        let older = folders.flat_map(|folder| self.all_of_folder(*folder).skip(1));
        let dispensable =
            older.filter(|attempt| attempt.last_change() < limit && !attempt.is_unjudged());
        dispensable.map(|attempt| attempt.id).collect()
    }
}

/// Whether an attempt was made after this one.
fn is_after(until: Option<AttemptId>) -> impl Fn(&&Arc<Attempt>) -> bool {
    move |attempt| until.is_none_or(|until| attempt.id > until)
}
