//! Judges earlier attempts by what a collection found.

use tracing::info;

use crate::ledger::{ActiveMode, Attempt, LedgerView};
use crate::model::Timestamp;
use crate::policy::Worth;
use crate::policy::judge::{self, Look, Seen};
use crate::reindex::{Batch, Findings, FolderBatch, Reindexer};

impl Reindexer {
    /// Tells the ledger what became of the files that it watches.
    pub(super) async fn review(&self, batch: &Batch, now: Timestamp) {
        let Ok(ledger) = self.ledger.view() else {
            return;
        };
        let attempts = ledger.track(ActiveMode::Enforce).unjudged();
        for attempt in attempts.cloned().collect::<Vec<_>>() {
            self.judge(batch, &attempt, now).await;
        }
        for folder in &batch.folders {
            self.renew(folder, &ledger).await;
        }
    }

    async fn judge(&self, batch: &Batch, attempt: &Attempt, now: Timestamp) {
        let folder = batch.folder(attempt.folder);
        let rules = folder.map_or(&batch.reindex.rules, |folder| batch.rules(folder));
        let findings = folder.and_then(FolderBatch::counted);
        let seen = |key| findings.map_or(Seen::Unread, |findings| findings.seen(key));
        let look = match findings {
            Some(findings) => Look::Counted {
                began: findings.began,
                seen: &seen,
            },
            None => Look::Failed,
        };
        let review = judge::review(attempt, rules.verify_after, look, now);
        if review.is_empty() {
            return;
        }
        if let Some(verdict) = review.verdict {
            info!(portal = %self.portal, id = %attempt.folder, attempt = attempt.id.get(), outcome = verdict.as_str(), "attempt judged");
        }
        if let Err(failed) = self.ledger.review(attempt.id, now, review).await {
            self.refused(&failed);
        }
    }

    /// Files that were seen done, or are not there any more, start anew.
    async fn renew(&self, folder: &FolderBatch, ledger: &LedgerView) {
        let (Some(findings), Some(book)) = (folder.counted(), ledger.folder(folder.id)) else {
            return;
        };
        let renewed = judge::renewed(book.tries.keys().copied(), |key| findings.seen(key));
        if renewed.is_empty() {
            return;
        }
        if let Err(failed) = self.ledger.renew(folder.id, renewed).await {
            self.refused(&failed);
        }
    }
}

impl FolderBatch {
    /// What was found, where the latest look counted the folder.
    fn counted(&self) -> Option<&Findings> {
        let counted = !matches!(self.worth, Worth::NotWhole | Worth::Stale);
        self.findings.as_deref().filter(|_| counted)
    }
}
