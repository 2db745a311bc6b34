//! The files that remain of a portal's budget.

use crate::attempts::Book;
use crate::config::Budget;
use crate::model::Timestamp;

/// The files that were charged in the window that ends now.
pub(super) fn charged(ledger: &Book, budget: &Budget, now: Timestamp) -> u64 {
    let sent = ledger.track().within(budget.per, now);
    sent.map(|attempt| attempt.charge())
        .fold(0, u64::saturating_add)
}

/// What remains of the budget.
pub fn remaining_files(ledger: &Book, budget: &Budget, now: Timestamp) -> u64 {
    budget.files.saturating_sub(charged(ledger, budget, now))
}

/// Whether so many files may be sent. A folder with more files than the budget may use a whole window alone.
pub(super) fn allows(budget: &Budget, charged: u64, files: u64) -> bool {
    if files > budget.files {
        charged == 0 && budget.files > 0
    } else {
        charged.saturating_add(files) <= budget.files
    }
}

/// When so many files may be sent, if no others are.
pub(super) fn allows_at(
    ledger: &Book,
    budget: &Budget,
    files: u64,
    now: Timestamp,
) -> Option<Timestamp> {
    let mut left = charged(ledger, budget, now);
    let sent = ledger.track().within(budget.per, now);
    sent.map(|attempt| {
        left = left.saturating_sub(attempt.charge());
        (left, attempt.intended.after(budget.per))
    })
    .find(|(left, _)| allows(budget, *left, files))
    .map(|(_, at)| at)
}
