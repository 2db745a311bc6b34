//! How long a folder is left alone.

use std::time::Duration;

use crate::config::ReindexRules;
use crate::ledger::{ActiveMode, Course, LedgerView, Track};
use crate::model::{FolderId, Timestamp};

/// The end of a folder's cooldown, which may be past; `None` when nothing holds it, nor ever did.
///
/// `exhausted`: whether a failed file of the folder is past `max_attempts`; then it is tried once per `max_cooldown` at
/// most. A portal that the ledger has just met is held for one cooldown: a container without a volume, or a portal under another
/// name, would otherwise forget every limit.
#[must_use]
pub fn next_allowed(
    ledger: &LedgerView,
    mode: ActiveMode,
    folder: FolderId,
    rules: &ReindexRules,
    exhausted: bool,
    now: Timestamp,
) -> Option<Timestamp> {
    let track = ledger.track(mode);
    let folder_rests = track.last_of(folder).map(|last| {
        let refused = matches!(last.course, Course::Refused { .. });
        let pause = if refused || exhausted {
            rules.max_cooldown
        } else {
            doubled(rules, in_vain(track, folder))
        };
        after(last.intended, pause)
    });
    let portal_rests = Some(after(ledger.met(), rules.cooldown)).filter(|end| *end > now);
    folder_rests.max(portal_rests)
}

/// The cooldown after so many attempts in a row without effect.
fn doubled(rules: &ReindexRules, in_vain: u32) -> Duration {
    let times = 1_u32.checked_shl(in_vain).unwrap_or(u32::MAX);
    rules.cooldown.saturating_mul(times).min(rules.max_cooldown)
}

/// How many attempts of a folder had no effect since the last one that had some. Those of which that cannot be told are
/// passed over.
fn in_vain(track: &Track, folder: FolderId) -> u32 {
    let effects = track
        .of_folder(folder)
        .filter_map(|attempt| attempt.verdict()?.1.had_effect());
    let row = effects.take_while(|effect| !effect).take(32).count();
    u32::try_from(row).unwrap_or(u32::MAX)
}

/// The point in time that lies `duration` after `time`.
pub(super) fn after(time: Timestamp, duration: Duration) -> Timestamp {
    let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(time.as_millis().saturating_add(millis))
}
