//! What two views know together: of one log, or of two that were one until a database lost the end of it.

use std::sync::Arc;

use crate::attempts::attempt::Attempt;
use crate::attempts::outcome::FileState;
use crate::attempts::totals::FolderLedger;
use crate::attempts::view::LedgerView;
use crate::model::FolderId;

impl LedgerView {
    /// Adds what another view knows of attempts and this one does not. Returns whether there was anything. No counter falls.
    pub fn merge(&mut self, other: &Self) -> bool {
        self.met = self.met.min(other.met);
        self.steps = self.steps.max(other.steps);
        self.moved = self.moved.max(other.moved);
        self.clock_set = self.clock_set.max(other.clock_set);
        self.doubted = self.doubted.max(other.doubted);
        self.last_id = self.last_id.max(other.last_id);
        for forgiveness in other.track.forgiven() {
            self.track.note_forgiven(forgiveness);
        }
        let unknown = other.track.iter();
        let unknown: Vec<_> = unknown.filter(|attempt| self.is_unknown(attempt)).collect();
        for attempt in &unknown {
            self.merge_folder(attempt.folder, other);
            self.track.set(Attempt::clone(attempt));
        }
        for id in other.folders.keys() {
            if !self.folders.contains_key(id) {
                self.merge_folder(*id, other);
            }
        }
        for (class, totals) in &other.classes {
            let known = self.classes.entry(class.clone()).or_default();
            *known = known.at_least(totals);
        }
        self.last_forgotten = self.last_forgotten.max(other.last_forgotten);
        !unknown.is_empty()
    }

    /// Whether more is known of an attempt than here. What was forgotten because no limit needs it is known.
    fn is_unknown(&self, attempt: &Attempt) -> bool {
        let known = self.track.get(attempt.id);
        let progress = known.map(|known| known.progress());
        let is_forgotten = known.is_none() && attempt.id <= self.last_forgotten;
        !is_forgotten && progress < Some(attempt.progress())
    }

    fn merge_folder(&mut self, id: FolderId, other: &Self) {
        let Some(found) = other.folders.get(&id) else {
            return;
        };
        match self.folders.get_mut(&id) {
            Some(known) => Arc::make_mut(known).merge(found),
            None => drop(self.folders.insert(id, Arc::clone(found))),
        }
    }
}

impl FolderLedger {
    fn merge(&mut self, other: &Self) {
        self.totals = self.totals.at_least(&other.totals);
        for (key, attempts) in &other.file_attempts {
            let known = self.file_attempts.entry(*key).or_default();
            *known = (*known).max(*attempts);
        }
    }
}

impl Attempt {
    /// How far it is: whether it has a verdict and an outcome, how many files have their last state, and how many others moved.
    fn progress(&self) -> (bool, bool, u64, u64) {
        let files = self.file_states();
        let settled = files.total() - files.unsettled();
        let waiting = files.of(FileState::Waiting);
        (
            self.judged.is_some(),
            self.outcome.is_some(),
            settled,
            waiting,
        )
    }
}
