//! What may be forgotten.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::attempts::attempt_id::AttemptId;
use crate::attempts::view::LedgerView;
use crate::classify::Class;
use crate::model::{FolderId, Timestamp};

/// How long the ledger remembers a folder that the portal does not list any more.
const REMEMBERED_UNSEEN: Duration = Duration::from_hours(90 * 24);

/// What decides what may be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tidy {
    pub at: Timestamp,
    /// The longest time that any limit looks back. Counted from the newest entry, so that a clock that jumped forward
    /// forgets nothing.
    pub horizon: Duration,
    /// The folders that the portal lists.
    pub listed: HashSet<FolderId>,
}

impl LedgerView {
    /// Forgets what no limit can ask for any more. The counters stay.
    pub fn tidy(&mut self, tidy: &Tidy) {
        let limit = self.latest().before(tidy.horizon);
        for id in self.track.dispensable(limit) {
            self.forget(id);
        }
        let folders: Vec<FolderId> = self.folders.keys().copied().collect();
        for folder in folders {
            self.tidy_folder(folder, tidy, limit);
        }
        let track = &self.track;
        self.classes
            .retain(|class, _| *class == Class::Other || track.knows_class(class));
    }

    fn forget(&mut self, id: AttemptId) {
        self.last_forgotten = self.last_forgotten.max(id);
        self.track.remove(id);
    }

    fn tidy_folder(&mut self, id: FolderId, tidy: &Tidy, limit: Timestamp) {
        let is_quiet = self.is_quiet(id, limit);
        let Some(folder) = self.folders.get_mut(&id) else {
            return;
        };
        // A time to come was written by a clock that was ahead: the folder is unseen since now.
        let before = folder.unseen_since;
        let since = before.map_or(tidy.at, |since| since.min(tidy.at));
        let unseen_since = (!tidy.listed.contains(&id)).then_some(since);
        let is_old = |since| tidy.at.since(since) >= REMEMBERED_UNSEEN;
        if is_quiet && unseen_since.is_some_and(is_old) {
            self.folders.remove(&id);
            let attempts = self.track.all_of_folder(id);
            let attempts: Vec<_> = attempts.map(|attempt| attempt.id).collect();
            for id in attempts {
                self.forget(id);
            }
        } else if unseen_since != before {
            Arc::make_mut(folder).unseen_since = unseen_since;
        }
    }

    /// Whether no attempt in the folder can count for a limit of the portal any more.
    fn is_quiet(&self, folder: FolderId, limit: Timestamp) -> bool {
        let mut attempts = self.track.all_of_folder(folder);
        attempts.all(|attempt| !attempt.is_unjudged() && attempt.last_change() < limit)
    }
}
