//! What the ledger knows of one portal, in memory: limits are computed from it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use crate::classify::Class;
use crate::ledger::attempt::Attempt;
use crate::ledger::attempt_id::AttemptId;
use crate::ledger::class_results::MAX_CLASSES;
use crate::ledger::folder::{ClassTotals, FolderLedger, Totals};
use crate::ledger::forgive::Forgiveness;
use crate::ledger::outcome::FileState;
use crate::ledger::track::Track;
use crate::model::{FileKey, FolderId, Timestamp};

/// What the ledger knows of one portal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerView {
    /// How often the portal was written.
    pub(super) version: i64,
    /// The version at which something was last removed.
    pub(super) removed: i64,
    pub(super) met: Timestamp,
    /// When the clock was last found set.
    pub(super) clock_set: Option<Timestamp>,
    pub(super) track: Track,
    pub(super) folders: HashMap<FolderId, Arc<FolderLedger>>,
    pub(super) classes: BTreeMap<Class, ClassTotals>,
}

impl LedgerView {
    /// What a ledger knows of a portal that it meets at this time.
    pub fn new(met: Timestamp) -> Self {
        Self {
            version: 0,
            removed: 0,
            met,
            clock_set: None,
            track: Track::default(),
            folders: HashMap::new(),
            classes: BTreeMap::new(),
        }
    }

    /// When the ledger first met the portal: it knows nothing from before.
    pub const fn met(&self) -> Timestamp {
        self.met
    }

    /// Whether the clock was set within the last `pause`. Times that are not the ledger's, such as since when a file is failed, did not move
    /// with it.
    pub(crate) fn clock_was_set_within(&self, pause: Duration, now: Timestamp) -> bool {
        self.clock_set.is_some_and(|set| now.since(set) < pause)
    }

    pub(super) fn note_forgiven(&mut self, forgiveness: &Forgiveness) {
        self.track.note_forgiven(forgiveness);
    }

    /// The last time that anything was written: a clock that is behind it cannot be trusted.
    pub fn latest(&self) -> Timestamp {
        let last = self.track.last_change();
        last.map_or(self.met, |last| last.max(self.met))
    }

    pub const fn track(&self) -> &Track {
        &self.track
    }

    pub fn attempt(&self, id: AttemptId) -> Option<&Arc<Attempt>> {
        self.track.get(id)
    }

    /// The attempts that were made until then and have no outcome yet.
    pub(super) fn unanswered(&self, until: Timestamp) -> impl Iterator<Item = &Arc<Attempt>> {
        let unanswered = self.track.unjudged();
        unanswered.filter(move |attempt| attempt.outcome.is_none() && attempt.intended <= until)
    }

    /// The view of a folder; `None` if nothing was ever attempted there.
    pub fn folder(&self, folder: FolderId) -> Option<&FolderLedger> {
        self.folders.get(&folder).map(AsRef::as_ref)
    }

    /// Every folder in which something was attempted.
    pub fn folders(&self) -> impl Iterator<Item = (FolderId, &FolderLedger)> {
        self.folders.iter().map(|(id, folder)| (*id, &**folder))
    }

    /// The totals of the attempts in a folder.
    pub fn totals(&self, folder: FolderId) -> Totals {
        self.folder(folder)
            .map_or_else(Totals::default, |folder| folder.totals)
    }

    /// How often a file was sent since it was done last.
    pub fn file_attempts(&self, folder: FolderId, key: FileKey) -> u32 {
        let folder = self.folder(folder);
        let attempts = folder.and_then(|folder| folder.file_attempts.get(&key));
        attempts.copied().unwrap_or(0)
    }

    /// The totals of the files of each class.
    pub const fn classes(&self) -> &BTreeMap<Class, ClassTotals> {
        &self.classes
    }

    /// Every class that a file is known to have had; some more than once.
    pub fn known_classes(&self) -> impl Iterator<Item = &Class> {
        self.classes.keys().chain(self.track.classes())
    }

    /// Gives a class that is about to be sent counters of its own if fewer than the maximum of classes have some; else its files are counted as
    /// [`Class::Other`].
    ///
    /// A class keeps its counters until the ledger forgets it, and what was counted as [`Class::Other`] stays that. So no counter falls.
    pub(super) fn add_class(&mut self, class: &Class, max_classes: usize) {
        let counted = self.classes.keys().filter(|class| **class != Class::Other);
        if counted.count() < max_classes.min(MAX_CLASSES) {
            self.classes.entry(class.clone()).or_default();
        }
        self.class_totals(class);
    }

    /// Counts a file of a class.
    pub(super) fn count_class(&mut self, class: &Class, state: FileState) {
        match state {
            FileState::Done => self.class_totals(class).recovered += 1,
            FileState::Refailed => self.class_totals(class).refailed += 1,
            _ => {}
        }
    }

    /// The counters for the files of a class.
    fn class_totals(&mut self, class: &Class) -> &mut ClassTotals {
        let own = self.classes.contains_key(class);
        let class = if own { class } else { &Class::Other };
        self.classes.entry(class.clone()).or_default()
    }
}
