//! What a change makes of a view. Pure: the disk only stores what comes out.

use std::sync::Arc;

use crate::ledger::attempt::{Answered, Attempt, Course, Intent, SentFile};
use crate::ledger::change::{Change, Misfit, Review, Touched};
use crate::ledger::fates::{bounded, fates, room, sent_files, updated_fates};
use crate::ledger::forgive::{Forgiven, Forgiveness};
use crate::ledger::mode::{ActiveMode, AttemptId};
use crate::ledger::outcome::{FileState, Lost, Outcome, StateCounts, Verdict};
use crate::ledger::view::{FolderBook, LedgerView};
use crate::model::{FileKey, FileMap, FolderId, FolderName, Timestamp};

impl LedgerView {
    /// Makes a change in memory alone. Nothing is changed where it does not fit.
    pub fn apply(&mut self, change: Change) -> Result<(), Misfit> {
        self.change(change).map(drop)
    }

    pub(super) fn change(&mut self, change: Change) -> Result<Touched, Misfit> {
        match change {
            Change::Intend { id, intent } => self.intend(id, intent),
            Change::Settle { id, at, outcome } => self.settle(id, at, outcome),
            Change::Review { id, at, review } => self.review(id, at, &review),
            Change::Renew { folder, files } => Ok(self.renew(folder, files)),
            Change::Forgive { id, forgiveness } => Ok(self.forgive(id, &forgiveness)),
            Change::Tidy(tidy) => Ok(self.tidy(&tidy)),
        }
    }

    /// The changes that say of every attempt without an outcome that was made until then that it was interrupted: whoever sent it is
    /// gone.
    #[must_use]
    pub fn interrupted(&self, until: Timestamp) -> Vec<Change> {
        let why = Lost::Interrupted;
        self.enforce
            .unjudged()
            .filter(|attempt| matches!(attempt.course, Course::Intended { .. }))
            .filter(|attempt| attempt.intended <= until)
            .map(|attempt| Change::Settle {
                id: attempt.id,
                at: until.max(attempt.intended),
                outcome: Outcome::Unknown { why },
            })
            .collect()
    }

    /// Whoever asks, and however many do: while an attempt in a folder is unjudged, there is no second one that could be sent.
    fn intend(&mut self, id: AttemptId, intent: Intent) -> Result<Touched, Misfit> {
        if let Some(other) = self.track(intent.mode).unjudged_in(intent.folder).next() {
            return Err(Misfit::Unjudged(other.id));
        }
        let files = sent_files(intent.files);
        let mut touched = Touched {
            folders: vec![intent.folder],
            attempts: vec![id],
            ..Touched::default()
        };
        let (number, classes) = (files.len() as u64, fates(&files));
        if intent.mode == ActiveMode::Enforce {
            let met = classes
                .iter()
                .map(|fate| self.meet_class(&fate.class, intent.max_classes));
            touched.classes = met.collect();
        }
        let book = self.book(intent.folder, &intent.name);
        let course = match intent.mode {
            ActiveMode::DryRun => Course::Rehearsed,
            ActiveMode::Enforce => {
                for key in files.keys() {
                    book.charge(*key);
                    touched.states.push((id, *key));
                    touched.tries.push((intent.folder, *key));
                }
                Course::Intended {
                    files: Arc::new(files),
                }
            }
        };
        self.track_mut(intent.mode).set(Attempt {
            id,
            portal: intent.portal,
            folder: intent.folder,
            intended: intent.at,
            files: number,
            classes,
            course,
        });
        Ok(touched)
    }

    fn settle(
        &mut self,
        id: AttemptId,
        at: Timestamp,
        outcome: Outcome,
    ) -> Result<Touched, Misfit> {
        let mut attempt = self.sent(id)?;
        let Course::Intended { files } = attempt.course else {
            return Err(Misfit::WrongCourse(id));
        };
        let mut touched = Touched {
            folders: vec![attempt.folder],
            attempts: vec![id],
            ..Touched::default()
        };
        let watched = |updated| Course::Watched {
            answered: Answered { at, updated },
            files: Arc::clone(&files),
        };
        attempt.course = match outcome {
            Outcome::Accepted { updated } => watched(Ok(updated)),
            Outcome::Unknown { why } => watched(Err(why)),
            Outcome::Refused {
                status,
                retry_after,
            } => {
                let keys = files.keys().copied();
                self.give_back(attempt.folder, keys, &mut touched);
                Course::Refused {
                    at,
                    status,
                    retry_after,
                }
            }
        };
        if let Some(book) = self.known_book(attempt.folder) {
            book.totals.count_outcome(outcome);
        }
        self.enforce.set(attempt);
        Ok(touched)
    }

    fn review(&mut self, id: AttemptId, at: Timestamp, review: &Review) -> Result<Touched, Misfit> {
        let mut attempt = self.sent(id)?;
        let Course::Watched { answered, files } = attempt.course else {
            return Err(Misfit::WrongCourse(id));
        };
        let mut touched = Touched {
            folders: vec![attempt.folder],
            attempts: vec![id],
            ..Touched::default()
        };
        let mut files = Arc::unwrap_or_clone(files);
        let mut room = room(answered, &files);
        for (key, state) in &review.changed {
            if let Some(known) = files.get_mut(key).filter(|known| !known.state.is_settled()) {
                known.state = bounded(*state, &mut room);
                touched.states.push((id, *key));
                self.settle_file(attempt.folder, *key, known, &mut touched);
            }
        }
        attempt.classes = updated_fates(&attempt.classes, &files);
        attempt.course = match review.verdict {
            None => Course::Watched {
                answered,
                files: Arc::new(files),
            },
            Some(verdict) => {
                self.count_verdict(attempt.folder, verdict, &files, &mut touched);
                let counts: StateCounts = files.values().map(|file| file.state).collect();
                Course::Judged {
                    answered,
                    at,
                    verdict,
                    files: counts,
                }
            }
        };
        self.enforce.set(attempt);
        Ok(touched)
    }

    fn settle_file(
        &mut self,
        folder: FolderId,
        key: FileKey,
        file: &SentFile,
        touched: &mut Touched,
    ) {
        let Some(book) = self.known_book(folder) else {
            return;
        };
        book.totals.count_file(file.state);
        if file.state.starts_anew() {
            book.tries.remove(&key);
            touched.tries.push((folder, key));
        }
        if let Some(class) = &file.class
            && matches!(file.state, FileState::Done | FileState::Refailed)
        {
            let counted = self.count_class(class, file.state);
            if !touched.classes.contains(&counted) {
                touched.classes.push(counted);
            }
        }
    }

    fn count_verdict(
        &mut self,
        folder: FolderId,
        verdict: Verdict,
        files: &FileMap<SentFile>,
        touched: &mut Touched,
    ) {
        if let Some(book) = self.known_book(folder) {
            book.totals.count_verdict(verdict);
        }
        if verdict == Verdict::Inconclusive {
            let left = files.iter().filter(|(_, file)| !file.state.starts_anew());
            self.give_back(folder, left.map(|(key, _)| *key), touched);
        }
    }

    fn give_back(
        &mut self,
        folder: FolderId,
        keys: impl Iterator<Item = FileKey>,
        touched: &mut Touched,
    ) {
        if let Some(book) = self.known_book(folder) {
            for key in keys {
                book.give_back(key);
                touched.tries.push((folder, key));
            }
        }
    }

    fn renew(&mut self, folder: FolderId, files: Vec<FileKey>) -> Touched {
        let mut touched = Touched::default();
        if let Some(book) = self.known_book(folder) {
            for key in files {
                if book.tries.remove(&key).is_some() {
                    touched.tries.push((folder, key));
                }
            }
        }
        touched
    }

    fn forgive(&mut self, id: i64, forgiveness: &Forgiveness) -> Touched {
        let mut touched = Touched {
            forgiven: Some((id, forgiveness.at)),
            ..Touched::default()
        };
        match &forgiveness.what {
            Forgiven::Everything => {
                let folders: Vec<FolderId> = self.folders.keys().copied().collect();
                for folder in folders {
                    self.forget_tries(folder, &mut touched);
                }
            }
            Forgiven::Folder(folder) => self.forget_tries(*folder, &mut touched),
            Forgiven::Class(_) | Forgiven::Breaker => {}
            Forgiven::Clock => self.end_times_at(forgiveness.at, &mut touched),
        }
        self.note_forgiven(forgiveness);
        touched
    }

    fn forget_tries(&mut self, folder: FolderId, touched: &mut Touched) {
        if let Some(book) = self.known_book(folder) {
            let files = std::mem::take(&mut book.tries).into_keys();
            touched.tries.extend(files.map(|file| (folder, file)));
        }
    }

    /// Takes later times for this one.
    fn end_times_at(&mut self, at: Timestamp, touched: &mut Touched) {
        if self.met > at {
            self.met = at;
            touched.met = true;
        }
        for mode in ActiveMode::ALL {
            let track = self.track_mut(mode);
            let later = track.iter().filter(|attempt| attempt.last_change() > at);
            let ended: Vec<Attempt> = later
                .map(|attempt| attempt.with_times(|time| time.min(at)))
                .collect();
            for attempt in ended {
                touched.attempts.push(attempt.id);
                touched.folders.push(attempt.folder);
                track.set(attempt);
            }
        }
    }

    fn sent(&self, id: AttemptId) -> Result<Attempt, Misfit> {
        if self.dry_run.get(id).is_some() {
            return Err(Misfit::WrongCourse(id));
        }
        let attempt = self.enforce.get(id).ok_or(Misfit::NoAttempt(id))?;
        Ok(Attempt::clone(attempt))
    }

    fn book(&mut self, folder: FolderId, name: &FolderName) -> &mut FolderBook {
        let book = self
            .folders
            .entry(folder)
            .or_insert_with(|| Arc::new(FolderBook::new(name.clone())));
        let book = Arc::make_mut(book);
        book.name = name.clone();
        book.unseen_since = None;
        book
    }

    pub(super) fn known_book(&mut self, folder: FolderId) -> Option<&mut FolderBook> {
        self.folders.get_mut(&folder).map(Arc::make_mut)
    }
}
