//! What the ledger knows of one portal, in memory. Pure: what limits ask, and what each change makes of it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use crate::classify::Class;
use crate::ledger::attempt::Attempt;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::mode::{ActiveMode, AttemptId};
use crate::ledger::outcome::{FileState, Outcome, Verdict};
use crate::ledger::track::Track;
use crate::model::{FileKey, FileMap, FolderId, FolderName, Timestamp};

/// What the ledger knows of one portal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerView {
    pub(super) met: Timestamp,
    /// When the clock was last found set.
    pub(super) clock_set: Option<Timestamp>,
    pub(super) dry_run: Track,
    pub(super) enforce: Track,
    pub(super) folders: HashMap<FolderId, Arc<FolderBook>>,
    pub(super) classes: BTreeMap<Class, ClassTotals>,
}

/// How many classes are counted by themselves in a portal at most, whatever `errors.max_classes` allows: the ledger's own bound.
const MAX_CLASSES: usize = 50;

/// What all attempts made of the files of one class: its counters, which outlive the attempts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClassTotals {
    /// Files that were done after an attempt.
    pub recovered: u64,
    /// Files that failed again after an attempt.
    pub refailed: u64,
}

impl ClassTotals {
    /// All files of which it is known what became of them.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.recovered.saturating_add(self.refailed)
    }
}

/// What the ledger knows of one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderBook {
    /// Its name at the last attempt.
    pub name: FolderName,
    /// What all its attempts came to.
    pub totals: Totals,
    /// How often each file was sent since it was done last; files without an entry were not.
    pub tries: FileMap<u32>,
    /// Since when the portal does not list it, as far as that was noticed.
    pub unseen_since: Option<Timestamp>,
}

/// What all attempts in a folder came to: its counters, which outlive the attempts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Attempts that the portal accepted.
    pub accepted: u64,
    /// Attempts that the portal refused.
    pub refused: u64,
    /// Attempts of which it is not known what they did.
    pub unknown: u64,
    /// The sum of `updated`.
    pub requeued: u64,
    /// Attempts judged [`Verdict::Recovered`].
    pub recovered: u64,
    /// Attempts judged [`Verdict::Partial`].
    pub partial: u64,
    /// Attempts judged [`Verdict::None`].
    pub none: u64,
    /// Attempts judged [`Verdict::Inconclusive`].
    pub inconclusive: u64,
    /// Files that were done after an attempt.
    pub files_recovered: u64,
    /// Files that failed again after an attempt.
    pub files_refailed: u64,
}

impl Totals {
    /// The attempts with a verdict.
    #[must_use]
    pub const fn judged(&self, verdict: Verdict) -> u64 {
        match verdict {
            Verdict::Recovered => self.recovered,
            Verdict::Partial => self.partial,
            Verdict::None => self.none,
            Verdict::Inconclusive => self.inconclusive,
        }
    }

    pub(super) fn count_outcome(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Accepted { updated } => {
                self.accepted += 1;
                self.requeued = self.requeued.saturating_add(updated);
            }
            Outcome::Refused { .. } => self.refused += 1,
            Outcome::Unknown { .. } => self.unknown += 1,
        }
    }

    pub(super) fn count_verdict(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Recovered => self.recovered += 1,
            Verdict::Partial => self.partial += 1,
            Verdict::None => self.none += 1,
            Verdict::Inconclusive => self.inconclusive += 1,
        }
    }

    pub(super) fn count_file(&mut self, state: FileState) {
        match state {
            FileState::Done => self.files_recovered += 1,
            FileState::Refailed => self.files_refailed += 1,
            _ => {}
        }
    }
}

impl FolderBook {
    pub(super) fn new(name: FolderName) -> Self {
        Self {
            name,
            totals: Totals::default(),
            tries: FileMap::default(),
            unseen_since: None,
        }
    }

    /// Counts one more attempt for a file.
    pub(super) fn charge(&mut self, key: FileKey) {
        let tries = self.tries.entry(key).or_default();
        *tries = tries.saturating_add(1);
    }

    /// Takes one attempt back from a file.
    pub(super) fn give_back(&mut self, key: FileKey) {
        if let Some(tries) = self.tries.get_mut(&key) {
            *tries = tries.saturating_sub(1);
            if *tries == 0 {
                self.tries.remove(&key);
            }
        }
    }
}

impl LedgerView {
    /// What a ledger knows of a portal that it meets at this time.
    #[must_use]
    pub fn new(met: Timestamp) -> Self {
        Self {
            met,
            clock_set: None,
            dry_run: Track::default(),
            enforce: Track::default(),
            folders: HashMap::new(),
            classes: BTreeMap::new(),
        }
    }

    /// When the ledger first met the portal: of what was before, it knows nothing.
    #[must_use]
    pub const fn met(&self) -> Timestamp {
        self.met
    }

    /// Whether the clock was set within the last `pause`. Times that are not the ledger's, such as since when a file is failed, did not move
    /// with it.
    #[must_use]
    pub fn clock_was_set_within(&self, pause: Duration, now: Timestamp) -> bool {
        self.clock_set.is_some_and(|set| now.since(set) < pause)
    }

    /// The same with every time moved by so many milliseconds, for a clock that was found set at `now`.
    pub(super) fn clock_was_set(&self, by: i64, now: Timestamp) -> Self {
        let mut view = self.clone();
        view.met = self.met.moved(by);
        view.clock_set = Some(now);
        view.dry_run = self.dry_run.moved(by);
        view.enforce = self.enforce.moved(by);
        for book in view.folders.values_mut() {
            let unseen_since = book.unseen_since.map(|since| since.moved(by));
            if unseen_since != book.unseen_since {
                Arc::make_mut(book).unseen_since = unseen_since;
            }
        }
        view
    }

    pub(super) fn note_forgiven(&mut self, forgiveness: &Forgiveness) {
        self.dry_run.note_forgiven(forgiveness);
        self.enforce.note_forgiven(forgiveness);
    }

    /// The last time that anything was written: a clock that is behind it cannot be trusted.
    #[must_use]
    pub fn latest(&self) -> Timestamp {
        let tracks = [&self.dry_run, &self.enforce];
        let changes = tracks.into_iter().filter_map(Track::last_change);
        changes.fold(self.met, Timestamp::max)
    }

    /// The attempts of a mode.
    #[must_use]
    pub const fn track(&self, mode: ActiveMode) -> &Track {
        match mode {
            ActiveMode::DryRun => &self.dry_run,
            ActiveMode::Enforce => &self.enforce,
        }
    }

    pub(super) const fn track_mut(&mut self, mode: ActiveMode) -> &mut Track {
        match mode {
            ActiveMode::DryRun => &mut self.dry_run,
            ActiveMode::Enforce => &mut self.enforce,
        }
    }

    /// One attempt of either mode.
    #[must_use]
    pub fn attempt(&self, id: AttemptId) -> Option<&Arc<Attempt>> {
        self.enforce.get(id).or_else(|| self.dry_run.get(id))
    }

    /// What is known of a folder; `None` when nothing was ever attempted there.
    #[must_use]
    pub fn folder(&self, folder: FolderId) -> Option<&FolderBook> {
        self.folders.get(&folder).map(|book| &**book)
    }

    /// Every folder in which something was attempted.
    pub fn folders(&self) -> impl Iterator<Item = (FolderId, &FolderBook)> {
        self.folders.iter().map(|(id, book)| (*id, &**book))
    }

    /// What all attempts in a folder came to.
    #[must_use]
    pub fn totals(&self, folder: FolderId) -> Totals {
        self.folder(folder)
            .map_or_else(Totals::default, |book| book.totals)
    }

    /// What all attempts made of the files of each class.
    #[must_use]
    pub const fn classes(&self) -> &BTreeMap<Class, ClassTotals> {
        &self.classes
    }

    /// Every class that a file is known to have had; some more than once.
    pub fn known_classes(&self) -> impl Iterator<Item = &Class> {
        let tracks = [&self.dry_run, &self.enforce].into_iter();
        self.classes.keys().chain(tracks.flat_map(Track::classes))
    }

    /// Begins to count the files of a class that is about to be sent, by itself where fewer than so many classes are; returns the class
    /// under which they are counted.
    ///
    /// A class keeps its place until the ledger forgets it, and what was counted as [`Class::Other`] stays that. So no counter falls.
    pub(super) fn meet_class(&mut self, class: &Class, max_classes: usize) -> Class {
        let counted = self.classes.keys().filter(|class| **class != Class::Other);
        if counted.count() < max_classes.min(MAX_CLASSES) {
            self.classes.entry(class.clone()).or_default();
        }
        let class = self.counted_as(class);
        self.classes.entry(class.clone()).or_default();
        class
    }

    /// The class under which the files of a class are counted.
    fn counted_as(&self, class: &Class) -> Class {
        let known = self.classes.contains_key(class);
        if known { class.clone() } else { Class::Other }
    }

    /// Counts a file of a class; returns the class under which it is counted.
    pub(super) fn count_class(&mut self, class: &Class, state: FileState) -> Class {
        let class = self.counted_as(class);
        let totals = self.classes.entry(class.clone()).or_default();
        match state {
            FileState::Done => totals.recovered += 1,
            FileState::Refailed => totals.refailed += 1,
            _ => {}
        }
        class
    }

    /// How often a file was sent since it was done last.
    #[must_use]
    pub fn tries(&self, folder: FolderId, key: FileKey) -> u32 {
        let book = self.folder(folder);
        book.and_then(|book| book.tries.get(&key).copied())
            .unwrap_or(0)
    }
}
