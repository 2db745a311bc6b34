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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Facts", into = "Facts")]
pub struct Track {
    attempts: BTreeMap<AttemptId, Arc<Attempt>>,
    by_folder: Index<FolderId>,
    by_class: Index<Class>,
    /// In the order of what it is, each with its last time.
    forgiven: Vec<Forgiveness>,
}

/// A track without what can be found again.
#[derive(Serialize, Deserialize)]
struct Facts {
    attempts: Vec<Arc<Attempt>>,
    forgiven: Vec<Forgiveness>,
}

impl From<Facts> for Track {
    fn from(facts: Facts) -> Self {
        let mut track = Self {
            forgiven: facts.forgiven,
            ..Self::default()
        };
        for attempt in facts.attempts {
            track.set(Arc::unwrap_or_clone(attempt));
        }
        track
    }
}

impl From<Track> for Facts {
    fn from(track: Track) -> Self {
        Self {
            forgiven: track.forgiven,
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

    /// Whether everything before a time was forgiven.
    pub fn is_forgiven(&self, at: Timestamp) -> bool {
        self.forgiven_until(&Forgiven::Everything) >= Some(at)
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
        let Forgiveness { at, what } = forgiveness;
        let place = self
            .forgiven
            .binary_search_by_key(&what, |known| &known.what);
        match place {
            Ok(place) => self.forgiven[place].at = self.forgiven[place].at.max(*at),
            Err(place) => self.forgiven.insert(place, forgiveness.clone()),
        }
    }

    /// What was forgiven.
    pub(super) fn forgiven(&self) -> &[Forgiveness] {
        &self.forgiven
    }

    /// Until when limits ignore attempts that read what `what` names.
    fn forgiven_until(&self, what: &Forgiven) -> Option<Timestamp> {
        let known = self.forgiven.iter();
        let known = known.filter(|known| known.what == *what || known.what == Forgiven::Everything);
        known.map(|known| known.at).max()
    }

    /// Moves the times until when attempts were forgiven by a number of milliseconds.
    pub(super) fn move_forgiven(&mut self, by: i64) {
        for forgiveness in &mut self.forgiven {
            forgiveness.at = forgiveness.at.moved(by);
        }
    }

    /// Adds an attempt, or replaces what was known of it.
    pub(super) fn set(&mut self, attempt: Attempt) {
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

/// Whether an attempt was made after this time.
fn is_after(until: Option<Timestamp>) -> impl Fn(&&Arc<Attempt>) -> bool {
    move |attempt| until.is_none_or(|until| attempt.intended > until)
}
