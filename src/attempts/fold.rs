//! Folds events to a view.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::attempts::attempt::{
    Attempt, AttemptId, Intent, Judged, SentFile, class_results, with_few_classes,
};
use crate::attempts::event::{Event, Misfit, Review};
use crate::attempts::outcome::{FileState, Verdict};
use crate::attempts::totals::FolderLedger;
use crate::attempts::track::{Forgiven, Forgiveness};
use crate::attempts::view::LedgerView;
use crate::classify::Class;
use crate::model::{FileKey, FileMap, FolderId, FolderName, Lost, Outcome, Timestamp};

impl LedgerView {
    /// Adds an event. One that does not fit changes nothing.
    pub fn apply(&mut self, event: &Event) -> Result<(), Misfit> {
        match event {
            Event::Met { at } => self.met = *at,
            Event::Intended(intent) => drop(self.intend(intent.clone())?),
            Event::Settled { id, at, outcome } => self.settle(*id, *at, *outcome)?,
            Event::Reviewed { id, at, review } => self.review(*id, *at, review)?,
            Event::Renewed { folder, files } => self.renew(*folder, files),
            Event::Forgiven(forgiveness) => self.forgive(forgiveness),
            Event::ClockSet { at, step, by } => self.set_clock(*at, *step, *by),
            Event::Doubted { at } => self.doubted = Some(*at),
            Event::Known(view) => drop(self.merge(view)),
        }
        Ok(())
    }

    /// Events that record every attempt that was made until then and has no outcome as interrupted: whoever sent it is gone.
    pub fn interrupted(&self, until: Timestamp) -> Vec<Event> {
        let why = Lost::Interrupted;
        let settled = self.unanswered(until).map(|attempt| Event::Settled {
            id: attempt.id,
            at: until.max(attempt.intended),
            outcome: Outcome::Unknown { why },
        });
        settled.collect()
    }

    /// Adds an attempt that is about to be made. While an attempt in a folder is unjudged, no second one can be added, whoever asks.
    pub fn intend(&mut self, intent: Intent) -> Result<AttemptId, Misfit> {
        let unjudged = self.track.unjudged_in(intent.folder).next();
        if let Some(other) = unjudged {
            return Err(Misfit::Unjudged(other.id));
        }
        let files = with_few_classes(intent.files);
        let id = AttemptId::after(self.last_id, intent.at);
        self.last_id = id;
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
        for key in files.keys() {
            folder.charge(*key);
        }
        for result in attempt.classes.iter() {
            self.add_class(&result.class, intent.max_classes);
        }
        attempt.watched = Some(Arc::new(files));
        self.track.set(attempt);
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
    fn forgive(&mut self, forgiveness: &Forgiveness) {
        let folders = self.folders.iter_mut();
        match forgiveness.what {
            Forgiven::Everything => folders.for_each(|(_, folder)| forget_file_attempts(folder)),
            Forgiven::Folder(id) => folders
                .filter(|(other, _)| **other == id)
                .for_each(|(_, folder)| forget_file_attempts(folder)),
            Forgiven::Class(_) => {}
            Forgiven::Clock => self.end_times_at(forgiveness.at),
        }
        self.track.note_forgiven(forgiveness);
    }

    /// Moves every time.
    fn set_clock(&mut self, at: Timestamp, step: i64, by: i64) {
        self.steps = self.steps.saturating_add(step);
        self.met = self.met.moved(by);
        self.moved = self.moved.saturating_add(by).max(0);
        self.clock_set = Some(at);
        self.track.set_times(|time| time.moved(by));
        self.track.move_forgiven(by);
    }

    /// Replaces later times by this one.
    fn end_times_at(&mut self, at: Timestamp) {
        self.met = self.met.min(at);
        self.track.set_times(|time| time.min(at));
    }

    /// Forgets what no limit can ask for any more: attempts that are older than any limit looks back, and folders that the portal does not list any
    /// more and in which all are. The counters stay. Ages count from the newest entry, so that a clock that jumped forward forgets nothing.
    pub fn tidy(&mut self, horizon: Duration, listed: &HashSet<FolderId>) {
        let limit = self.latest().before(horizon);
        let mut forgotten = self.track.dispensable(limit);
        let is_gone = |id: &FolderId| !listed.contains(id) && self.is_quiet(*id, limit);
        let gone: Vec<_> = self.folders.keys().copied().filter(is_gone).collect();
        for id in gone {
            self.folders.remove(&id);
            let attempts = self.track.all_of_folder(id);
            forgotten.extend(attempts.map(|attempt| attempt.id));
        }
        for id in forgotten {
            self.last_forgotten = self.last_forgotten.max(id);
            self.track.remove(id);
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
