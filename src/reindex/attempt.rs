//! One attempt: the intent, the request, the outcome.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::ledger::{ActiveMode, AttemptId, Intent, LedgerError, LedgerView, Lost, Outcome};
use crate::policy::Trigger;
use crate::portal::{AdmittedRequests, Requeue, Unclear};
use crate::reindex::{FolderFindings, Reindexer, kill_switch};

impl Reindexer {
    /// Writes the intent, sends the request, and writes its outcome. Returns whether the portal is in trouble, or refuses the key: then another
    /// folder's attempt would fail, too. `decided_on`: the ledger as it was when the attempt was decided on.
    pub(super) async fn attempt(
        &mut self,
        requests: &AdmittedRequests<'_>,
        folder: &FolderFindings,
        trigger: &Trigger,
        decided_on: &Arc<LedgerView>,
        cancel: &CancellationToken,
    ) -> Result<bool, LedgerError> {
        let (portal, files) = (self.portal.clone(), trigger.files.clone());
        let intent = Intent {
            name: folder.name.clone(),
            max_classes: self.dependencies.rules.borrow().max_classes,
            ..Intent::new(
                portal,
                folder.id,
                trigger.mode,
                self.dependencies.ledger.now().wall,
                files,
            )
        };
        let id = self.dependencies.ledger.intend(intent, decided_on).await?;
        if trigger.mode == ActiveMode::DryRun {
            info!(portal = %self.portal, folder = %folder.name, id = %folder.id, files = trigger.files.len(), "dry run: failed files would be reindexed now");
            return Ok(false);
        }
        // The write may have taken long.
        let (outcome, trouble) = if self.may_send(folder, trigger.mode, cancel).await {
            let answer = requests.reindex_failed(folder.id).await;
            self.log(folder, &answer);
            (outcome(&answer), is_trouble(&answer))
        } else {
            info!(portal = %self.portal, folder = %folder.name, id = %folder.id, "nothing is sent: reindexing has been stopped");
            let why = Lost::Interrupted;
            (Outcome::Unknown { why }, false)
        };
        let answered = self.dependencies.ledger.now().wall;
        self.unwritten.push((id, answered, outcome));
        self.write_outcomes().await;
        Ok(trouble)
    }

    /// Whether reindexing was not stopped since the decision: by the kill switch, by other rules, by ending the program, or because this
    /// process was paused for so long that another one may act.
    async fn may_send(
        &self,
        folder: &FolderFindings,
        mode: ActiveMode,
        cancel: &CancellationToken,
    ) -> bool {
        let reindex = Arc::clone(&self.dependencies.rules.borrow().reindex);
        let rules = reindex.for_folder(folder.id, folder.name.label());
        !cancel.is_cancelled()
            && self.dependencies.ledger.may_act()
            && ActiveMode::of(rules.mode) == Some(mode)
            && !kill_switch::is_on(&reindex).await
    }

    /// Writes the outcomes of requests. What the disk refuses is tried again with the next findings; until then the intent alone is on disk, and
    /// the attempt stays charged.
    pub(super) async fn write_outcomes(&mut self) {
        for (id, at, outcome) in std::mem::take(&mut self.unwritten) {
            if let Err(failed) = self.dependencies.ledger.settle(id, at, outcome).await {
                self.refused(&failed);
                if self.is_under_way(id) {
                    self.unwritten.push((id, at, outcome));
                }
            }
        }
    }

    /// Whether the ledger waits for an attempt's outcome.
    fn is_under_way(&self, id: AttemptId) -> bool {
        let ledger = self.dependencies.ledger.view();
        ledger.is_ok_and(|ledger| {
            let mut attempts = ledger.track(ActiveMode::Enforce).unjudged();
            attempts.any(|attempt| attempt.id == id)
        })
    }

    fn log(&self, folder: &FolderFindings, answer: &Requeue) {
        let (portal, name, id) = (&self.portal, &folder.name, folder.id);
        match answer {
            Requeue::Accepted { updated } => {
                info!(%portal, folder = %name, %id, updated, "failed files were reindexed");
            }
            Requeue::Refused { message, .. } => {
                warn!(%portal, folder = %name, %id, error = message.as_str(), "the portal refused to reindex failed files");
            }
            Requeue::Unknown { message, .. } => {
                warn!(%portal, folder = %name, %id, error = message.as_str(), "it is unknown whether failed files were reindexed; the request is not sent again before the cooldown ends");
            }
        }
    }
}

fn outcome(answer: &Requeue) -> Outcome {
    match answer {
        Requeue::Accepted { updated } => Outcome::Accepted { updated: *updated },
        Requeue::Refused {
            status,
            retry_after,
            ..
        } => Outcome::Refused {
            status: *status,
            // The ledger stores whole seconds.
            retry_after: retry_after.map(|wait| Duration::from_secs(wait.as_secs())),
        },
        Requeue::Unknown { why, .. } => Outcome::Unknown {
            why: match why {
                Unclear::NoAnswer => Lost::NoAnswer,
                Unclear::Status(status) => Lost::Status(*status),
                Unclear::Unreadable => Lost::Unreadable,
            },
        },
    }
}

/// Whether the answer shows that another folder's attempt would fail, too.
const fn is_trouble(answer: &Requeue) -> bool {
    match answer {
        Requeue::Accepted { .. } => false,
        Requeue::Refused { status, .. } => matches!(status, 401 | 403 | 429),
        Requeue::Unknown { .. } => true,
    }
}
