//! One attempt: a last look, the intent, the request, the outcome.

use tracing::{info, warn};

use crate::ledger::{ActiveMode, AttemptId, Intent, Lost, Outcome};
use crate::model::{Moment, Status};
use crate::policy::{Reason, Trigger};
use crate::portal::{Lane, PortalError, Requeue, Session, Unclear};
use crate::reindex::{Batch, FolderBatch, Reindexer};

impl Reindexer {
    /// Looks at the folder once more, writes the intent, sends the request, and writes what came of it.
    pub(super) async fn attempt(
        &self,
        batch: &Batch,
        folder: &FolderBatch,
        trigger: Trigger,
    ) -> Result<(), Reason> {
        let session = batch.session.as_ref().ok_or(Reason::PortalErring)?;
        match still_failed(session, folder).await {
            Ok(true) => {}
            Ok(false) => return Err(Reason::NotWhole),
            Err(error) => return Err(self.not_checked(session, folder, &error)),
        }
        let mode = trigger.mode;
        let files = trigger.files.len();
        let intent = Intent {
            folder: folder.id,
            name: folder.name.clone(),
            mode,
            at: Moment::now().wall,
            files: trigger.files,
        };
        let id = self
            .ledger
            .intend(intent)
            .await
            .map_err(|failed| self.refused(&failed))?;
        match mode {
            ActiveMode::DryRun => {
                info!(portal = %self.portal, folder = %folder.name, id = %folder.id, files, "dry run: failed files would be put back into the queue now");
                Ok(())
            }
            ActiveMode::Enforce => {
                let answer = session.reindex_failed(folder.id).await;
                self.log(folder, &answer);
                self.write(id, outcome(&answer)).await;
                Ok(())
            }
        }
    }

    /// Says that a folder could not be looked at once more.
    fn not_checked(&self, session: &Session, folder: &FolderBatch, error: &PortalError) -> Reason {
        warn!(portal = %self.portal, folder = %folder.name, id = %folder.id, %error, "the folder cannot be looked at before its failed files are put back into the queue: nothing is sent");
        if error.status() == Some(401) {
            // A session whose key is refused waits for the collection to settle that, and the collection is over.
            session.end();
        }
        Reason::PortalErring
    }

    async fn write(&self, id: AttemptId, outcome: Outcome) {
        let written = self.ledger.settle(id, Moment::now().wall, outcome).await;
        if let Err(failed) = written {
            // The intent is on disk: the attempt stays charged, and is `unknown` after the next start.
            self.refused(&failed);
        }
    }

    fn log(&self, folder: &FolderBatch, answer: &Requeue) {
        let (portal, name, id) = (&self.portal, &folder.name, folder.id);
        match answer {
            Requeue::Accepted { updated } => {
                info!(%portal, folder = %name, %id, updated, "failed files were put back into the queue");
            }
            Requeue::Refused { message, .. } => {
                warn!(%portal, folder = %name, %id, error = message.as_str(), "the portal refused to put failed files back into the queue");
            }
            Requeue::Unknown { message, .. } => {
                warn!(%portal, folder = %name, %id, error = message.as_str(), "nobody knows whether failed files were put back into the queue; it is not sent again before the cooldown ends");
            }
        }
    }
}

/// Asks for the page on which a failed file stood, and whether it still shows one; or else for the folder alone.
async fn still_failed(session: &Session, folder: &FolderBatch) -> Result<bool, PortalError> {
    let findings = folder.findings.as_ref();
    let Some(page) = findings.and_then(|findings| findings.failed_page) else {
        return session.folder(folder.id).await.map(|()| true);
    };
    let lane = Lane::default();
    let files = session.files(folder.id, &lane);
    let body = files.page(page).await?;
    let mut found = false;
    body.read(|row| found |= row.status() == Status::Failed)?;
    Ok(found)
}

fn outcome(answer: &Requeue) -> Outcome {
    match answer {
        Requeue::Accepted { updated } => Outcome::Accepted { updated: *updated },
        Requeue::Refused { status, .. } => Outcome::Refused { status: *status },
        Requeue::Unknown { why, .. } => Outcome::Unknown {
            why: match why {
                Unclear::NoAnswer => Lost::NoAnswer,
                Unclear::Status(status) => Lost::Status(*status),
                Unclear::Unreadable => Lost::Unreadable,
            },
        },
    }
}
