//! The folders that may be reindexed, one after the other.

use std::collections::BTreeMap;

use tokio_util::sync::CancellationToken;

use crate::ledger::ActiveMode;
use crate::model::FolderId;
use crate::policy::{self, Choice, Decision, Numbers, Reason, Trigger};
use crate::portal;
use crate::reindex::attempt::{Answer, Failed, FileNames, NotMade, check};
use crate::reindex::{Desk, FolderBatch, Reindexer};
use crate::snapshot::FolderReindex;

/// Requests of a folder's turn: a look at the folder, and what it is asked for.
const REQUESTS: u32 = 2;

/// What came of a folder's turn.
enum Turn {
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

impl Turn {
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
    /// Gives each folder its turn, until the portal or the ledger shows that it is in trouble.
    pub(super) async fn take_turns(
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
            let turn = match trouble {
                Some(reason) => Turn::in_trouble(&folders, folder, reason),
                None => self.turn(folder, mode, cancel).await,
            };
            let Turn::Decided {
                decision,
                reason,
                numbers,
                trouble: found,
            } = turn
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
        if let Some(desk) = self.desk().await {
            self.show(folders.clone(), desk.kill_switch);
        }
    }

    fn in_order(&self, triggers: Vec<Trigger>) -> Vec<Trigger> {
        match self.dependencies.ledger.view() {
            Ok(ledger) => policy::in_order(triggers, &ledger),
            Err(_) => Vec::new(),
        }
    }

    /// Decides about a folder again, since others had their turn meanwhile; waits until the portal may be asked; looks at the folder once more;
    /// decides again, since all that may have taken long; and makes the attempt. Nothing waits between the last decision and the request but the
    /// intent.
    async fn turn(&mut self, id: FolderId, mode: ActiveMode, cancel: &CancellationToken) -> Turn {
        let Some(desk) = self.desk().await else {
            return Turn::Passed;
        };
        let (folder, decision) = match still_wanted(&desk, id, mode) {
            Ok(wanted) => wanted,
            Err(turn) => return turn,
        };
        let Some(session) = desk.batch.session.clone() else {
            return Turn::hold(Reason::PortalErring, decision.numbers, None);
        };
        let admitted = tokio::select! {
            () = cancel.cancelled() => return Turn::Passed,
            admitted = session.turn(REQUESTS) => admitted,
        };
        let Ok(requests) = admitted else {
            let erring = Reason::PortalErring;
            return Turn::hold(erring, decision.numbers, Some(erring));
        };
        let max_backlog = desk.rules_of(folder).max_backlog;
        let checked = tokio::select! {
            () = cancel.cancelled() => return Turn::Passed,
            checked = check(&self.portal, &requests, folder, max_backlog) => checked,
        };
        let names = match checked {
            Ok(names) => names,
            Err(Failed { reason, trouble }) => {
                return Turn::hold(reason, decision.numbers, trouble);
            }
        };
        loop {
            let Some(desk) = self.desk().await else {
                return Turn::Passed;
            };
            let wanted = still_wanted(&desk, id, mode);
            let acted = match wanted {
                Ok((folder, decision)) if !cancel.is_cancelled() => {
                    self.act(&desk, &requests, folder, decision, &names, cancel)
                        .await
                }
                Ok(_) => Some(Turn::Passed),
                Err(turn) => Some(turn),
            };
            if let Some(turn) = acted {
                return turn;
            }
        }
    }

    /// Makes the attempt that was decided on; `None` when it has to be decided anew.
    async fn act(
        &mut self,
        desk: &Desk,
        requests: &portal::Turn<'_>,
        folder: &FolderBatch,
        decision: Decision,
        names: &FileNames,
        cancel: &CancellationToken,
    ) -> Option<Turn> {
        let (Choice::Trigger(mut trigger), Some(ledger)) = (decision.choice.clone(), &desk.ledger)
        else {
            return Some(Turn::Passed);
        };
        for file in &mut trigger.files {
            file.name = names.get(&file.key).cloned();
        }
        let made = self.attempt(requests, folder, trigger, ledger, cancel);
        let answer = match made.await {
            Ok(answer) => answer,
            Err(NotMade::DecideAnew) => return None,
            Err(NotMade::Held(reason)) => {
                return Some(Turn::hold(reason, decision.numbers, of_ledger(reason)));
            }
        };
        // What was just attempted has a cooldown now.
        let next_allowed = match self.desk().await {
            Some(desk) => desk.decide(folder).numbers.next_allowed,
            None => decision.numbers.next_allowed,
        };
        let numbers = Numbers {
            next_allowed,
            ..decision.numbers
        };
        Some(Turn::Decided {
            decision: decision.as_str(),
            reason: Reason::Eligible,
            numbers,
            trouble: (answer == Answer::Trouble).then_some(Reason::PortalErring),
        })
    }
}

/// The folder and the decision, where it still is the one to make an attempt in this mode.
fn still_wanted(
    desk: &Desk,
    id: FolderId,
    mode: ActiveMode,
) -> Result<(&FolderBatch, Decision), Turn> {
    let folder = desk.batch.folder(id).ok_or(Turn::Passed)?;
    let decision = desk.decide(folder);
    match &decision.choice {
        Choice::Hold(reason) => Err(Turn::hold(*reason, decision.numbers, of_ledger(*reason))),
        Choice::Trigger(trigger) if trigger.mode == mode => Ok((folder, decision)),
        Choice::Trigger(_) => Err(Turn::Passed),
    }
}

/// Whether a reason is that the ledger cannot be used: then it cannot for the next folder either.
fn of_ledger(reason: Reason) -> Option<Reason> {
    (reason == Reason::LedgerUnavailable).then_some(reason)
}
