//! The attempts of one portal, sorted as limits need them, and what people forgive: limits ignore what was before. The facts stay where they are.
//!
//! Any process may add the event of it. The one that acts reads it before it decides the next time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::attempts::attempt::{Attempt, AttemptId, ClassResult};
use crate::classify::Class;
use crate::model::{FolderId, Timestamp};

/// What people forgive in a portal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forgiven {
    /// All of the following except [`Self::Clock`], and the pause of a portal that does not carry out requests.
    Everything,
    /// The cooldown of a folder, and the attempts of its files.
    Folder(FolderId),
    /// The results of the files of a class of error.
    Class(Class),
    /// Times in the future: they were written by a clock that was ahead, and are replaced by the time of the request.
    Clock,
}

impl fmt::Display for Forgiven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everything => f.write_str("everything"),
            Self::Folder(folder) => write!(f, "folder {folder}"),
            Self::Class(class) => write!(f, "class {class}"),
            Self::Clock => f.write_str("clock"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgiveness {
    /// Limits ignore attempts that were made until then.
    pub at: Timestamp,
    pub what: Forgiven,
}

/// Until when each limit ignores attempts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ForgivenUntil(BTreeMap<Forgiven, Timestamp>);

impl ForgivenUntil {
    pub fn note(&mut self, Forgiveness { at, what }: &Forgiveness) {
        let until = self.0.entry(what.clone()).or_insert(*at);
        *until = (*until).max(*at);
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Forgiven, &Timestamp)> {
        self.0.iter()
    }

    /// With every time moved by this number of milliseconds.
    pub fn moved(&self, by: i64) -> Self {
        let moved = self.iter().map(|(what, at)| (what.clone(), at.moved(by)));
        Self(moved.collect())
    }

    /// For limits that read what `what` names.
    pub fn get(&self, what: &Forgiven) -> Option<Timestamp> {
        let all = self.0.get(&Forgiven::Everything).copied();
        all.max(self.0.get(what).copied())
    }
}

/// Attempts by something that they have in common, oldest first.
type Index<K> = BTreeSet<(K, AttemptId)>;

fn newest_first<'a, K: Clone + Ord>(
    index: &'a Index<K>,
    key: &K,
) -> impl Iterator<Item = AttemptId> + use<'a, K> {
    let attempts = index.range((key.clone(), AttemptId::MIN)..=(key.clone(), AttemptId::MAX));
    attempts.rev().map(|(_, id)| *id)
}

fn keys<K: Ord>(index: &Index<K>) -> BTreeSet<&K> {
    index.iter().map(|(key, _)| key).collect()
}

/// The attempts of one portal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Facts", into = "Facts")]
pub struct Track {
    attempts: BTreeMap<AttemptId, Arc<Attempt>>,
    by_folder: Index<FolderId>,
    by_class: Index<Class>,
    forgiven: ForgivenUntil,
}

/// A track without what can be found again.
#[derive(Serialize, Deserialize)]
struct Facts {
    attempts: Vec<Arc<Attempt>>,
    forgiven: Vec<Forgiveness>,
}

impl From<Facts> for Track {
    fn from(facts: Facts) -> Self {
        let mut track = Self::default();
        for attempt in facts.attempts {
            track.set(Arc::unwrap_or_clone(attempt));
        }
        for forgiveness in &facts.forgiven {
            track.note_forgiven(forgiveness);
        }
        track
    }
}

impl From<Track> for Facts {
    fn from(track: Track) -> Self {
        let forgiven = track.forgiven.iter().map(|(what, at)| Forgiveness {
            at: *at,
            what: what.clone(),
        });
        Self {
            forgiven: forgiven.collect(),
            attempts: track.attempts.into_values().collect(),
        }
    }
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
            .take_while(is_after(self.forgiven.get(&Forgiven::Folder(folder))))
    }

    /// Every attempt of a folder, newest first.
    pub(super) fn all_of_folder(&self, folder: FolderId) -> impl Iterator<Item = &Arc<Attempt>> {
        newest_first(&self.by_folder, &folder).filter_map(|id| self.get(id))
    }

    /// The attempts that sent files of a class, newest first, with the results of these files; but for those that were forgiven.
    pub fn of_class<'a>(
        &'a self,
        class: &'a Class,
    ) -> impl Iterator<Item = (&'a Arc<Attempt>, &'a ClassResult)> {
        let ids = newest_first(&self.by_class, class);
        let attempts = ids.filter_map(|id| self.get(id));
        let attempts =
            attempts.take_while(is_after(self.forgiven.get(&Forgiven::Class(class.clone()))));
        attempts.filter_map(move |attempt| Some((attempt, attempt.result(class)?)))
    }

    /// Whether files of a class were ever sent.
    pub(super) fn knows_class(&self, class: &Class) -> bool {
        newest_first(&self.by_class, class).next().is_some()
    }

    /// The classes of the files that were sent.
    pub fn classes(&self) -> impl Iterator<Item = &Class> {
        keys(&self.by_class).into_iter()
    }

    /// The attempts in the order in which they were made, newest first, but for those that were forgiven with everything.
    pub fn newest_first(&self) -> impl Iterator<Item = &Arc<Attempt>> {
        self.iter()
            .rev()
            .take_while(is_after(self.forgiven.get(&Forgiven::Everything)))
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

    pub(super) fn note_forgiven(&mut self, forgiveness: &Forgiveness) {
        self.forgiven.note(forgiveness);
    }

    /// Until when attempts were forgiven.
    pub(super) fn forgiven(&self) -> impl Iterator<Item = (&Forgiven, &Timestamp)> {
        self.forgiven.iter()
    }

    /// Moves the times until when attempts were forgiven by a number of milliseconds.
    pub(super) fn move_forgiven(&mut self, by: i64) {
        self.forgiven = self.forgiven.moved(by);
    }

    /// Adds an attempt, or replaces what was known of it.
    pub(super) fn set(&mut self, attempt: Attempt) {
        let id = attempt.id;
        self.by_folder.insert((attempt.folder, id));
        for result in attempt.classes.iter() {
            self.by_class.insert((result.class.clone(), id));
        }
        self.attempts.insert(id, Arc::new(attempt));
    }

    pub(super) fn remove(&mut self, id: AttemptId) {
        if let Some(attempt) = self.attempts.remove(&id) {
            self.by_folder.remove(&(attempt.folder, id));
            for result in attempt.classes.iter() {
                self.by_class.remove(&(result.class.clone(), id));
            }
        }
    }

    /// The attempts that no limit can ask for any more: unchanged since before `limit`, and neither unjudged, nor the newest of their folder.
    pub(super) fn dispensable(&self, limit: Timestamp) -> Vec<AttemptId> {
        let folders = keys(&self.by_folder).into_iter();
        let older = folders.flat_map(|folder| self.all_of_folder(*folder).skip(1));
        let dispensable =
            older.filter(|attempt| attempt.last_change() < limit && !attempt.is_unjudged());
        dispensable.map(|attempt| attempt.id).collect()
    }
}

/// Whether an attempt was made after this time.
fn is_later(attempt: &Attempt, until: Option<Timestamp>) -> bool {
    until.is_none_or(|until| attempt.intended > until)
}

fn is_after(until: Option<Timestamp>) -> impl Fn(&&Arc<Attempt>) -> bool {
    move |attempt| is_later(attempt, until)
}
