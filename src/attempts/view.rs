//! What the ledger knows of one portal, in memory: limits are computed from it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::attempts::attempt::{Attempt, AttemptId, MAX_CLASSES};
use crate::attempts::outcome::FileState;
use crate::attempts::totals::{ClassTotals, FolderLedger, Totals};
use crate::attempts::track::Track;
use crate::classify::Class;
use crate::model::{FileKey, FolderId, Timestamp};

/// What the ledger knows of one portal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerView {
    pub(super) met: Timestamp,
    /// By how many milliseconds the clock was set, all steps together.
    pub(super) steps: i64,
    /// By how many of them all times were moved.
    pub(super) moved: i64,
    /// When the clock was last found set.
    pub(super) clock_set: Option<Timestamp>,
    /// When it was last found that limits may have ended early.
    pub(super) doubted: Option<Timestamp>,
    /// The greatest id of an attempt.
    pub(super) last_id: AttemptId,
    /// The newest attempt that was forgotten because no limit needs it.
    pub(super) last_forgotten: AttemptId,
    pub(super) track: Track,
    pub(super) folders: HashMap<FolderId, Arc<FolderLedger>>,
    pub(super) classes: BTreeMap<Class, ClassTotals>,
}

impl LedgerView {
    /// What a ledger knows of a portal that it meets at this time.
    pub fn new(met: Timestamp) -> Self {
        Self {
            met,
            steps: 0,
            moved: 0,
            clock_set: None,
            doubted: None,
            last_id: AttemptId::default(),
            last_forgotten: AttemptId::default(),
            track: Track::default(),
            folders: HashMap::new(),
            classes: BTreeMap::new(),
        }
    }

    /// Of a log without events: every portal was met before this.
    pub fn unmet() -> Self {
        Self::new(Timestamp::from_millis(i64::MAX))
    }

    /// When the ledger first met the portal: it knows nothing from before.
    pub const fn met(&self) -> Timestamp {
        self.met
    }

    /// Limits may have ended early before this: the ledger met the portal then, or its database had lost writes. `None` if people forgave that.
    pub fn doubted(&self) -> Option<Timestamp> {
        let doubted = self.doubted.max(Some(self.met));
        doubted.filter(|at| !self.track.is_forgiven(*at))
    }

    /// By how many milliseconds the clock is known to have been set, all steps together.
    pub const fn steps(&self) -> i64 {
        self.steps
    }

    /// By how many milliseconds times are to move when the clock is set by `step`, at `now` by the clock as it is then. Times never move to before
    /// they were written: a clock that was set forward and back leaves them where they were. A clock that was behind a time that is written was
    /// wrong, and the times are right.
    pub fn moves_by(&self, step: i64, now: Timestamp) -> i64 {
        let was_behind = self.latest() > now.moved(step.saturating_neg());
        if was_behind && step > 0 {
            return 0;
        }
        step.max(self.moved.max(0).saturating_neg())
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
