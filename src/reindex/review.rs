//! Judges earlier attempts by what a collection found.

use std::time::Duration;

use tracing::info;

use crate::ledger::{ActiveMode, Attempt, LedgerView};
use crate::policy::judge::{self, Look, Seen};
use crate::reindex::{Desk, FolderBatch, Reindexer};

impl Reindexer {
    /// Tells the ledger what became of the files that it watches.
    pub(super) async fn review(&self, desk: &Desk) {
        let Ok(ledger) = self.tools.ledger.view() else {
            return;
        };
        let attempts = ledger.track(ActiveMode::Enforce).unjudged();
        for attempt in attempts.cloned().collect::<Vec<_>>() {
            self.judge(desk, &attempt).await;
        }
        for folder in &desk.batch.folders {
            self.renew(desk, folder, &ledger).await;
        }
    }

    async fn judge(&self, desk: &Desk, attempt: &Attempt) {
        let folder = desk.batch.folder(attempt.folder);
        let findings = folder.and_then(|folder| desk.batch.found(folder, desk.now));
        let seen = |key| findings.map_or(Seen::Unread, |findings| findings.seen(key));
        let look = match findings {
            Some(findings) => Look::Counted {
                began: findings.began,
                seen: &seen,
            },
            None => Look::Failed,
        };
        let now = desk.now.wall;
        let review = judge::review(attempt, verify_after(desk, attempt), look, now);
        if review.is_empty() {
            return;
        }
        if let Some(verdict) = review.verdict {
            info!(portal = %self.portal, id = %attempt.folder, attempt = attempt.id.get(), outcome = verdict.as_str(), "attempt judged");
        }
        if let Err(failed) = self.tools.ledger.review(attempt.id, now, review).await {
            self.refused(&failed);
        }
    }

    /// Files that were seen done, or are not there any more, start anew.
    async fn renew(&self, desk: &Desk, folder: &FolderBatch, ledger: &LedgerView) {
        let Some(book) = ledger.folder(folder.id) else {
            return;
        };
        let Some(findings) = desk.batch.found(folder, desk.now) else {
            return;
        };
        let renewed = judge::renewed(book.tries.keys().copied(), |key| findings.seen(key));
        if renewed.is_empty() {
            return;
        }
        if let Err(failed) = self.tools.ledger.renew(folder.id, renewed).await {
            self.refused(&failed);
        }
    }
}

/// How long an attempt is watched before it has to be judged. A clock that was set says nothing about how much of that has passed.
fn verify_after(desk: &Desk, attempt: &Attempt) -> Duration {
    if !desk.clock_trusted {
        return Duration::MAX;
    }
    let folder = desk.batch.folder(attempt.folder);
    let rules = folder.map_or(&desk.rules.reindex.rules, |folder| desk.rules_of(folder));
    rules.verify_after
}
