//! The attempts and files that remain of the budget.

use crate::config::Budget;
use crate::ledger::Track;
use crate::model::Timestamp;
use crate::policy::cooldown::{is_forbidden, is_gone};

/// What remains of a portal's budget (metric `kb_reindex_budget_remaining`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remaining {
    pub actions: u64,
    pub files: u64,
}

impl Remaining {
    /// Subtracts the charges in the window that ends now from the budget. Never below 0.
    pub fn of(track: &Track, budget: &Budget, now: Timestamp) -> Self {
        let whole = Self {
            actions: budget.actions,
            files: budget.files,
        };
        let mut remaining = whole;
        let mut forbidden_before = false;
        for attempt in track
            .within(budget.per, now)
            .filter(|attempt| !is_gone(attempt))
        {
            // A refused attempt changes nothing, so only the first of several refusals in a row is charged.
            let forbidden = is_forbidden(attempt);
            if !(forbidden && forbidden_before) {
                remaining.actions = remaining.actions.saturating_sub(1);
            }
            remaining.files = remaining.files.saturating_sub(attempt.charge());
            forbidden_before = forbidden;
        }
        remaining
    }
}
