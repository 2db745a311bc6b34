//! The candidates: folders in which an attempt is to be made, one after the other.

use std::collections::BTreeMap;

use tokio_util::sync::CancellationToken;

use crate::ledger::LedgerError;
use crate::model::FolderId;
use crate::policy::{self, Choice, Decision, Numbers, Reason, Trigger};
use crate::portal::AdmittedRequests;
use crate::reindex::check::{FailedCheck, FileNames, check};
use crate::reindex::{DecisionContext, FolderFindings, Reindexer};
use crate::snapshot::FolderReindex;

/// Requests for one candidate: a read of the folder, and the attempt.
const REQUESTS: u32 = 2;

/// How often an attempt is decided on again if other processes write to the ledger at the same time.
const TRIES: usize = 5;

/// What was decided about a candidate.
struct Decided {
    shown: FolderReindex,
    /// Why an attempt in the next folder would fail, too, if so.
    trouble: Option<Reason>,
}

enum NotMade {
    Held(Decided),
    /// Nothing is decided any more: the folder is gone, its mode is another one, or the program ends.
    Skipped,
    /// Another process wrote to the ledger between the decision and the intent: the next collection decides.
    OutOfDate,
}

impl NotMade {
    fn held(reason: Reason, numbers: Numbers, trouble: bool) -> Self {
        Self::Held(Decided {
            shown: FolderReindex { reason, numbers },
            trouble: trouble.then_some(reason),
        })
    }
}

impl Reindexer {
    /// Processes each candidate, until the portal or the ledger shows that it is in trouble. `planned`: what the triggers were decided from.
    pub(super) async fn process_candidates(
        &mut self,
        planned: &DecisionContext,
        triggers: Vec<Trigger>,
        mut folders: BTreeMap<FolderId, FolderReindex>,
        cancel: &CancellationToken,
    ) {
        let Some(ledger) = &planned.ledger else {
            return;
        };
        let mut trouble = None;
        for trigger in policy::in_order(triggers, ledger) {
            if cancel.is_cancelled() {
                return;
            }
            let id = trigger.folder;
            let shown = folders.get(&id);
            let numbers = shown.map_or_else(Numbers::default, |shown| shown.numbers);
            let result = match trouble {
                Some(reason) => Err(NotMade::held(reason, numbers, true)),
                None => self.process(planned, &trigger, numbers, cancel).await,
            };
            if cancel.is_cancelled() {
                return;
            }
            let (decision, decided) = match result {
                Ok(made) => made,
                Err(NotMade::Held(held)) => ("hold", held),
                Err(NotMade::Skipped) => {
                    folders.remove(&id);
                    continue;
                }
                Err(NotMade::OutOfDate) => continue,
            };
            trouble = decided.trouble;
            let was_made = decided.shown.reason == Reason::Eligible;
            self.count_decision(&mut folders, id, decision, decided.shown);
            if was_made {
                self.show(folders.clone());
            }
        }
        self.refusals.processed();
        self.show(folders);
    }

    /// Waits until the portal may be asked, reads the folder once more, decides once more at admission, since all that may have taken long, and
    /// makes the attempt. Nothing waits between that decision and the request but the intent. Returns the value of the label `decision` as well.
    async fn process(
        &mut self,
        planned: &DecisionContext,
        trigger: &Trigger,
        numbers: Numbers,
        cancel: &CancellationToken,
    ) -> Result<(&'static str, Decided), NotMade> {
        let held = |reason, trouble| NotMade::held(reason, numbers, trouble);
        let context = self.context().await.ok_or(NotMade::Skipped)?;
        // An attempt in another folder, or new counts, may have put the plan out of date.
        let folder = if context.has_facts_of(planned) {
            context.latest.folder(trigger.folder)
        } else {
            Some(still_wanted(&context, trigger)?.0)
        };
        let folder = folder.ok_or(NotMade::Skipped)?;
        let session = context.latest.session.clone();
        let session = session.ok_or_else(|| held(Reason::PortalErring, false))?;
        let admitted = tokio::select! {
            () = cancel.cancelled() => return Err(NotMade::Skipped),
            admitted = session.admit(REQUESTS) => admitted,
        };
        let requests = admitted.map_err(|_| held(Reason::PortalErring, true))?;
        let max_backlog = context.rules_of(folder).max_backlog;
        let checked = tokio::select! {
            () = cancel.cancelled() => return Err(NotMade::Skipped),
            checked = check(&self.portal, &requests, folder, max_backlog) => checked,
        };
        let names = checked.map_err(|FailedCheck { reason, trouble }| held(reason, trouble))?;
        for _ in 1..TRIES {
            let made = self.decide_and_attempt(&requests, trigger, &names, numbers, cancel);
            match made.await {
                Err(NotMade::OutOfDate) => {}
                made => return made,
            }
        }
        self.decide_and_attempt(&requests, trigger, &names, numbers, cancel)
            .await
    }

    /// Decides again with the current input, and makes the attempt.
    async fn decide_and_attempt(
        &mut self,
        requests: &AdmittedRequests<'_>,
        trigger: &Trigger,
        names: &FileNames,
        numbers: Numbers,
        cancel: &CancellationToken,
    ) -> Result<(&'static str, Decided), NotMade> {
        let held = |reason, trouble| NotMade::held(reason, numbers, trouble);
        let context = self.context().await.ok_or(NotMade::Skipped)?;
        let (folder, mut decision) = still_wanted(&context, trigger)?;
        let (Choice::Trigger(trigger), Some(ledger), false) =
            (&mut decision.choice, &context.ledger, cancel.is_cancelled())
        else {
            return Err(NotMade::Skipped);
        };
        for (key, file) in &mut trigger.files {
            file.name = names.get(key).cloned();
        }
        let made = self.attempt(requests, folder, trigger, ledger, cancel);
        let trouble = made.await.map_err(|failed| match failed {
            LedgerError::Misfit(_) => NotMade::OutOfDate,
            LedgerError::NoLease => NotMade::Skipped,
            failed => {
                self.refused(&failed);
                held(Reason::LedgerUnavailable, true)
            }
        })?;
        let mut shown = FolderReindex {
            reason: Reason::Eligible,
            numbers: decision.numbers,
        };
        // What was just attempted has a cooldown now.
        if let Some(context) = self.context().await {
            shown.numbers.next_allowed = context.numbers(folder).next_allowed;
        }
        let trouble = trouble.then_some(Reason::PortalErring);
        Ok((decision.as_str(), Decided { shown, trouble }))
    }
}

/// The folder of a trigger and the decision, if that still is to make an attempt in the same mode.
fn still_wanted<'a>(
    context: &'a DecisionContext,
    trigger: &Trigger,
) -> Result<(&'a FolderFindings, Decision), NotMade> {
    let folder = context.latest.folder(trigger.folder);
    let folder = folder.ok_or(NotMade::Skipped)?;
    let decision = context.decide(folder);
    match &decision.choice {
        Choice::Hold(reason) => {
            // A ledger that cannot be used for this folder cannot for the next one either.
            let trouble = *reason == Reason::LedgerUnavailable;
            Err(NotMade::held(*reason, decision.numbers, trouble))
        }
        Choice::Trigger(now) if now.mode == trigger.mode => Ok((folder, decision)),
        Choice::Trigger(_) => Err(NotMade::Skipped),
    }
}
