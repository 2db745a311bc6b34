//! Why a folder is held, until when, and by what.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::attempts::{Attempt, Book, FileState, Track};
use crate::config::{Mode, ReindexRules};
use crate::model::{FolderId, Outcome, Timestamp};
use crate::policy::decision::{Hold, Reason};
use crate::policy::facts::{ClassFiles, FolderFacts, PortalFacts, Tally};

/// An attempt sends at most so many files that are not eligible for each one that is, or [`FEW_OTHERS`].
const OTHERS_PER_FILE: u64 = 10;
const FEW_OTHERS: u64 = 100;

fn hold(when: bool, reason: Reason) -> Result<(), Hold> {
    if when { Err(reason.into()) } else { Ok(()) }
}

/// What holds a folder, whatever its classes and the other folders are.
pub(super) fn check(
    portal: &PortalFacts<'_>,
    folder: &FolderFacts<'_>,
    tally: &Tally<'_>,
    ledger: Option<&Book>,
) -> Result<(), Hold> {
    let (rules, now) = (folder.rules, portal.now);
    hold(rules.mode == Mode::Off, Reason::Off)?;
    hold(portal.kill_switch, Reason::KillSwitch)?;
    let ledger = ledger.ok_or(Reason::Ledger)?;
    limits_hold(ledger, rules, now)?;
    hold(ledger.latest() > Some(now), Reason::Clock)?;
    hold(portal.is_unusable, Reason::Portal)?;
    hold(!folder.usable, Reason::Counts)?;
    is_worth_it(tally)?;
    let track = ledger.track();
    portal_carries_out(track, folder, now)?;
    hold(!in_window(rules, portal.zone, now), Reason::OutsideWindows)?;
    has_rested(ledger, folder, now)?;
    hold(folder.backlog() > folder.max_backlog(), Reason::Backlog)
}

/// Holds for a cooldown after limits may have ended early.
fn limits_hold(ledger: &Book, rules: &ReindexRules, now: Timestamp) -> Result<(), Hold> {
    let until = ledger.doubted().map(|at| at.after(rules.cooldown));
    match until.filter(|until| *until > now) {
        Some(until) => Err(Hold::until(Reason::Ledger, Some(until))),
        None => Ok(()),
    }
}

/// Whether enough of the files that an attempt sends are eligible.
fn is_worth_it(tally: &Tally<'_>) -> Result<(), Hold> {
    let ClassFiles {
        files, eligible, ..
    } = tally.all;
    let others = files - eligible;
    let most = FEW_OTHERS.max(eligible.saturating_mul(OTHERS_PER_FILE));
    if eligible == 0 || others > most {
        return Err(Hold::until(Reason::NothingEligible, tally.next_eligible));
    }
    Ok(())
}

/// Holds a portal that answered with an error and moved no file, and a folder that it refuses.
fn portal_carries_out(track: &Track, folder: &FolderFacts<'_>, now: Timestamp) -> Result<(), Hold> {
    let rests = rests_until(track, folder.rules);
    let refused = last_sent(track, folder.id).and_then(|last| refused_until(last, folder.rules));
    match rests.max(refused).filter(|end| *end > now) {
        Some(end) => Err(Hold::until(Reason::Portal, Some(end))),
        None => Ok(()),
    }
}

/// Until when a portal rests whose newest answers were errors after which no file moved: a tenth of the cooldown after the first one,
/// and twice as long after each further one in a row, but a cooldown at most.
fn rests_until(track: &Track, rules: &ReindexRules) -> Option<Timestamp> {
    let mut errors = track
        .newest_first()
        .take_while(|attempt| has_failed(attempt))
        .take(5);
    let newest = errors.next()?;
    let doublings = u32::try_from(errors.count()).unwrap_or(0);
    let pause = (rules.cooldown / 10).saturating_mul(1 << doublings);
    Some(newest.last_change().after(pause.min(rules.cooldown)))
}

/// Whether the request was answered with an error, or not at all, and no file moved so far; or the portal refused all requests.
fn has_failed(attempt: &Attempt) -> bool {
    match attempt.outcome {
        Some((_, Outcome::Unknown { .. })) => {
            let unmoved = attempt.file_states().of(FileState::Sent);
            unmoved == attempt.files && !attempt.was_interrupted()
        }
        Some((_, Outcome::Refused { status, .. })) => matches!(status, 401 | 429),
        Some((_, Outcome::NotSent | Outcome::Accepted { .. })) | None => false,
    }
}

/// Until when a folder rests whose last attempt the portal refused: as long as it asked for, or a cooldown.
fn refused_until(last: &Attempt, rules: &ReindexRules) -> Option<Timestamp> {
    let (at, Outcome::Refused { retry_after, .. }) = last.outcome? else {
        return None;
    };
    let asked = retry_after.filter(|wait| *wait > rules.cooldown / 60);
    Some(at.after(asked.unwrap_or(rules.cooldown).min(rules.cooldown)))
}

/// Whether attempts are allowed at this minute.
pub(crate) fn in_window(rules: &ReindexRules, zone: Tz, now: Timestamp) -> bool {
    let local = DateTime::<Utc>::from(now).with_timezone(&zone);
    let mut windows = rules.windows.iter();
    rules.windows.is_empty() || windows.any(|window| window.contains(&local))
}

/// Holds a folder while an attempt there is open, and for a cooldown after the intent.
fn has_rested(ledger: &Book, folder: &FolderFacts<'_>, now: Timestamp) -> Result<(), Hold> {
    let track = ledger.track();
    let end = next_allowed(ledger, folder.id, folder.rules);
    let until = Some(end).filter(|end| *end > now);
    if until.is_some() || track.unjudged_in(folder.id).next().is_some() {
        return Err(Hold::until(Reason::Cooldown, until));
    }
    Ok(())
}

/// The end of a folder's cooldown, which may be past. A portal that is new in the ledger is held for one cooldown, unless people forgive that:
/// a container without a volume would otherwise forget every limit.
pub(super) fn next_allowed(ledger: &Book, folder: FolderId, rules: &ReindexRules) -> Timestamp {
    let last = last_sent(ledger.track(), folder);
    let rests = last.map(|last| {
        let refused = refused_until(last, rules);
        refused.unwrap_or(last.intended.after(rules.cooldown))
    });
    rests.unwrap_or_default()
}

/// The newest attempt in a folder whose request was sent, or may have been.
fn last_sent(track: &Track, folder: FolderId) -> Option<&Arc<Attempt>> {
    let mut attempts = track.of_folder(folder);
    attempts.find(|attempt| !matches!(attempt.outcome, Some((_, Outcome::NotSent))))
}
