//! The changes of a view. Pure: the disk stores what differs.

use std::sync::Arc;

use thiserror::Error;

use crate::ledger::attempt::{Attempt, Intent, Judged, SentFile};
use crate::ledger::attempt_id::AttemptId;
use crate::ledger::class_results::{class_results, with_few_classes};
use crate::ledger::folder::FolderLedger;
use crate::ledger::forgive::{Forgiven, Forgiveness};
use crate::ledger::outcome::{FileState, Verdict};
use crate::ledger::view::LedgerView;
use crate::model::{FileKey, FileMap, FolderId, FolderName, Lost, Outcome, Timestamp};

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

/// A change that does not fit what is known. Nothing is changed then.
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

impl LedgerView {
    /// Adds an attempt that is about to be made. While an attempt in a folder is unjudged, no second one can be added, whoever asks.
    pub fn intend(&mut self, id: AttemptId, intent: Intent) -> Result<(), Misfit> {
        let unjudged = self.track.unjudged_in(intent.folder).next();
        if let Some(other) = unjudged {
            return Err(Misfit::Unjudged(other.id));
        }
        let files = with_few_classes(intent.files);
        let mut attempt = Attempt {
            id,
            portal: intent.portal,
            folder: intent.folder,
            is_trial: intent.is_trial,
            intended: intent.at,
            files: files.len() as u64,
            classes: class_results(&files),
            outcome: None,
            watched: None,
            judged: None,
        };
        let folder = self.folder_or_new(intent.folder);
        folder.name = intent.name;
        folder.unseen_since = None;
        for key in files.keys() {
            folder.charge(*key);
        }
        for result in attempt.classes.iter() {
            self.add_class(&result.class, intent.max_classes);
        }
        attempt.watched = Some(Arc::new(files));
        self.track.set(attempt);
        Ok(())
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

    /// Records every attempt that was made until then and has no outcome as interrupted: whoever sent it is gone.
    pub fn interrupt(&mut self, until: Timestamp) -> Result<(), Misfit> {
        let unanswered: Vec<_> = self.unanswered(until).cloned().collect();
        for attempt in unanswered {
            let at = until.max(attempt.intended);
            let why = Lost::Interrupted;
            self.settle(attempt.id, at, Outcome::Unknown { why })?;
        }
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
            let file = files.get_mut(key);
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
        self.count_class(&file.class, file.state);
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

    /// Lets limits ignore what was before a time.
    pub(super) fn forgive(&mut self, forgiveness: &Forgiveness) {
        let folders = self.folders.iter_mut();
        match forgiveness.what {
            Forgiven::Everything => folders.for_each(|(_, folder)| forget_file_attempts(folder)),
            Forgiven::Folder(id) => folders
                .filter(|(other, _)| **other == id)
                .for_each(|(_, folder)| forget_file_attempts(folder)),
            Forgiven::Class(_) => {}
            Forgiven::Clock => self.end_times_at(forgiveness.at),
        }
        self.note_forgiven(forgiveness);
    }

    /// Replaces later times by this one.
    fn end_times_at(&mut self, at: Timestamp) {
        self.met = self.met.min(at);
        let later = self.track.iter();
        let later = later.filter(|attempt| attempt.last_change() > at);
        let ended: Vec<Attempt> = later
            .map(|attempt| attempt.with_times(|time| time.min(at)))
            .collect();
        for attempt in ended {
            self.track.set(attempt);
        }
    }

    fn sent(&self, id: AttemptId) -> Result<Attempt, Misfit> {
        let attempt = self.attempt(id).ok_or(Misfit::NoAttempt(id))?;
        Ok(Attempt::clone(attempt))
    }

    fn folder_or_new(&mut self, id: FolderId) -> &mut FolderLedger {
        let new = || Arc::new(FolderLedger::new(FolderName::new("")));
        Arc::make_mut(self.folders.entry(id).or_insert_with(new))
    }
}

fn forget_file_attempts(folder: &mut Arc<FolderLedger>) {
    if !folder.file_attempts.is_empty() {
        Arc::make_mut(folder).file_attempts = FileMap::default();
    }
}
