//! What may be forgotten.

use std::time::Duration;

use crate::classify::Class;
use crate::ledger::change::{Tidy, Touched};
use crate::ledger::mode::{ActiveMode, AttemptId};
use crate::ledger::view::LedgerView;
use crate::model::{FolderId, Timestamp};

/// How long a folder that the portal does not list any more is kept.
const KEPT_UNSEEN: Duration = Duration::from_hours(90 * 24);

impl LedgerView {
    pub(super) fn tidy(&mut self, tidy: &Tidy) -> Touched {
        let mut touched = Touched::default();
        let limit = self.latest().before(tidy.horizon);
        for mode in ActiveMode::ALL {
            let track = self.track_mut(mode);
            for id in track.dispensable(limit) {
                track.remove(id);
                touched.attempts.push(id);
            }
        }
        let folders: Vec<FolderId> = self.folders.keys().copied().collect();
        for folder in folders {
            self.tidy_folder(folder, tidy, limit, &mut touched);
        }
        let (enforce, classes) = (&self.enforce, &mut self.classes);
        classes.retain(|class, _| {
            let known = *class == Class::Other || enforce.knows_class(class);
            if !known {
                touched.classes.push(class.clone());
            }
            known
        });
        touched
    }

    fn tidy_folder(
        &mut self,
        folder: FolderId,
        tidy: &Tidy,
        limit: Timestamp,
        touched: &mut Touched,
    ) {
        let Some(before) = self.folder(folder).map(|book| book.unseen_since) else {
            return;
        };
        let unlisted = !tidy.listed.contains(&folder);
        // A time to come was written by a clock that was ahead: the folder is unseen since now.
        let unseen_since = unlisted.then(|| before.map_or(tidy.at, |since| since.min(tidy.at)));
        let forgotten = unseen_since.is_some_and(|since| tidy.at.since(since) >= KEPT_UNSEEN);
        if forgotten && self.is_quiet(folder, limit) {
            self.forget(folder);
            touched.folders.push(folder);
        } else if unseen_since != before
            && let Some(book) = self.known_book(folder)
        {
            book.unseen_since = unseen_since;
            touched.folders.push(folder);
        }
    }

    /// Whether no attempt in the folder can count for a limit of the portal any more.
    fn is_quiet(&self, folder: FolderId, limit: Timestamp) -> bool {
        ActiveMode::ALL.into_iter().all(|mode| {
            let mut attempts = self.track(mode).all_of_folder(folder);
            attempts.all(|attempt| !attempt.is_unjudged() && attempt.last_change() < limit)
        })
    }

    fn forget(&mut self, folder: FolderId) {
        for mode in ActiveMode::ALL {
            let track = self.track_mut(mode);
            let ids: Vec<AttemptId> = track
                .all_of_folder(folder)
                .map(|attempt| attempt.id)
                .collect();
            for id in ids {
                track.remove(id);
            }
        }
        self.folders.remove(&folder);
    }
}
