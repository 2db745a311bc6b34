//! The decisions about reindexing in one portal.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::clock::Moment;
use crate::config::{Reindex, ReindexRules};
use crate::ledger::{ActiveMode, LedgerView};
use crate::model::{FolderId, Timestamp};
use crate::policy::{BreakerState, Numbers, Reason, Remaining};

/// The decisions about reindexing in one portal.
#[derive(Debug, Clone)]
pub struct ReindexView {
    /// Each folder as of the last collection.
    pub folders: BTreeMap<FolderId, FolderReindex>,
    /// The attempts, or why they are not known.
    pub ledger: Result<Arc<LedgerView>, String>,
    /// Why something could not be written to the ledger, if so.
    pub write_error: Option<String>,
}

impl ReindexView {
    /// Why the ledger cannot be used or written, if so.
    pub fn refusal(&self) -> Option<&str> {
        let error = self.ledger.as_ref().err();
        error.or(self.write_error.as_ref()).map(String::as_str)
    }
}

/// The decision about one folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderReindex {
    /// Why an attempt is, or is not, made.
    pub reason: Reason,
    /// The numbers behind it.
    pub numbers: Numbers,
}

/// The remaining budget of a portal, and its breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortalLimits {
    /// The strongest mode of its rules: each mode has a budget and a breaker of its own.
    pub mode: ActiveMode,
    pub remaining: Remaining,
    pub breaker: BreakerState,
}

impl PortalLimits {
    /// What remains in a mode of the budget of the portal as a whole, and the breaker. An override may have a breaker of its own: then the
    /// one that restricts most.
    pub fn of(mode: ActiveMode, reindex: &Reindex, ledger: &LedgerView, now: Moment) -> Self {
        let track = ledger.track(mode);
        let breaker =
            |rules: &ReindexRules| BreakerState::of(ledger, mode, &rules.breaker, now.wall);
        let breakers = reindex.all_rules().map(breaker);
        Self {
            mode,
            remaining: Remaining::of(track, &reindex.rules.budget, now.wall),
            breaker: breakers
                .max_by_key(strength)
                .unwrap_or(BreakerState::Closed),
        }
    }
}

/// How strongly a breaker restricts attempts: the greater, the more.
const fn strength(breaker: &BreakerState) -> (bool, Option<Timestamp>) {
    match breaker {
        BreakerState::Closed => (false, None),
        BreakerState::HalfOpen { .. } => (true, None),
        BreakerState::Open { until } => (true, Some(*until)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breaker_restricts_more_the_longer_it_is_open() {
        let open = |at| BreakerState::Open {
            until: Timestamp::from_millis(at),
        };
        let ascending = [
            BreakerState::Closed,
            BreakerState::HalfOpen {
                but: uuid::Uuid::nil().into(),
            },
            open(1),
            open(2),
        ];
        assert!(
            ascending
                .iter()
                .is_sorted_by(|less, more| strength(less) < strength(more))
        );
    }
}
