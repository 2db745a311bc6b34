//! Why a folder is held, until when, and by what.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::attempts::{Attempt, Track};
use crate::config::{Mode, ReindexRules};
use crate::model::{FolderId, Outcome, Timestamp};
use crate::policy::decision::{Cause, Hold, Reason};
use crate::policy::facts::{FolderFacts, PortalFacts, Tally};
use crate::policy::limits::Limits;

/// An attempt sends at most this number of files that are not eligible for each one that is, or [`FEW_OTHERS`].
const OTHERS_PER_FILE: u64 = 10;
const FEW_OTHERS: u64 = 100;

fn hold(when: bool, reason: Reason) -> Result<(), Hold> {
    if when { Err(reason.into()) } else { Ok(()) }
}

/// Holds until a time, unless that is past.
fn hold_until(until: Option<Timestamp>, now: Timestamp, reason: Reason) -> Result<(), Hold> {
    match until.filter(|until| *until > now) {
        Some(until) => Err(Hold::until(reason, Some(until))),
        None => Ok(()),
    }
}

/// What holds a folder, whatever its classes and the other folders are. `last`: the newest attempt in it.
pub(super) fn check(
    portal: &PortalFacts<'_>,
    folder: &FolderFacts<'_>,
    tally: &Tally<'_>,
    limits: Option<&Limits<'_>>,
    last: Option<&Attempt>,
) -> Result<(), Hold> {
    let (rules, now) = (folder.rules, portal.now);
    hold(rules.mode == Mode::Off, Reason::Off)?;
    hold(portal.kill_switch, Reason::KillSwitch)?;
    let limits = limits.ok_or(Reason::Ledger)?;
    hold(limits.clock_is_behind, Reason::Clock)?;
    hold_until(limits.doubted_until(rules), now, Reason::Ledger)
        .map_err(|hold| hold.because(Cause::Doubt))?;
    hold(portal.is_unusable, Reason::Portal)?;
    hold(!folder.usable, Reason::Counts)?;
    is_worth_it(tally)?;
    let refused = last.and_then(|last| refused_until(last, rules));
    hold_until(limits.rests_until(rules).max(refused), now, Reason::Portal)?;
    hold(
        !in_window(rules, portal.zone, portal.wall),
        Reason::OutsideWindows,
    )?;
    let cooldown = last.map(|last| next_allowed(last, rules));
    hold_until(cooldown, now, Reason::Cooldown)?;
    hold(limits.open.contains(&folder.id), Reason::Cooldown)?;
    hold(folder.backlog() > folder.max_backlog(), Reason::Backlog)
}

/// Whether enough of the files that an attempt sends are eligible.
fn is_worth_it(tally: &Tally<'_>) -> Result<(), Hold> {
    let eligible = tally.eligible;
    let others = tally.files - eligible;
    let most = FEW_OTHERS.max(eligible.saturating_mul(OTHERS_PER_FILE));
    if eligible > 0 && others <= most {
        return Ok(());
    }
    let hold = Hold::until(Reason::NothingEligible, tally.next_eligible);
    if eligible == 0 {
        return Err(hold);
    }
    Err(hold.because(Cause::Others {
        eligible,
        others,
        most,
    }))
}

/// Until when a folder rests whose last attempt the portal refused: as long as it asked for, or a cooldown.
fn refused_until(last: &Attempt, rules: &ReindexRules) -> Option<Timestamp> {
    let (at, Outcome::Refused { retry_after, .. }) = last.outcome? else {
        return None;
    };
    let asked = retry_after.filter(|wait| *wait > rules.cooldown / 60);
    Some(at.after(asked.unwrap_or(rules.cooldown).min(rules.cooldown)))
}

/// Whether attempts are allowed at this minute of people's time.
pub(crate) fn in_window(rules: &ReindexRules, zone: Tz, wall: Timestamp) -> bool {
    let local = DateTime::<Utc>::from(wall).with_timezone(&zone);
    let mut windows = rules.windows.iter();
    rules.windows.is_empty() || windows.any(|window| window.contains(&local))
}

/// The end of the cooldown after an attempt, which may be past.
pub(super) fn next_allowed(last: &Attempt, rules: &ReindexRules) -> Timestamp {
    let refused = refused_until(last, rules);
    refused.unwrap_or(last.intended.after(rules.cooldown))
}

/// The newest attempt in a folder whose request was sent, or may have been.
pub(super) fn last_sent(track: &Track, folder: FolderId) -> Option<&Arc<Attempt>> {
    let mut attempts = track.of_folder(folder);
    attempts.find(|attempt| !matches!(attempt.outcome, Some((_, Outcome::NotSent))))
}
