//! What the ledger needs beside attempts: to be followed and tidied.

use std::time::Duration;

use tracing::info;

use crate::attempts::Event;
use crate::clock::Moment;
use crate::reindex::Reindexer;
use crate::reindex::input::Input;

/// Interval at which the ledger deletes data that no limit needs any more.
const TIDY_EVERY: Duration = Duration::from_hours(1);

/// No request takes so long: an attempt without an outcome that is older was given up by whoever made it.
const GIVEN_UP_AFTER: Duration = Duration::from_hours(1);

impl Reindexer {
    pub(super) async fn tidy(&mut self, input: &Input) {
        if Moment::now().steady < self.tidy_at {
            return;
        }
        self.tidy_at = Moment::now().steady + TIDY_EVERY;
        if input.ledger.is_none() {
            return;
        }
        let listed = input.folders().map(|folder| folder.id).collect();
        let horizon = input.rules.reindex.looks_back();
        self.note_if_refused(self.dependencies.ledger.tidy(horizon, listed).await);
    }

    /// Records old attempts without an outcome as interrupted: the process ended in between. Younger ones may be under way, also for
    /// another entry of the configuration with the same address.
    pub(super) async fn give_up_half_done(&mut self) {
        let ledger = &self.dependencies.ledger;
        let before = ledger.now().wall.before(GIVEN_UP_AFTER);
        if ledger.view().is_ok() {
            self.note_if_refused(ledger.interrupt(before).await);
        }
    }

    /// Reads what other processes wrote to the ledger, and finds out whether it can be used.
    pub(super) async fn follow_ledger(&mut self) {
        let followed = self.dependencies.ledger.follow().await;
        let was_away = std::mem::replace(&mut self.is_away, followed.is_err());
        match followed {
            Ok(events) => {
                if was_away {
                    info!(portal = %self.portal, "the reindex ledger can be used again");
                }
                self.log_what_was_forgiven(&events);
            }
            Err(failed) => self.refused(&failed),
        }
    }

    fn log_what_was_forgiven(&self, events: &[Event]) {
        for event in events {
            if let Event::Forgiven(forgiveness) = event {
                info!(portal = %self.portal, what = %forgiveness.what, until = %forgiveness.at, "forgiven: earlier attempts no longer count towards the limits of reindexing");
            }
        }
    }
}
