//! Between folders: who goes first, and how far back all of them read.

use std::cmp::Reverse;
use std::time::Duration;

use crate::config::{Reindex, ReindexRules};
use crate::ledger::LedgerView;
use crate::policy::decide::Trigger;

/// The shortest time that the ledger is kept for.
const SHORTEST_HORIZON: Duration = Duration::from_hours(90 * 24);

/// Puts attempts in the order in which they are made: those folders first in which most files are expected to come back, then those that
/// had none, then by the longest since their last one, then by id.
#[must_use]
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

/// How long the ledger is kept for: as long as any limit of a configuration looks back, and at least 90 days.
#[must_use]
pub fn horizon(reindex: &Reindex) -> Duration {
    longest_limit(reindex).max(SHORTEST_HORIZON)
}

/// The longest time that any limit of a configuration looks back.
#[must_use]
fn longest_limit(reindex: &Reindex) -> Duration {
    let limits = reindex.all_rules().map(looks_back);
    limits.fold(Duration::ZERO, Duration::max)
}

fn looks_back(rules: &ReindexRules) -> Duration {
    rules
        .budget
        .per
        .max(rules.cooldown)
        .max(rules.max_cooldown)
        .max(rules.breaker.open_for)
        .max(rules.verify_after)
        .max(rules.min_age)
}
