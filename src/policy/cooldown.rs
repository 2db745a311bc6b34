//! The cooldown of a folder, and of a portal that does not carry out requests.

use std::time::Duration;

use crate::classify::Class;
use crate::config::ReindexRules;
use crate::ledger::{ActiveMode, Attempt, LedgerView, Outcome, Track};
use crate::model::{FolderId, Timestamp};
use crate::policy::class::{ClassState, came_back, doubled};
use crate::policy::reason::Reason;

/// The shortest cooldown that a portal can ask for after a refusal.
const SHORTEST: Duration = Duration::from_mins(1);

/// Holds a folder whose cooldown has not ended: it was reindexed, or refused, a short time ago.
pub(super) fn check(
    track: &Track,
    folder: FolderId,
    next_allowed: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Reason> {
    match next_allowed {
        Some(end) if now < end && is_refused(track, folder) => Err(Reason::Refused),
        Some(end) if now < end => Err(Reason::Cooldown),
        _ => Ok(()),
    }
}

/// The end of a folder's cooldown for a class, which may be past; `None` if there never was one.
///
/// It doubles with each attempt in a row in which no file of the class recovered. A portal that is new in the ledger is held for one
/// cooldown: a container without a volume would otherwise forget every limit.
pub(crate) fn next_allowed(
    ledger: &LedgerView,
    mode: ActiveMode,
    folder: FolderId,
    class: Option<(&Class, &ClassState)>,
    rules: &ReindexRules,
    now: Timestamp,
) -> Option<Timestamp> {
    let track = ledger.track(mode);
    let folder_rests = track.last_of(folder).map(|last| {
        let pause = match last.outcome {
            Some((
                _,
                Outcome::Refused {
                    status,
                    retry_after,
                },
            )) => after_refusal(status, retry_after, rules),
            _ => doubled(
                rules,
                class.map_or(0, |(class, state)| in_vain(track, folder, class, state)),
            ),
        };
        last.intended.after(pause)
    });
    let portal_rests = Some(ledger.met().after(rules.cooldown)).filter(|end| *end > now);
    folder_rests.max(portal_rests)
}

/// The cooldown after a refusal: nothing was requeued. After a temporary refusal, it is the time that the portal asked for.
fn after_refusal(status: u16, retry_after: Option<Duration>, rules: &ReindexRules) -> Duration {
    let asked = retry_after.filter(|_| matches!(status, 408 | 409 | 425 | 429));
    asked.map_or(rules.cooldown, |wait| {
        wait.clamp(SHORTEST.min(rules.cooldown), rules.max_cooldown)
    })
}

/// Whether the portal does not allow reindexing in the folder: its last attempt was answered 403.
pub(crate) fn is_refused(track: &Track, folder: FolderId) -> bool {
    track.last_of(folder).is_some_and(|last| is_forbidden(last))
}

/// Whether an attempt was answered 403.
pub(super) const fn is_forbidden(attempt: &Attempt) -> bool {
    matches!(attempt.refusal(), Some(403))
}

/// Whether an attempt was answered 404: the folder had left, and there was nothing to ask for.
pub(super) const fn is_gone(attempt: &Attempt) -> bool {
    matches!(attempt.refusal(), Some(404))
}

/// Number of attempts of a folder in which no file of a class recovered, since the last one in which one did, here or in another folder.
/// Attempts whose effect is not known are ignored.
pub(super) fn in_vain(track: &Track, folder: FolderId, class: &Class, state: &ClassState) -> u32 {
    let attempts = track.of_folder(folder);
    let since = attempts.take_while(|attempt| {
        let later = state.helped.is_none_or(|at| attempt.intended > at);
        later && track.counts_for(class, attempt)
    });
    let effects = since.filter_map(|attempt| {
        let result = attempt.result(class)?;
        result.had_effect().map(|_| came_back(result))
    });
    let row = effects.take_while(|effect| !effect).take(32).count();
    u32::try_from(row).unwrap_or(u32::MAX)
}

/// The end of the cooldown of a portal that did not carry out its last requests: after as many in a row as open the breaker, one is sent
/// after each cooldown, which doubles. `None` without a cooldown.
pub(super) fn not_carried_out_until(track: &Track, rules: &ReindexRules) -> Option<Timestamp> {
    // An attempt that the exporter interrupted shows nothing about the portal, unless files changed their status.
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
