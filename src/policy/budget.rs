//! What a portal may still be asked for.

use crate::config::Budget;
use crate::ledger::Track;
use crate::model::Timestamp;

/// What is left of a portal's budget (metric `kb_reindex_budget_remaining`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remaining {
    /// Attempts.
    pub actions: u64,
    /// Files.
    pub files: u64,
}

impl Remaining {
    /// Takes what was charged in the window that ends now from the budget. What was charged beyond it leaves 0.
    #[must_use]
    pub fn of(track: &Track, budget: &Budget, now: Timestamp) -> Self {
        let whole = Self {
            actions: budget.actions,
            files: budget.files,
        };
        let charged = track.within(budget.per, now);
        charged.fold(whole, |left, attempt| Self {
            actions: left.actions.saturating_sub(1),
            files: left.files.saturating_sub(attempt.charge()),
        })
    }
}
