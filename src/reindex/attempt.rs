//! One attempt: the check of the folder before it, the intent, the request, the outcome.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::ledger::{ActiveMode, AttemptId, Intent, LedgerError, LedgerView, Lost, Outcome};
use crate::model::{FileKey, Moment, PortalName, Status};
use crate::policy::{Reason, Trigger};
use crate::portal::{AdmittedRequests, PageBody, PortalError, Requeue, Unclear};
use crate::reindex::{FolderFindings, Reindexer, kill_switch};

/// What an attempt's answer says of the portal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Nothing that speaks against another folder's attempt.
    Usual,
    /// It has trouble, or refuses the key: another folder would fare no better.
    Trouble,
}

impl Reindexer {
    /// Writes the intent, sends the request, and writes what came of it. `decided_on` is what the ledger knew when it was decided on.
    pub(super) async fn attempt(
        &mut self,
        requests: &AdmittedRequests<'_>,
        folder: &FolderFindings,
        trigger: Trigger,
        decided_on: &Arc<LedgerView>,
        cancel: &CancellationToken,
    ) -> Result<Answer, NotMade> {
        let mode = trigger.mode;
        let files = trigger.files.len();
        let intent = Intent {
            portal: self.portal.clone(),
            folder: folder.id,
            name: folder.name.clone(),
            mode,
            at: Moment::now().wall,
            files: trigger.files,
            max_classes: self.dependencies.rules.borrow().max_classes,
        };
        let intended = self.dependencies.ledger.intend(intent, decided_on).await;
        let id = intended.map_err(|failed| match failed {
            LedgerError::Misfit(_) => NotMade::DecideAnew,
            failed => NotMade::Held(self.refused(&failed)),
        })?;
        match mode {
            ActiveMode::DryRun => {
                info!(portal = %self.portal, folder = %folder.name, id = %folder.id, files, "dry run: failed files would be reindexed now");
                Ok(Answer::Usual)
            }
            ActiveMode::Enforce => {
                // The disk may have taken its time.
                let stopped = self.is_stopped(folder, mode, cancel).await;
                let (outcome, told) = if stopped {
                    info!(portal = %self.portal, folder = %folder.name, id = %folder.id, "nothing is sent: reindexing was stopped meanwhile");
                    let why = Lost::Interrupted;
                    (Outcome::Unknown { why }, Answer::Usual)
                } else {
                    let answer = requests.reindex_failed(folder.id).await;
                    self.log(folder, &answer);
                    (outcome(&answer), told_by(&answer))
                };
                self.unwritten.push((id, Moment::now().wall, outcome));
                self.write_outcomes().await;
                Ok(told)
            }
        }
    }

    /// Whether somebody stopped reindexing since the decision: by the kill switch, by other rules, or by ending the program.
    async fn is_stopped(
        &self,
        folder: &FolderFindings,
        mode: ActiveMode,
        cancel: &CancellationToken,
    ) -> bool {
        let reindex = Arc::clone(&self.dependencies.rules.borrow().reindex);
        let rules = reindex.for_folder(folder.id, folder.name.label());
        cancel.is_cancelled()
            || ActiveMode::of(rules.mode) != Some(mode)
            || kill_switch::is_on(&reindex).await
    }

    /// Writes what came of requests. What the disk refuses is tried again with the next findings; until then the intent alone is on disk, and
    /// the attempt stays charged.
    pub(super) async fn write_outcomes(&mut self) {
        let mut refused = Vec::new();
        for (id, at, outcome) in std::mem::take(&mut self.unwritten) {
            if let Err(failed) = self.dependencies.ledger.settle(id, at, outcome).await {
                self.refused(&failed);
                if self.is_under_way(id) {
                    refused.push((id, at, outcome));
                }
            }
        }
        self.unwritten = refused;
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
                warn!(%portal, folder = %name, %id, error = message.as_str(), "nobody knows whether failed files were reindexed; it is not sent again before the cooldown ends");
            }
        }
    }
}

/// Why an attempt was not made.
pub(super) enum NotMade {
    /// The ledger was changed since it was decided on.
    DecideAnew,
    /// The folder is held.
    Held(Reason),
}

/// Why a folder is held after its check.
pub(super) struct Failed {
    pub reason: Reason,
    /// Why the next folder would fare no better.
    pub trouble: Option<Reason>,
}

impl Failed {
    const fn of_folder(reason: Reason) -> Self {
        Self {
            reason,
            trouble: None,
        }
    }
}

/// Names of files that a page showed.
pub(super) type FileNames = HashMap<FileKey, Arc<str>>;

/// So many names of the files of an attempt are written down: enough to ask what became of them.
pub(super) const NAMES: usize = 5;

/// Longer names are not written down.
const NAME_CHARACTERS: usize = 200;

/// Reads once more whether a folder is as it was decided on; tells names of files that failed.
pub(super) async fn check(
    portal: &PortalName,
    requests: &AdmittedRequests<'_>,
    folder: &FolderFindings,
    max_backlog: u64,
) -> Result<FileNames, Failed> {
    match read_again(requests, folder, max_backlog).await {
        Ok(found) => found.map_err(Failed::of_folder),
        Err(error) => {
            warn!(%portal, folder = %folder.name, id = %folder.id, %error, "the folder cannot be read before its failed files are reindexed: nothing is sent");
            let of_folder = matches!(error.status(), Some(403 | 404));
            Err(Failed {
                reason: Reason::PortalErring,
                trouble: (!of_folder).then_some(Reason::PortalErring),
            })
        }
    }
}

/// Asks for the page on which a failed file stood; or else for the folder alone. One request, whatever comes of it.
async fn read_again(
    requests: &AdmittedRequests<'_>,
    folder: &FolderFindings,
    max_backlog: u64,
) -> Result<Result<FileNames, Reason>, PortalError> {
    let findings = folder.findings.as_ref();
    let Some((findings, page)) = findings.and_then(|found| Some((found, found.failed_page?)))
    else {
        return requests
            .folder(folder.id)
            .await
            .map(|()| Ok(HashMap::new()));
    };
    let body = requests.page(folder.id, page).await?;
    let decided: HashSet<FileKey> = findings.failed.iter().map(|file| file.key).collect();
    let mut rows = Vec::new();
    let mut agree = true;
    let page = body.read(|row| {
        let (key, failed) = (row.key(), row.status() == Status::Failed);
        agree &= decided.contains(&key) == failed;
        rows.push((key, failed));
    })?;
    if !agree || !rows.iter().any(|(_, failed)| *failed) {
        return Ok(Err(Reason::NotWhole));
    }
    let more = page
        .pagination
        .total
        .0
        .saturating_sub(folder.counts.total());
    if folder.backlog().saturating_add(more) > max_backlog {
        return Ok(Err(Reason::Backlog));
    }
    Ok(Ok(names(&body, &rows)))
}

/// The names of some files that failed.
fn names(body: &PageBody, rows: &[(FileKey, bool)]) -> FileNames {
    let columns = body.sort_columns();
    let failed = rows.iter().zip(&columns).filter(|((_, failed), _)| *failed);
    let named = failed.map(|((key, _), columns)| (*key, &*columns.filename));
    let short = named.filter(|(_, name)| name.chars().count() <= NAME_CHARACTERS);
    let named = short.map(|(key, name)| (key, Arc::from(name)));
    named.take(NAMES).collect()
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
            // The ledger keeps whole seconds.
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

fn told_by(answer: &Requeue) -> Answer {
    match answer {
        Requeue::Accepted { .. } => Answer::Usual,
        Requeue::Refused { status, .. } if !matches!(status, 401 | 403 | 429) => Answer::Usual,
        Requeue::Refused { .. } | Requeue::Unknown { .. } => Answer::Trouble,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::net::TcpListener;

    use super::*;
    use crate::config::{BaseUrl, Config, KeySource, Portal};
    use crate::model::{ByStatus, FolderId, FolderName};
    use crate::policy::Worth;
    use crate::portal::Session;
    use crate::portal::{Client, Throttles, Unobserved};
    use kb_simulator::{Options, Simulator};

    /// A folder of which no page is known on which a failed file stands.
    fn without_page(id: FolderId) -> FolderFindings {
        FolderFindings {
            id,
            name: FolderName::new("Inbox"),
            worth: Worth::Whole,
            counted: None,
            counts: ByStatus::default(),
            findings: None,
        }
    }

    #[tokio::test]
    async fn where_no_page_can_be_asked_for_the_folder_itself_must_answer() {
        let simulator = Simulator::empty(Options::default());
        let there = simulator.with(|world| world.add_folder("Inbox")).into();
        let gone = simulator.with(|world| {
            let folder = world.add_folder("Outbox");
            world.delete_folder(folder).unwrap();
            folder.into()
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(simulator.serve(listener, std::future::pending()));
        let key = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(key.path(), Options::default().key).unwrap();
        let name = PortalName::new("main").unwrap();
        let portal = Portal::new(
            name.clone(),
            BaseUrl::parse(&address).unwrap(),
            KeySource::File(key.path().to_owned()),
        );
        let Config {
            collect, request, ..
        } = Config::for_portal(portal.clone());
        let throttles = Throttles::default();
        let observer = Arc::new(Unobserved);
        let client = Client::build(&portal, &collect, &request, observer, &throttles).unwrap();
        let session = Session::open(&client).await.unwrap();

        let requests = session.admit(2).await.unwrap();
        let checked = check(&name, &requests, &without_page(there), 100).await;
        assert!(checked.is_ok());
        let refused = check(&name, &requests, &without_page(gone), 100).await;
        let Failed { reason, trouble } = refused.err().unwrap();
        assert_eq!((reason, trouble), (Reason::PortalErring, None));
        session.end();
        let ended = check(&name, &requests, &without_page(there), 100).await;
        let trouble = ended.err().and_then(|failed| failed.trouble);
        assert_eq!(trouble, Some(Reason::PortalErring));
    }
}
