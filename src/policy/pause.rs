//! Pauses that double, and the one of a portal that does not carry out requests.

use std::time::Duration;

use crate::config::ReindexRules;
use crate::ledger::Track;
use crate::model::Timestamp;

/// The cooldown after so many attempts in a row without effect.
pub(super) fn doubled(rules: &ReindexRules, in_vain: u32) -> Duration {
    let times = 1_u32.checked_shl(in_vain).unwrap_or(u32::MAX);
    rules.cooldown.saturating_mul(times).min(rules.max_cooldown)
}

/// The end of the pause of a portal that did not carry out its last requests: once as many in a row as open the breaker were not carried
/// out, one is sent after each pause, which doubles. `None` when there is no pause.
#[must_use]
pub(super) fn not_carried_out_until(track: &Track, rules: &ReindexRules) -> Option<Timestamp> {
    // What this program interrupted says nothing about the portal, unless files moved.
    let answered = track.newest_first().filter(|attempt| {
        let says_nothing = attempt.was_interrupted() && attempt.was_not_carried_out();
        attempt.judged.is_some() && !says_nothing
    });
    let mut in_a_row = answered.take_while(|attempt| attempt.was_not_carried_out());
    let newest = in_a_row.next()?;
    let more = u32::try_from(in_a_row.take(32).count()).unwrap_or(u32::MAX);
    let beyond = (more + 1).checked_sub(rules.breaker.no_effect.get())?;
    Some(newest.intended.after(doubled(rules, beyond)))
}
