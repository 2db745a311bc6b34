//! One attempt: the read of the folder, the intent, the request, the outcome.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::attempts::{AttemptId, Intent, SentFile};
use crate::clock::Moment;
use crate::config::Mode;
use crate::model::{FolderId, Outcome};
use crate::policy::{Choice, Reason, in_window};
use crate::portal::{AdmittedRequests, Requeue, Session};
use crate::reindex::check::{FileNames, NotMade, check};
use crate::reindex::input::Input;
use crate::reindex::{Reindexer, kill_switch};
use crate::snapshot::FolderView;
use crate::store::StoreError;

/// Requests for one attempt: a read of the folder, and the request itself.
const REQUESTS: u32 = 2;

/// An intent that took longer to write is withdrawn: what it was decided on may be out of date.
const WRITTEN_WITHIN: Duration = Duration::from_secs(10);

/// How long an answer is waited for when the process, or its part for the portal, is to end.
const LAST_WAIT: Duration = Duration::from_secs(3);

impl Reindexer {
    /// Waits until the portal may be asked, reads the folder once more, decides once more, since all that may have taken long, and makes the
    /// attempt. Nothing waits between that decision and the request but the intent.
    pub(super) async fn attempt(
        &mut self,
        planned: &Input,
        id: FolderId,
        cancel: &CancellationToken,
    ) -> Result<(), NotMade> {
        let portal_errs = |_| NotMade::AllHeld(Reason::Portal.into());
        let folder = planned.folder(id).ok_or(NotMade::OutOfDate)?;
        let session = Session::open(&planned.rules.client).await;
        let session = session.map_err(portal_errs)?;
        let admitted = cancel.run_until_cancelled(session.admit(REQUESTS)).await;
        let requests = admitted.ok_or(NotMade::OutOfDate)?;
        let checked = cancel.run_until_cancelled(check(&requests, planned, folder));
        let names = checked.await.ok_or(NotMade::OutOfDate)??;
        let input = self.input().await.ok_or(NotMade::OutOfDate)?;
        let decisions = input.decide();
        let choice = decisions.folders.get(&id).map(|decided| &decided.choice);
        match (input.folder(id), choice) {
            (Some(folder), Some(Choice::Send { is_trial })) if decisions.order.contains(&id) => {
                let intent = self.intent(&input, folder, *is_trial, &names);
                self.send(&requests, &input, folder, intent, cancel).await
            }
            _ => Err(NotMade::OutOfDate),
        }
    }

    fn intent(
        &self,
        input: &Input,
        folder: &FolderView,
        is_trial: bool,
        names: &FileNames,
    ) -> Intent {
        let failed = input.failed_files(folder);
        let failed = failed.map_or(&[][..], |failed| &failed.files);
        let files = failed.iter().map(|file| {
            let name = names.get(&file.key).cloned();
            let sent = SentFile::new(file.class.clone());
            (file.key, SentFile { name, ..sent })
        });
        let portal = self.portal.clone();
        Intent {
            name: folder.name.clone(),
            is_trial,
            max_classes: input.rules.max_classes,
            ..Intent::new(portal, folder.id, input.now, files.collect())
        }
    }

    /// Writes the intent, sends the request, and writes its outcome.
    async fn send(
        &mut self,
        requests: &AdmittedRequests<'_>,
        input: &Input,
        folder: &FolderView,
        intent: Intent,
        cancel: &CancellationToken,
    ) -> Result<(), NotMade> {
        let decided_on = input.book.as_ref().ok_or(NotMade::OutOfDate)?;
        let ledger = &self.dependencies.ledger;
        let began = Moment::now();
        let written = ledger.intend(intent, decided_on).await;
        let took = Moment::now().elapsed_since(began);
        self.dependencies.events.wrote("ledger", took);
        let id = written.map_err(|failed| self.not_written(&failed))?;
        // What is charged and held by now is shown while the answer is awaited.
        if let Some(input) = self.input().await {
            self.note(input.decide());
            self.show();
        }
        let (outcome, is_trouble) = if took <= WRITTEN_WITHIN && self.may_send(folder, cancel).await
        {
            let answer = requests.reindex_failed(folder.id);
            let answer = answered_or_ended(answer, cancel).await;
            self.log(folder, &answer);
            (answer.outcome, answer.is_trouble())
        } else {
            info!(portal = %self.portal, folder = %folder.name, id = %folder.id, "nothing is sent: reindexing was stopped, or writing the intent took too long");
            (Outcome::NotSent, false)
        };
        let answered = self.dependencies.ledger.now();
        self.unwritten.push((id, answered, outcome));
        self.write_outcomes().await;
        match (outcome, is_trouble) {
            (_, true) => Err(NotMade::AllHeld(Reason::Portal.into())),
            (Outcome::NotSent, false) => Err(NotMade::OutOfDate),
            _ => Ok(()),
        }
    }

    fn not_written(&mut self, failed: &StoreError) -> NotMade {
        if failed.is_out_of_date() {
            return NotMade::OutOfDate;
        }
        self.refused(failed);
        NotMade::AllHeld(Reason::Ledger.into())
    }

    /// Whether reindexing was not stopped since the decision: by the kill switch, by other rules, by the end of a window, by ending the program, or
    /// because this process was paused for so long that another one may act.
    async fn may_send(&self, folder: &FolderView, cancel: &CancellationToken) -> bool {
        let rules = self.dependencies.rules.borrow().clone();
        let of_folder = rules.reindex.for_folder(folder.id, folder.name.label());
        let ledger = &self.dependencies.ledger;
        !cancel.is_cancelled()
            && ledger.may_act()
            && of_folder.mode == Mode::Enforce
            && in_window(of_folder, rules.zone, Moment::now().wall)
            && !kill_switch::is_on(&rules.reindex).await
    }

    /// Writes the outcomes of requests. What the disk refuses is tried again after the next collection; until then the intent alone is on disk, and
    /// the attempt stays charged.
    pub(super) async fn write_outcomes(&mut self) {
        for (id, at, outcome) in std::mem::take(&mut self.unwritten) {
            let began = Moment::now();
            let written = self.dependencies.ledger.settle(id, at, outcome).await;
            let took = Moment::now().elapsed_since(began);
            self.dependencies.events.wrote("ledger", took);
            if let Err(failed) = written {
                self.refused(&failed);
                if !self.is_answered(id) {
                    self.unwritten.push((id, at, outcome));
                }
            }
        }
    }

    /// Whether it is known that the ledger waits for no outcome of an attempt.
    fn is_answered(&self, id: AttemptId) -> bool {
        let book = self.dependencies.ledger.book();
        book.is_ok_and(|book| book.unanswered().all(|attempt| attempt.id != id))
    }

    fn log(&self, folder: &FolderView, answer: &Requeue) {
        let (portal, name, id) = (&self.portal, &folder.name, folder.id);
        let error = answer.error.as_deref().unwrap_or_default();
        match answer.outcome {
            Outcome::Accepted { updated } => {
                info!(%portal, folder = %name, %id, updated, "failed files were reindexed");
            }
            Outcome::Refused { .. } => {
                warn!(%portal, folder = %name, %id, error, "the portal refused to reindex failed files");
            }
            Outcome::NotSent => {
                warn!(%portal, folder = %name, %id, error, "the request to reindex failed files was not sent");
            }
            Outcome::Unknown { .. } => {
                warn!(%portal, folder = %name, %id, error, "it is unknown whether failed files were reindexed; the request is not sent again before the cooldown ends");
            }
        }
    }
}

/// Waits for an answer. One that does not come soon after `cancel` is not known.
async fn answered_or_ended(
    answer: impl Future<Output = Requeue>,
    cancel: &CancellationToken,
) -> Requeue {
    let ended = async {
        cancel.cancelled().await;
        sleep(LAST_WAIT).await;
    };
    tokio::select! {
        answer = answer => answer,
        () = ended => Requeue::interrupted(),
    }
}
