//! When a portal that does not carry out what it is asked for is left alone.

use crate::config::ReindexRules;
use crate::ledger::{Outcome, Track};
use crate::model::Timestamp;
use crate::policy::pause::doubled;

/// Until when a portal is left alone that did not carry out its last requests: once as many in a row as open the breaker came to nothing,
/// one is sent after each pause, which doubles. `None` where nothing speaks for that.
#[must_use]
pub fn rests_until(track: &Track, rules: &ReindexRules) -> Option<Timestamp> {
    let answered = track
        .newest_first()
        .filter(|attempt| !attempt.is_unjudged())
        .filter(|attempt| !matches!(attempt.outcome(), Some((_, Outcome::Refused { .. })) | None));
    // What this program interrupted says nothing about the portal, unless files moved.
    let told =
        answered.filter(|attempt| !(attempt.was_interrupted() && attempt.was_not_carried_out()));
    let mut row = told.take_while(|attempt| attempt.was_not_carried_out());
    let newest = row.next()?;
    let more = u32::try_from(row.take(32).count()).unwrap_or(u32::MAX);
    let beyond = (more + 1).checked_sub(rules.breaker.no_effect.get())?;
    Some(newest.intended.after(doubled(rules, beyond)))
}
