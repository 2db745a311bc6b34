//! What the ledger needs beside attempts: to be followed and tidied.

use std::time::Duration;

use tracing::info;

use crate::clock::Moment;
use crate::reindex::Reindexer;
use crate::reindex::input::Input;

/// Interval at which the ledger deletes data that no limit needs any more.
const TIDY_EVERY: Duration = Duration::from_hours(1);

impl Reindexer {
    pub(super) async fn tidy(&mut self, input: &Input) {
        if Moment::now().steady < self.tidy_at {
            return;
        }
        self.tidy_at = Moment::now().steady + TIDY_EVERY;
        let listed = input.folders().map(|folder| folder.id).collect();
        let horizon = input.rules.reindex.looks_back();
        self.note_if_refused(self.dependencies.ledger.tidy(horizon, listed).await);
    }

    /// Reads what people forgave, and finds out whether the ledger can be used.
    pub(super) async fn follow_ledger(&mut self) {
        let followed = self.dependencies.ledger.follow().await;
        let was_away = std::mem::replace(&mut self.is_away, followed.is_err());
        match followed {
            Ok(forgiven) => {
                if was_away {
                    info!(portal = %self.portal, "the reindex ledger can be used again");
                }
                for what in forgiven {
                    info!(portal = %self.portal, what, "forgiven: earlier attempts no longer count towards the limits of reindexing");
                }
            }
            Err(failed) => self.refused(&failed),
        }
    }
}
