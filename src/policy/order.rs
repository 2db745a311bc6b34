//! The order of attempts, and how far back limits look.

use std::cmp::Reverse;
use std::time::Duration;

use crate::config::{Reindex, ReindexRules};
use crate::ledger::LedgerView;
use crate::policy::decide::Trigger;

/// The shortest time for which the ledger remembers attempts.
const SHORTEST_HORIZON: Duration = Duration::from_hours(90 * 24);

/// Sorts attempts: first the folders in which most files are expected to recover, then those without an earlier attempt, then by the
/// time since their last attempt, then by id.
pub fn in_order(mut triggers: Vec<Trigger>, ledger: &LedgerView) -> Vec<Trigger> {
    triggers.sort_by_cached_key(|trigger| {
        let last = ledger.track(trigger.mode).last_of(trigger.folder);
        (
            Reverse(trigger.gain),
            trigger.files.len(),
            last.map(|attempt| attempt.intended),
            trigger.folder,
        )
    });
    triggers
}

/// How long the ledger remembers attempts: as long as any limit of a configuration looks back, and at least 90 days.
pub(crate) fn horizon(reindex: &Reindex) -> Duration {
    longest_limit(reindex).max(SHORTEST_HORIZON)
}

/// The longest time that any limit of a configuration looks back.
fn longest_limit(reindex: &Reindex) -> Duration {
    let limits = reindex.all_rules().map(reads_back);
    limits.fold(Duration::ZERO, Duration::max)
}

fn reads_back(rules: &ReindexRules) -> Duration {
    rules
        .budget
        .per
        .max(rules.cooldown)
        .max(rules.max_cooldown)
        .max(rules.breaker.open_for)
        .max(rules.verify_after)
        .max(rules.min_age)
}
