//! Pauses that double.

use std::time::Duration;

use crate::config::ReindexRules;

/// The cooldown after so many attempts in a row without effect.
pub(super) fn doubled(rules: &ReindexRules, in_vain: u32) -> Duration {
    let times = 1_u32.checked_shl(in_vain).unwrap_or(u32::MAX);
    rules.cooldown.saturating_mul(times).min(rules.max_cooldown)
}
