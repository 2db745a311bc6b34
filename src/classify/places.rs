//! Which classes are shown: each has a place of its own until it was unseen for a day.
//!
//! Places are few, in each folder and in the whole portal. Where there are more classes than places, those with most files
//! get the free ones, then those whose text comes first. Who has a place keeps it, however many files others have, so that no
//! series comes and goes at the edge: until looks at its folder have not shown it for a day, or the rules are others and call its files
//! something else.
//!
//! Folders are shown as each is read, so a new class has its place at once while there are free ones. Where the portal's run out,
//! [`Places::choose`] at the end of the collection chooses anew among the classes that came up in it: which of them get a place does
//! not hang on the order in which folders were read.

mod contest;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use crate::classify::{Class, ClassCount, ClassCounts, Version};
use crate::model::{FolderId, Status, Timestamp};

use contest::{Candidate, Contest};

/// How long a class keeps a place in which it is not seen.
const KEPT_UNSEEN: Duration = Duration::from_hours(24);

/// How many classes may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassLimits {
    /// Of one portal.
    pub portal: usize,
    /// Of one folder.
    pub folder: usize,
}

/// The place of a class in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
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
    /// One of the reasons, where the class is [`Class::Other`]: of the largest class that has no place.
    pub example: Option<Arc<str>>,
}

impl ErrorRow {
    /// The rows of these numbers of files: only those where there are any. `other` is an example of what has no place.
    fn sorted(files: BTreeMap<(Status, Class), u64>, other: Option<&Arc<str>>) -> Vec<Self> {
        let files = files.into_iter().filter(|(_, files)| *files > 0);
        let row = |((status, class), files)| Self {
            status,
            files,
            example: other.filter(|_| class == Class::Other).cloned(),
            class,
        };
        files.map(row).collect()
    }
}

/// A class of a portal that has a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownClass {
    /// One of its reasons.
    pub example: Arc<str>,
    /// When it was first seen in any folder.
    pub first_seen: Timestamp,
    /// When it was last seen.
    pub last_seen: Timestamp,
}

/// The places of one portal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    folders: BTreeMap<FolderId, BTreeMap<Arc<str>, Place>>,
    /// The classes that have a place in any folder.
    in_use: HashSet<Arc<str>>,
    /// What came up since the last choice.
    contest: Contest,
    /// Whether places may become free in folders that are still to be read: after a start, and with other rules.
    renewing: bool,
}

impl Places {
    /// Puts back what was kept of a folder.
    pub fn restore(&mut self, folder: FolderId, places: Vec<Place>) {
        self.renewing = true;
        for place in places {
            self.give(folder, place);
        }
    }

    /// The places of a folder, by class.
    pub fn of(&self, folder: FolderId) -> impl Iterator<Item = &Place> {
        self.folders
            .get(&folder)
            .into_iter()
            .flat_map(BTreeMap::values)
    }

    /// Every class that has a place.
    #[must_use]
    pub fn classes(&self) -> BTreeMap<Arc<str>, KnownClass> {
        let mut classes = BTreeMap::<_, KnownClass>::new();
        for place in self.folders.values().flat_map(BTreeMap::values) {
            let known = classes
                .entry(Arc::clone(&place.class))
                .or_insert_with(|| KnownClass {
                    example: Arc::clone(&place.example),
                    first_seen: place.first_seen,
                    last_seen: place.last_seen,
                });
            if place.first_seen < known.first_seen {
                known.first_seen = place.first_seen;
                known.example = Arc::clone(&place.example);
            }
            known.last_seen = known.last_seen.max(place.last_seen);
        }
        classes
    }

    /// Gives places to what was just counted in a folder, as far as there are free ones, and returns what is to be shown: by
    /// status and class.
    pub fn seat(
        &mut self,
        folder: FolderId,
        counts: &ClassCounts,
        limits: ClassLimits,
        now: Timestamp,
    ) -> Vec<ErrorRow> {
        self.contest.leave(folder);
        let (mut newcomers, mut candidates) = (Vec::new(), Vec::new());
        for (text, count) in texts(counts) {
            let is_new = self.contest.is_about(text);
            match self.place_mut(folder, text) {
                Some(place) => {
                    place.last_seen = now;
                    place.classifier = Some(counts.classifier);
                    if is_new {
                        candidates.push(Candidate::seated(place, count));
                    }
                }
                None => newcomers.push((Reverse(count.files.total()), text, count)),
            }
        }
        self.expire(folder, counts.classifier, now);
        newcomers.sort_unstable_by_key(|(files, text, _)| (*files, *text));
        let newcomers = newcomers.into_iter().map(|(_, text, count)| (text, count));
        candidates.extend(self.admit(folder, newcomers, counts.classifier, limits, now));
        let rows = self.rows(folder, counts);
        let others = self.without_place(folder, counts);
        let others = others.filter(|(text, _)| {
            let mut candidates = candidates.iter();
            !candidates.any(|candidate| candidate.place.class == **text)
        });
        let rest = largest(others);
        self.contest.enter(folder, &rows, candidates, rest);
        rows
    }

    /// Gives the free places of a folder to the first newcomers, and returns those that are new in the portal as well.
    fn admit<'a>(
        &mut self,
        folder: FolderId,
        newcomers: impl Iterator<Item = (&'a Arc<str>, &'a ClassCount)>,
        classifier: Version,
        limits: ClassLimits,
        now: Timestamp,
    ) -> Vec<Candidate> {
        let settled = self.contest.settled(&self.in_use);
        let mut free = limits.folder.saturating_sub(self.taken(folder));
        let mut candidates = Vec::new();
        for (text, count) in newcomers {
            if free == 0 {
                break;
            }
            let is_new = !self.in_use.contains(text) || self.contest.is_about(text);
            if is_new && settled >= limits.portal && !self.renewing {
                continue;
            }
            free -= 1;
            let candidate = Candidate::new(text, count, classifier, now);
            if self.in_use.contains(text) || self.in_use.len() < limits.portal {
                self.give(folder, candidate.place.clone());
            }
            if is_new {
                candidates.push(candidate);
            }
        }
        candidates
    }

    /// Ends a collection. Where the portal had too few places for the classes that came up in it, those with most files in all folders
    /// have them now; the folders that show something else for it are returned.
    pub fn choose(&mut self, limits: ClassLimits) -> Vec<(FolderId, Vec<ErrorRow>)> {
        self.renewing = false;
        let contest = std::mem::take(&mut self.contest);
        if contest.is_empty() {
            return Vec::new();
        }
        let chosen = contest.winners(limits.portal.saturating_sub(contest.settled(&self.in_use)));
        self.free(|_, place| contest.is_about(&place.class) && !chosen.contains(&place.class));
        let mut changed = Vec::new();
        for (folder, entry) in contest.entries() {
            for candidate in entry.candidates_in(&chosen) {
                self.give(folder, candidate.place.clone());
            }
            changed.extend(entry.rows_with(&chosen).map(|rows| (folder, rows)));
        }
        changed
    }

    fn rows(&self, folder: FolderId, counts: &ClassCounts) -> Vec<ErrorRow> {
        let places = self.folders.get(&folder);
        let mut rows = BTreeMap::new();
        for count in &counts.counts {
            let class = match &count.class {
                Class::Text(text) if places.is_none_or(|places| !places.contains_key(text)) => {
                    Class::Other
                }
                class => class.clone(),
            };
            for status in Status::WITH_REASON {
                *rows.entry((status, class.clone())).or_insert(0) += count.files[status];
            }
        }
        let other = largest(self.without_place(folder, counts));
        ErrorRow::sorted(rows, other.as_ref().map(|(_, example)| example))
    }

    /// The classes of a folder that have no place there.
    fn without_place<'a>(
        &self,
        folder: FolderId,
        counts: &'a ClassCounts,
    ) -> impl Iterator<Item = (&'a Arc<str>, &'a ClassCount)> {
        let places = self.folders.get(&folder);
        texts(counts)
            .filter(move |(text, _)| places.is_none_or(|places| !places.contains_key(*text)))
    }

    /// Frees the places of a folder that were unseen for a day, or in this look while another classifier told the classes than now.
    fn expire(&mut self, folder: FolderId, classifier: Version, now: Timestamp) {
        let expired = |place: &Place| {
            let outdated = place.classifier != Some(classifier);
            place.last_seen != now && (outdated || now.since(place.last_seen) > KEPT_UNSEEN)
        };
        if self.of(folder).any(expired) {
            self.free(|id, place| id == folder && expired(place));
        }
    }

    /// Frees the places that were unseen for a day in folders that are not looked at.
    pub fn expire_in(&mut self, now: Timestamp, not_looked_at: impl Fn(FolderId) -> bool) {
        self.free(|folder, place| {
            now.since(place.last_seen) > KEPT_UNSEEN && not_looked_at(folder)
        });
    }

    /// Other rules tell the classes from now on.
    pub fn renew(&mut self) {
        self.renewing = true;
    }

    /// Frees the places of the folders that are not kept.
    pub fn retain_folders(&mut self, keep: impl Fn(FolderId) -> bool) {
        self.contest.retain(&keep);
        self.free(|folder, _| !keep(folder));
    }

    /// Frees places where there are more than these: those of the classes that were unseen for longest.
    pub fn limit(&mut self, limits: ClassLimits) {
        let mut folders = self.folders.values();
        let fits = folders.all(|places| places.len() <= limits.folder);
        if fits && self.in_use.len() <= limits.portal {
            return;
        }
        self.contest = Contest::default();
        let mut kept = BTreeMap::new();
        for (folder, places) in &self.folders {
            let places = places.iter().map(|(text, place)| (text, place.last_seen));
            kept.insert(*folder, latest(places, limits.folder));
        }
        self.free(|folder, place| {
            let kept = kept.get(&folder);
            kept.is_some_and(|kept| !kept.contains(&place.class))
        });
        let classes = self.classes();
        let classes = classes.iter().map(|(text, known)| (text, known.last_seen));
        let kept = latest(classes, limits.portal);
        self.free(|_, place| !kept.contains(&place.class));
    }

    fn free(&mut self, is_free: impl Fn(FolderId, &Place) -> bool) {
        for (folder, places) in &mut self.folders {
            places.retain(|_, place| !is_free(*folder, place));
        }
        self.folders.retain(|_, places| !places.is_empty());
        let texts = self.folders.values().flat_map(BTreeMap::keys);
        self.in_use = texts.cloned().collect();
    }

    fn give(&mut self, folder: FolderId, place: Place) {
        let text = Arc::clone(&place.class);
        self.in_use.insert(Arc::clone(&text));
        self.folders.entry(folder).or_default().insert(text, place);
    }

    fn place_mut(&mut self, folder: FolderId, text: &str) -> Option<&mut Place> {
        self.folders.get_mut(&folder)?.get_mut(text)
    }

    fn taken(&self, folder: FolderId) -> usize {
        self.folders.get(&folder).map_or(0, BTreeMap::len)
    }
}

/// The counts of the classes that need a place: reserved ones need none.
fn texts(counts: &ClassCounts) -> impl Iterator<Item = (&Arc<str>, &ClassCount)> {
    let counts = counts.counts.iter();
    let counts = counts.filter(|count| count.files.total() > 0);
    counts.filter_map(|count| match &count.class {
        Class::Text(text) => Some((text, count)),
        Class::Unspecified | Class::Other | Class::Unread => None,
    })
}

/// The files and an example of the class that has most of them, then of the one whose text comes first.
fn largest<'a>(
    classes: impl Iterator<Item = (&'a Arc<str>, &'a ClassCount)>,
) -> Option<(u64, Arc<str>)> {
    let largest = classes.max_by_key(|(text, count)| (count.files.total(), Reverse(*text)));
    largest.map(|(text, count)| (count.files.total(), count.example_or(text)))
}

/// The classes that were seen last, then those whose text comes first: at most `limit`.
fn latest<'a>(
    classes: impl Iterator<Item = (&'a Arc<str>, Timestamp)>,
    limit: usize,
) -> HashSet<Arc<str>> {
    let mut classes: Vec<_> = classes.map(|(text, seen)| (Reverse(seen), text)).collect();
    classes.sort_unstable();
    let latest = classes.into_iter().take(limit);
    latest.map(|(_, text)| Arc::clone(text)).collect()
}

#[cfg(test)]
mod tests;
