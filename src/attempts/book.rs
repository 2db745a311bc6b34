//! What the ledger knows of one portal, in memory: limits are computed from it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::attempts::attempt::{
    Attempt, AttemptId, Intent, Judged, MAX_CLASSES, SentFile, class_results, with_few_classes,
};
use crate::attempts::outcome::{FileState, Verdict};
use crate::attempts::totals::{ClassTotals, FolderLedger, Totals};
use crate::attempts::track::{Forgiven, Track};
use crate::classify::Class;
use crate::model::{FileKey, FileMap, FolderId, FolderName, Outcome, Timestamp};

/// What the ledger knows of one portal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Book {
    /// Limits may have ended early before this: the ledger was new then, or its database had lost writes. `None` if people forgave that.
    pub(crate) doubted: Option<Timestamp>,
    /// When people said last that the clock had been ahead.
    pub(crate) clock_forgiven: Option<Timestamp>,
    pub(crate) track: Track,
    pub(crate) folders: HashMap<FolderId, Arc<FolderLedger>>,
    pub(crate) classes: BTreeMap<Class, ClassTotals>,
}

/// What a read of a folder shows about an attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    /// Files of the attempt whose state changed.
    pub changed: Vec<(FileKey, FileState)>,
    /// The verdict, where it can be given.
    pub verdict: Option<Verdict>,
}

impl Review {
    /// Whether there is nothing to write.
    pub const fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.verdict.is_none()
    }
}

/// A change that does not fit what is known. It is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Misfit {
    #[error("there is no attempt {0}")]
    NoAttempt(AttemptId),
    /// The attempt is not at the point where this can happen.
    #[error("attempt {0} is already further than that, or not yet so far")]
    WrongCourse(AttemptId),
    /// A second attempt in a folder whose last one has no verdict yet.
    #[error("attempt {0} in the same folder has not been judged yet")]
    Unjudged(AttemptId),
    /// The ledger was changed since the decision that leads to an attempt.
    #[error("the ledger was changed since the attempt was decided on")]
    Changed,
}

impl Book {
    /// What a ledger knows of a portal that it meets at this time.
    pub fn new(met: Timestamp) -> Self {
        Self {
            doubted: Some(met),
            ..Self::default()
        }
    }

    /// Limits may have ended early before this: the ledger was new then, or its database had lost writes. `None` if people forgave that.
    pub const fn doubted(&self) -> Option<Timestamp> {
        self.doubted
    }

    /// The last time that anything was written of an attempt: a clock that is behind it cannot be trusted.
    pub fn latest(&self) -> Option<Timestamp> {
        self.track.last_change()
    }

    pub const fn track(&self) -> &Track {
        &self.track
    }

    pub fn attempt(&self, id: AttemptId) -> Option<&Arc<Attempt>> {
        self.track.get(id)
    }

    /// The attempts that have no outcome yet.
    pub fn unanswered(&self) -> impl Iterator<Item = &Arc<Attempt>> {
        let unjudged = self.track.unjudged();
        unjudged.filter(|attempt| attempt.outcome.is_none())
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

    /// Adds an attempt that is about to be made. While an attempt in a folder is unjudged, no second one can be added, whoever asks.
    pub fn intend(&mut self, intent: Intent) -> Result<AttemptId, Misfit> {
        let unjudged = self.track.unjudged_in(intent.folder).next();
        if let Some(other) = unjudged {
            return Err(Misfit::Unjudged(other.id));
        }
        let files = with_few_classes(intent.files);
        let id = AttemptId::after(self.track.last_id(), intent.at);
        let attempt = Attempt {
            id,
            portal: intent.portal,
            folder: intent.folder,
            name: intent.name,
            is_trial: intent.is_trial,
            intended: intent.at,
            files: files.len() as u64,
            classes: class_results(&files),
            outcome: None,
            watched: None,
            judged: None,
        };
        let folder = self.folder_or_new(intent.folder);
        folder.name = attempt.name.clone();
        for key in files.keys() {
            folder.charge(*key);
        }
        for result in attempt.classes.iter() {
            self.add_class(&result.class, intent.max_classes);
        }
        let watched = Some(Arc::new(files));
        self.track.set(Attempt { watched, ..attempt });
        Ok(id)
    }

    /// Records the outcome of an attempt's request.
    pub fn settle(&mut self, id: AttemptId, at: Timestamp, outcome: Outcome) -> Result<(), Misfit> {
        let mut attempt = self.sent(id)?;
        let (None, Some(files)) = (attempt.outcome, &attempt.watched) else {
            return Err(Misfit::WrongCourse(id));
        };
        let folder = self.folder_or_new(attempt.folder);
        folder.totals.count_outcome(outcome);
        if !outcome.is_charged() {
            for key in files.keys() {
                folder.give_back(*key);
            }
            attempt.watched = None;
        }
        attempt.outcome = Some((at, outcome));
        self.track.set(attempt);
        Ok(())
    }

    /// Records what a read showed about an attempt.
    pub fn review(&mut self, id: AttemptId, at: Timestamp, review: &Review) -> Result<(), Misfit> {
        let mut attempt = self.sent(id)?;
        let (Some(_), Some(files)) = (attempt.outcome, attempt.watched.take()) else {
            return Err(Misfit::WrongCourse(id));
        };
        let mut files = Arc::unwrap_or_clone(files);
        for (key, state) in &review.changed {
            // No file goes back to where it was when it was sent.
            let file = files.get_mut(key).filter(|_| *state != FileState::Sent);
            if let Some(file) = file.filter(|file| !file.state.is_settled()) {
                file.state = *state;
                self.count_file(attempt.folder, *key, file);
            }
        }
        attempt.classes = class_results(&files);
        if let Some(verdict) = review.verdict {
            let folder = self.folder_or_new(attempt.folder);
            folder.totals.count_verdict(verdict);
            if verdict == Verdict::Inconclusive {
                let same = files.iter().filter(|(_, file)| !file.state.starts_anew());
                same.for_each(|(key, _)| folder.give_back(*key));
            }
            let files = files.values().map(|file| file.state).collect();
            attempt.judged = Some(Judged { at, verdict, files });
        } else {
            attempt.watched = Some(Arc::new(files));
        }
        self.track.set(attempt);
        Ok(())
    }

    fn count_file(&mut self, folder: FolderId, key: FileKey, file: &SentFile) {
        let folder = self.folder_or_new(folder);
        folder.totals.count_file(file.state);
        if file.state.starts_anew() {
            folder.file_attempts.remove(&key);
        }
        match file.state {
            FileState::Done => self.class_totals(&file.class).recovered += 1,
            FileState::Refailed => self.class_totals(&file.class).refailed += 1,
            _ => {}
        }
    }

    /// Counts the attempts of files from 0 again: they were seen done, or are other files now.
    pub fn renew(&mut self, folder: FolderId, files: &[FileKey]) {
        if let Some(folder) = self.folders.get_mut(&folder) {
            let folder = Arc::make_mut(folder);
            for key in files {
                folder.file_attempts.remove(key);
            }
        }
    }

    /// Lets limits ignore the attempts that were made until then, and what they did to files.
    pub fn forgive(&mut self, what: &Forgiven, until: AttemptId) {
        match what {
            Forgiven::Everything => {
                self.doubted = None;
                self.folders.values_mut().for_each(forget_file_attempts);
            }
            Forgiven::Folder(id) => {
                self.folders
                    .get_mut(id)
                    .into_iter()
                    .for_each(forget_file_attempts);
            }
            Forgiven::Class(_) => {}
        }
        self.track.forgive(what, until);
    }

    /// Replaces later times by this one: a clock that was ahead wrote them.
    pub fn end_times_at(&mut self, at: Timestamp) {
        self.doubted = self.doubted.map(|doubted| doubted.min(at));
        self.track.set_times(|time| time.min(at));
    }

    /// What no limit can ask for any more: attempts that are older than any limit looks back, and folders that the portal does not list any more
    /// and in which all are. Ages count from the newest entry, so that a clock that jumped forward forgets nothing.
    pub fn dispensable(
        &self,
        horizon: Duration,
        listed: &HashSet<FolderId>,
    ) -> (Vec<AttemptId>, Vec<FolderId>) {
        let Some(latest) = self.latest() else {
            return (Vec::new(), Vec::new());
        };
        let limit = latest.before(horizon);
        let mut attempts = self.track.dispensable(limit);
        let is_gone = |id: &FolderId| !listed.contains(id) && self.is_quiet(*id, limit);
        let folders: Vec<_> = self.folders.keys().copied().filter(is_gone).collect();
        for id in &folders {
            let of_folder = self.track.all_of_folder(*id);
            attempts.extend(of_folder.map(|attempt| attempt.id));
        }
        attempts.sort_unstable();
        attempts.dedup();
        (attempts, folders)
    }

    /// Forgets attempts and folders. The counters of the other folders stay.
    pub fn forget(&mut self, attempts: &[AttemptId], folders: &[FolderId]) {
        for id in folders {
            self.folders.remove(id);
        }
        for id in attempts {
            self.track.remove(*id);
        }
        let track = &self.track;
        self.classes
            .retain(|class, _| *class == Class::Other || track.knows_class(class));
    }

    /// Whether no attempt in the folder can count for a limit of the portal any more.
    fn is_quiet(&self, folder: FolderId, limit: Timestamp) -> bool {
        let mut attempts = self.track.all_of_folder(folder);
        attempts.all(|attempt| !attempt.is_unjudged() && attempt.last_change() < limit)
    }

    fn sent(&self, id: AttemptId) -> Result<Attempt, Misfit> {
        let attempt = self.attempt(id).ok_or(Misfit::NoAttempt(id))?;
        Ok(Attempt::clone(attempt))
    }

    pub(crate) fn folder_or_new(&mut self, id: FolderId) -> &mut FolderLedger {
        let new = || Arc::new(FolderLedger::new(FolderName::new("")));
        Arc::make_mut(self.folders.entry(id).or_insert_with(new))
    }

    /// Gives a class that is about to be sent counters of its own if fewer than the maximum of classes have some; else its files are counted as
    /// [`Class::Other`].
    ///
    /// A class keeps its counters until the ledger forgets it, and what was counted as [`Class::Other`] stays that. So no counter falls.
    fn add_class(&mut self, class: &Class, max_classes: usize) {
        let counted = self.classes.keys().filter(|class| **class != Class::Other);
        if counted.count() < max_classes.min(MAX_CLASSES) {
            self.classes.entry(class.clone()).or_default();
        }
        self.class_totals(class);
    }

    /// The counters for the files of a class.
    fn class_totals(&mut self, class: &Class) -> &mut ClassTotals {
        let own = self.classes.contains_key(class);
        let class = if own { class } else { &Class::Other };
        self.classes.entry(class.clone()).or_default()
    }
}

fn forget_file_attempts(folder: &mut Arc<FolderLedger>) {
    if !folder.file_attempts.is_empty() {
        Arc::make_mut(folder).file_attempts = FileMap::default();
    }
}
