//! Classes that are new in a portal since the last choice, and the folders that they came up in.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::classify::{Class, ClassCount, ErrorRow, Place, Version};
use crate::model::{ByStatus, FolderId, Status, Timestamp};

/// What came up since the last choice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Contest {
    folders: BTreeMap<FolderId, Entry>,
    /// The classes, with their files in all folders.
    classes: HashMap<Arc<str>, u64>,
}

/// A folder's part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// What the folder shows.
    rows: Vec<ErrorRow>,
    candidates: Vec<Candidate>,
    /// Files and an example of the largest class that has no place and is no candidate.
    rest: Option<(u64, Arc<str>)>,
}

/// A new class in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The place that it has or may get.
    pub place: Place,
    files: ByStatus<u64>,
}

impl Contest {
    /// Takes in what was read of a folder.
    pub fn enter(
        &mut self,
        folder: FolderId,
        rows: &[ErrorRow],
        candidates: Vec<Candidate>,
        rest: Option<(u64, Arc<str>)>,
    ) {
        if candidates.is_empty() {
            return;
        }
        for Candidate { place, files } in &candidates {
            let class = Arc::clone(&place.class);
            *self.classes.entry(class).or_default() += files.total();
        }
        let entry = Entry {
            rows: rows.to_vec(),
            candidates,
            rest,
        };
        self.folders.insert(folder, entry);
    }

    /// A folder is read again, or not any more: its files do not count for what came up in it before.
    pub fn leave(&mut self, folder: FolderId) {
        let Some(Entry { candidates, .. }) = self.folders.remove(&folder) else {
            return;
        };
        for Candidate { place, files } in candidates {
            if let Some(total) = self.classes.get_mut(&place.class) {
                *total = total.saturating_sub(files.total());
            }
        }
    }

    /// Leaves out the folders that are not kept.
    pub fn retain(&mut self, keep: impl Fn(FolderId) -> bool) {
        let folders = self.folders.keys().copied();
        let gone: Vec<_> = folders.filter(|folder| !keep(*folder)).collect();
        for folder in gone {
            self.leave(folder);
        }
        self.classes.retain(|_, files| *files > 0);
    }

    /// Whether nothing came up.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Whether a class is new.
    pub fn is_about(&self, class: &str) -> bool {
        self.classes.contains_key(class)
    }

    /// How many of the classes in use are not new.
    pub fn settled(&self, in_use: &HashSet<Arc<str>>) -> usize {
        in_use.iter().filter(|class| !self.is_about(class)).count()
    }

    /// The classes that get the free places: those with most files, then those whose text comes first.
    pub fn winners(&self, free: usize) -> HashSet<Arc<str>> {
        let mut classes: Vec<_> = self.classes.iter().collect();
        classes.sort_unstable_by_key(|(class, files)| (Reverse(**files), *class));
        let winners = classes.into_iter().take(free);
        winners.map(|(class, _)| Arc::clone(class)).collect()
    }

    /// The folders.
    pub fn entries(&self) -> impl Iterator<Item = (FolderId, &Entry)> {
        self.folders.iter().map(|(folder, entry)| (*folder, entry))
    }
}

impl Entry {
    /// The new classes that are among the chosen ones.
    pub fn candidates_in(&self, chosen: &HashSet<Arc<str>>) -> impl Iterator<Item = &Candidate> {
        let candidates = self.candidates.iter();
        candidates.filter(|candidate| chosen.contains(&candidate.place.class))
    }

    /// What the folder shows when the chosen ones have places; none where that is what it shows.
    pub fn rows_with(&self, chosen: &HashSet<Arc<str>>) -> Option<Vec<ErrorRow>> {
        let mut files: BTreeMap<(Status, Class), u64> = BTreeMap::new();
        for row in &self.rows {
            files.insert((row.status, row.class.clone()), row.files);
        }
        for Candidate { place, files: of } in &self.candidates {
            let class = Class::Text(Arc::clone(&place.class));
            let has_place = chosen.contains(&place.class);
            for status in Status::WITH_REASON {
                let shown = files.remove(&(status, class.clone())).unwrap_or_default();
                let other = files.entry((status, Class::Other)).or_default();
                *other = (*other + shown).saturating_sub(if has_place { of[status] } else { 0 });
                if has_place {
                    files.insert((status, class.clone()), of[status]);
                }
            }
        }
        let losers = self.candidates.iter();
        let losers = losers.filter(|candidate| !chosen.contains(&candidate.place.class));
        let loser = losers.max_by_key(|loser| (loser.files.total(), Reverse(&loser.place.class)));
        let loser = loser.map(|loser| (loser.files.total(), &loser.place.example));
        let rest = self.rest.as_ref().map(|(files, example)| (*files, example));
        let other = rest
            .into_iter()
            .chain(loser)
            .max_by_key(|(files, _)| *files);
        let rows = ErrorRow::sorted(files, other.map(|(_, example)| example));
        (rows != self.rows).then_some(rows)
    }
}

impl Candidate {
    /// A class that has its place since it came up.
    pub fn seated(place: &Place, count: &ClassCount) -> Self {
        Self {
            place: place.clone(),
            files: count.files,
        }
    }

    /// A class as it was counted in a folder.
    pub fn new(class: &Arc<str>, count: &ClassCount, classifier: Version, now: Timestamp) -> Self {
        Self {
            place: Place {
                class: Arc::clone(class),
                example: count.example_or(class),
                first_seen: now,
                last_seen: now,
                classifier: Some(classifier),
            },
            files: count.files,
        }
    }
}
