//! The candidates: folders in which an attempt is to be made, one after the other.

use std::collections::BTreeMap;

use tokio_util::sync::CancellationToken;

use crate::ledger::ActiveMode;
use crate::model::FolderId;
use crate::policy::{self, Choice, Decision, Numbers, Reason, Trigger};
use crate::portal;
use crate::reindex::attempt::{Answer, Failed, FileNames, NotMade, check};
use crate::reindex::{DecisionContext, FolderFindings, Reindexer};
use crate::snapshot::FolderReindex;

/// Requests for one candidate: a read of the folder, and the attempt.
const REQUESTS: u32 = 2;

/// What came of a candidate.
enum CandidateOutcome {
    /// It was decided.
    Decided {
        decision: &'static str,
        reason: Reason,
        numbers: Numbers,
        /// Why the next folder would fare no better.
        trouble: Option<Reason>,
    },
    /// Nothing is decided any more: the folder is not there, its mode is another one, or the program ends.
    Passed,
}

impl CandidateOutcome {
    /// The folder is held.
    fn hold(reason: Reason, numbers: Numbers, trouble: Option<Reason>) -> Self {
        Self::Decided {
            decision: "hold",
            reason,
            numbers,
            trouble,
        }
    }

    /// A folder that was to be tried when it showed that nothing would come of it.
    fn in_trouble(
        folders: &BTreeMap<FolderId, FolderReindex>,
        folder: FolderId,
        reason: Reason,
    ) -> Self {
        let planned = folders.get(&folder);
        planned.map_or(Self::Passed, |planned| {
            Self::hold(reason, planned.numbers, Some(reason))
        })
    }
}

impl Reindexer {
    /// Processes each candidate, until the portal or the ledger shows that it is in trouble.
    pub(super) async fn process_candidates(
        &mut self,
        triggers: Vec<Trigger>,
        mut folders: BTreeMap<FolderId, FolderReindex>,
        cancel: &CancellationToken,
    ) {
        let mut trouble = None;
        for Trigger { folder, mode, .. } in self.in_order(triggers) {
            if cancel.is_cancelled() {
                return;
            }
            let outcome = match trouble {
                Some(reason) => CandidateOutcome::in_trouble(&folders, folder, reason),
                None => self.process(folder, mode, cancel).await,
            };
            let CandidateOutcome::Decided {
                decision,
                reason,
                numbers,
                trouble: found,
            } = outcome
            else {
                folders.remove(&folder);
                continue;
            };
            trouble = trouble.or(found);
            if cancel.is_cancelled() {
                return;
            }
            self.settle_on(&mut folders, folder, decision, reason, numbers);
            if reason == Reason::Eligible {
                self.show_now(&folders).await;
            }
        }
        self.show_now(&folders).await;
    }

    async fn show_now(&mut self, folders: &BTreeMap<FolderId, FolderReindex>) {
        if let Some(context) = self.context().await {
            self.show(folders.clone(), context.kill_switch);
        }
    }

    fn in_order(&self, triggers: Vec<Trigger>) -> Vec<Trigger> {
        match self.dependencies.ledger.view() {
            Ok(ledger) => policy::in_order(triggers, &ledger),
            Err(_) => Vec::new(),
        }
    }

    /// Decides about a folder again, since others were processed meanwhile; waits until the portal may be asked; reads the folder once more;
    /// decides again, since all that may have taken long; and makes the attempt. Nothing waits between the last decision and the request but the
    /// intent.
    async fn process(
        &mut self,
        id: FolderId,
        mode: ActiveMode,
        cancel: &CancellationToken,
    ) -> CandidateOutcome {
        let Some(context) = self.context().await else {
            return CandidateOutcome::Passed;
        };
        let (folder, decision) = match still_wanted(&context, id, mode) {
            Ok(wanted) => wanted,
            Err(outcome) => return outcome,
        };
        let Some(session) = context.latest.session.clone() else {
            return CandidateOutcome::hold(Reason::PortalErring, decision.numbers, None);
        };
        let admitted = tokio::select! {
            () = cancel.cancelled() => return CandidateOutcome::Passed,
            admitted = session.admit(REQUESTS) => admitted,
        };
        let Ok(requests) = admitted else {
            let erring = Reason::PortalErring;
            return CandidateOutcome::hold(erring, decision.numbers, Some(erring));
        };
        let max_backlog = context.rules_of(folder).max_backlog;
        let checked = tokio::select! {
            () = cancel.cancelled() => return CandidateOutcome::Passed,
            checked = check(&self.portal, &requests, folder, max_backlog) => checked,
        };
        let names = match checked {
            Ok(names) => names,
            Err(Failed { reason, trouble }) => {
                return CandidateOutcome::hold(reason, decision.numbers, trouble);
            }
        };
        loop {
            let Some(context) = self.context().await else {
                return CandidateOutcome::Passed;
            };
            let wanted = still_wanted(&context, id, mode);
            let acted = match wanted {
                Ok((folder, decision)) if !cancel.is_cancelled() => {
                    self.act(&context, &requests, folder, decision, &names, cancel)
                        .await
                }
                Ok(_) => Some(CandidateOutcome::Passed),
                Err(outcome) => Some(outcome),
            };
            if let Some(outcome) = acted {
                return outcome;
            }
        }
    }

    /// Makes the attempt that was decided on; `None` when it has to be decided anew.
    async fn act(
        &mut self,
        context: &DecisionContext,
        requests: &portal::AdmittedRequests<'_>,
        folder: &FolderFindings,
        decision: Decision,
        names: &FileNames,
        cancel: &CancellationToken,
    ) -> Option<CandidateOutcome> {
        let (Choice::Trigger(mut trigger), Some(ledger)) =
            (decision.choice.clone(), &context.ledger)
        else {
            return Some(CandidateOutcome::Passed);
        };
        for file in &mut trigger.files {
            file.name = names.get(&file.key).cloned();
        }
        let made = self.attempt(requests, folder, trigger, ledger, cancel);
        let answer = match made.await {
            Ok(answer) => answer,
            Err(NotMade::DecideAnew) => return None,
            Err(NotMade::Held(reason)) => {
                return Some(CandidateOutcome::hold(
                    reason,
                    decision.numbers,
                    of_ledger(reason),
                ));
            }
        };
        // What was just attempted has a cooldown now.
        let next_allowed = match self.context().await {
            Some(context) => context.decide(folder).numbers.next_allowed,
            None => decision.numbers.next_allowed,
        };
        let numbers = Numbers {
            next_allowed,
            ..decision.numbers
        };
        Some(CandidateOutcome::Decided {
            decision: decision.as_str(),
            reason: Reason::Eligible,
            numbers,
            trouble: (answer == Answer::Trouble).then_some(Reason::PortalErring),
        })
    }
}

/// The folder and the decision, where it still is the one to make an attempt in this mode.
fn still_wanted(
    context: &DecisionContext,
    id: FolderId,
    mode: ActiveMode,
) -> Result<(&FolderFindings, Decision), CandidateOutcome> {
    let folder = context.latest.folder(id).ok_or(CandidateOutcome::Passed)?;
    let decision = context.decide(folder);
    match &decision.choice {
        Choice::Hold(reason) => Err(CandidateOutcome::hold(
            *reason,
            decision.numbers,
            of_ledger(*reason),
        )),
        Choice::Trigger(trigger) if trigger.mode == mode => Ok((folder, decision)),
        Choice::Trigger(_) => Err(CandidateOutcome::Passed),
    }
}

/// Whether a reason is that the ledger cannot be used: then it cannot for the next folder either.
fn of_ledger(reason: Reason) -> Option<Reason> {
    (reason == Reason::LedgerUnavailable).then_some(reason)
}
