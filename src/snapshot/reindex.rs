//! What is decided about reindexing in one portal.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::ReindexRules;
use crate::ledger::{ActiveMode, LedgerView};
use crate::model::{FolderId, Moment};
use crate::policy::{BreakerState, Numbers, Reason, Remaining};

/// What is decided about reindexing in one portal.
#[derive(Debug, Clone)]
pub struct ReindexView {
    /// Each folder as of the last collection.
    pub folders: BTreeMap<FolderId, FolderReindex>,
    /// What was attempted, or why that is not known.
    pub ledger: Result<Arc<LedgerView>, String>,
    /// Whether the file that stops everything exists, or cannot be looked at.
    pub kill_switch: bool,
}

/// What is decided about one folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderReindex {
    /// Why something is, or is not, attempted.
    pub reason: Reason,
    /// What it was decided from.
    pub numbers: Numbers,
}

/// What a portal may still be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortalLimits {
    /// The strongest mode of its rules: each mode has a budget and a breaker of its own.
    pub mode: ActiveMode,
    /// What is left of the budget.
    pub left: Remaining,
    /// Whether attempts have effect.
    pub breaker: BreakerState,
}

impl PortalLimits {
    /// What is left in a mode, under the rules of the portal as a whole.
    #[must_use]
    pub fn of(mode: ActiveMode, rules: &ReindexRules, ledger: &LedgerView, now: Moment) -> Self {
        let track = ledger.track(mode);
        Self {
            mode,
            left: Remaining::of(track, &rules.budget, now.wall),
            breaker: BreakerState::of(track, &rules.breaker, now.wall),
        }
    }
}
