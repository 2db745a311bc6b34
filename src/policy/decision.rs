//! What is decided about the folders of a portal.

use std::collections::BTreeMap;

use crate::config::Mode;
use crate::model::{FolderId, Timestamp};
use crate::policy::hold::Hold;
use crate::policy::reason::Reason;
use crate::policy::tally::Numbers;

/// The decisions about the folders of a portal.
#[derive(Debug, Clone, Default)]
pub struct Decisions {
    pub folders: BTreeMap<FolderId, Decision>,
    /// The folders to which a request is to be sent, in order.
    pub order: Vec<FolderId>,
}

impl Decisions {
    /// Holds a folder, whatever was decided about it.
    pub(crate) fn hold(&mut self, folder: FolderId, hold: &Hold) {
        self.order.retain(|due| *due != folder);
        if let Some(decision) = self.folders.get_mut(&folder) {
            decision.choice = Choice::Hold(hold.clone());
        }
    }

    /// Holds every folder to which a request is to be sent.
    pub(crate) fn hold_all(&mut self, hold: &Hold) {
        for folder in std::mem::take(&mut self.order) {
            self.hold(folder, hold);
        }
    }

    /// Replaces what was decided about a folder.
    pub(super) fn decide(&mut self, folder: FolderId, choice: Choice) {
        let Some(decision) = self.folders.get_mut(&folder) else {
            return;
        };
        if matches!(choice, Choice::Send { .. }) && decision.mode == Mode::Enforce {
            self.order.push(folder);
        }
        decision.choice = choice;
    }
}

/// What to do with a folder now, and the numbers behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Under `dry_run`, what would be sent is only shown.
    pub mode: Mode,
    pub choice: Choice,
    /// Since when the reason is the same; whoever decides again notes it.
    pub since: Timestamp,
    pub numbers: Numbers,
}

/// What to do with a folder now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    Send {
        /// Whether no retry has helped its files lately, so that this one shows whether it does.
        is_trial: bool,
    },
    /// Leave the folder alone.
    Hold(Hold),
}

impl Decision {
    /// The reason: [`Reason::Eligible`] if the folder is sent.
    pub const fn reason(&self) -> Reason {
        match &self.choice {
            Choice::Send { .. } => Reason::Eligible,
            Choice::Hold(hold) => hold.reason,
        }
    }

    /// Whether a request would be sent under `enforce`.
    pub(crate) fn is_rehearsed(&self) -> bool {
        matches!(self.choice, Choice::Send { .. }) && self.mode != Mode::Enforce
    }

    /// The value of the label `decision`.
    pub const fn as_str(&self) -> &'static str {
        match (&self.choice, self.mode) {
            (Choice::Hold(_), _) => "hold",
            (Choice::Send { .. }, Mode::Enforce) => "trigger",
            (Choice::Send { .. }, _) => "dry_run",
        }
    }
}
