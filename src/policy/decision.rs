//! What is decided about the folders of a portal, and why: the closed list of the label `reason`.

use std::collections::BTreeMap;

use crate::classify::Class;
use crate::config::Mode;
use crate::model::{FolderId, Timestamp, label_values};

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

/// The numbers behind a decision: for people, and for the metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    pub failed: u64,
    pub eligible: u64,
    /// Failed files that are past `max_attempts`.
    pub exhausted: u64,
    /// The end of the cooldown, which may be past; `None` if there is none.
    pub next_allowed: Option<Timestamp>,
}

/// Why nothing is sent to a folder now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    pub reason: Reason,
    /// When it ends, if that is known.
    pub until: Option<Timestamp>,
    /// What it is, where the reason has several causes.
    pub cause: Option<Cause>,
}

/// What holds a folder, where a reason has several causes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The ledger is new in the portal, or lost writes.
    Doubt,
    /// Some files are eligible, but too many others would be sent along.
    Others {
        eligible: u64,
        others: u64,
        /// So many others may be sent along.
        most: u64,
    },
    /// A class of error that is tried later.
    Class {
        class: Class,
        /// The folder that tries it, or tried it last.
        folder: Option<FolderId>,
    },
}

impl From<Reason> for Hold {
    fn from(reason: Reason) -> Self {
        Self::until(reason, None)
    }
}

impl Hold {
    pub(super) const fn until(reason: Reason, until: Option<Timestamp>) -> Self {
        Self {
            reason,
            until,
            cause: None,
        }
    }

    pub(super) fn because(self, cause: Cause) -> Self {
        Self {
            cause: Some(cause),
            ..self
        }
    }

    /// What it means, for people.
    pub(crate) fn meaning(&self) -> String {
        let sentence = self.reason.sentence();
        match &self.cause {
            None => sentence.to_owned(),
            Some(Cause::Doubt) => {
                "the portal is new in the ledger, or the ledger lost writes, so limits may have ended early".to_owned()
            }
            Some(Cause::Others {
                eligible,
                others,
                most,
            }) => format!(
                "the portal takes a folder's failed files all at once: with {eligible} eligible, {others} others would be sent, and at most {most} may be"
            ),
            Some(Cause::Class { class, .. }) => format!("{sentence} ({class})"),
        }
    }
}

/// Defines the reasons: the label value; what it means, and what to do, for people.
macro_rules! reasons {
    ($($name:ident = $word:literal: $sentence:literal; $advice:literal,)+) => {
        label_values! {
            /// The reason of a decision, in the order in which they are checked.
            pub enum Reason { $(#[doc = $sentence] $name = $word,)+ }
        }

        impl Reason {
            pub const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$name => $sentence,)+
                }
            }

            /// What to do about it, for people.
            pub const fn advice(self) -> &'static str {
                match self {
                    $(Self::$name => $advice,)+
                }
            }
        }

        impl std::fmt::Display for Reason {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

reasons! {
    Off = "off": "the mode is off";
        "set reindex.mode to dry_run or enforce",
    KillSwitch = "kill_switch": "the kill switch is on";
        "remove the kill switch file; its folder must be readable",
    Ledger = "ledger": "the ledger cannot be used, is new, or lost writes";
        "repair the error in the log; without one, wait, or run reindex forgive --portal",
    Clock = "clock": "the clock is behind the newest time in the ledger";
        "set the clock right; if it is, run reindex forgive --clock",
    Counts = "counts": "the counts are too old or inconsistent, or not every failed file was read";
        "check the folder's state in /health",
    Portal = "portal": "the portal cannot be read, refuses the request, or did not carry it out";
        "check the portal; after 403, give the key the right to reindex",
    NothingEligible = "nothing_eligible": "too few failed files are old enough, have attempts left and may be sent";
        "wait for reindex.min_age; if attempts are used up, repair the cause, then run reindex forgive --folder",
    OutsideWindows = "outside_windows": "no window is open";
        "wait for the next of reindex.windows",
    Cooldown = "cooldown": "the folder's last attempt is open, or its cooldown has not ended";
        "wait, or run reindex forgive --folder",
    Backlog = "backlog": "too many files of the folder wait to be processed";
        "wait, or raise reindex.max_backlog",
    Class = "class": "no retry has helped these classes lately, files still fail, or another folder tries them";
        "wait; or repair the cause, then run reindex forgive --class",
    Budget = "budget": "the budget has too few files left";
        "wait, or raise reindex.budget.files",
    Eligible = "eligible": "nothing prevents an attempt";
        "nothing",
}
