//! One decision for one folder.

use chrono::{DateTime, Utc};

use crate::config::ReindexRules;
use crate::ledger::{ActiveMode, LedgerView, SentFile, Track};
use crate::model::{FileKey, FolderId, Status, Timestamp};
use crate::policy::breaker::BreakerState;
use crate::policy::budget::Remaining;
use crate::policy::candidate::{Candidate, CountQuality};
use crate::policy::cooldown;
use crate::policy::cooldown::not_carried_out_until;
use crate::policy::numbers::Numbers;
use crate::policy::outlook::FailedFile;
use crate::policy::reason::Reason;

/// Minimum number of failed files for `max_failed_ratio` (docs/configuration.md).
const RATIO_COUNTS_FROM: u64 = 20;

/// Maximum number of files that are not eligible per eligible file, beyond `max_ride_along`.
const RIDERS_PER_FILE: u64 = 3;

/// What to do with a folder now, and the numbers behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub choice: Choice,
    pub numbers: Numbers,
}

/// What to do with a folder now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    Trigger(Trigger),
    /// Leave the folder alone.
    Hold(Reason),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    pub folder: FolderId,
    /// Whether the request is sent, or only recorded.
    pub mode: ActiveMode,
    /// Number of files that are expected to recover, in hundredths: the largest gain goes first.
    pub gain: u64,
    /// Every failed file, because the endpoint requeues all of them. The budget is charged for each.
    pub files: Vec<(FileKey, SentFile)>,
}

impl Decision {
    /// The reason: [`Reason::Eligible`] with an attempt.
    pub const fn reason(&self) -> Reason {
        match &self.choice {
            Choice::Trigger(_) => Reason::Eligible,
            Choice::Hold(reason) => *reason,
        }
    }

    /// The value of the label `decision`.
    pub const fn as_str(&self) -> &'static str {
        match &self.choice {
            Choice::Hold(_) => "hold",
            Choice::Trigger(trigger) => match trigger.mode {
                ActiveMode::DryRun => "dry_run",
                ActiveMode::Enforce => "trigger",
            },
        }
    }
}

/// Decides about one folder. `ledger` is `None` when it cannot be used.
///
/// Dry run takes the same path, with attempts of its own in the ledger. After an attempt was written, every decision
/// that was made before it is out of date: decide again.
pub fn decide(candidate: &Candidate<'_>, ledger: Option<&LedgerView>, now: Timestamp) -> Decision {
    let numbers = Numbers::of(candidate, ledger, now);
    let choice = match may_trigger(candidate, ledger, &numbers, now) {
        Err(reason) => Choice::Hold(reason),
        Ok(mode) => Choice::Trigger(Trigger {
            folder: candidate.folder,
            mode,
            gain: numbers.gain,
            files: candidate.failed.files.iter().map(sent).collect(),
        }),
    };
    Decision { choice, numbers }
}

fn sent(file: &FailedFile) -> (FileKey, SentFile) {
    (file.key, SentFile::new(file.class.clone()))
}

/// The mode of the attempt, or the first reason not to make it.
fn may_trigger(
    candidate: &Candidate<'_>,
    ledger: Option<&LedgerView>,
    numbers: &Numbers,
    now: Timestamp,
) -> Result<ActiveMode, Reason> {
    let mode = ActiveMode::of(candidate.rules.mode).ok_or(Reason::Off)?;
    hold(candidate.kill_switch, Reason::KillSwitch)?;
    let ledger = ledger.ok_or(Reason::LedgerUnavailable)?;
    hold(
        !candidate.clock_trusted || ledger.latest() > now,
        Reason::Clock,
    )?;
    counts_may_be_used(candidate)?;
    files_justify_it(candidate, numbers)?;
    folder_allows_it(candidate, numbers)?;
    let track = ledger.track(mode);
    it_is_time(candidate, track, numbers, now)?;
    portal_allows_it(candidate, ledger, mode, numbers, now)?;
    Ok(mode)
}

fn hold(when: bool, reason: Reason) -> Result<(), Reason> {
    if when { Err(reason) } else { Ok(()) }
}

fn counts_may_be_used(candidate: &Candidate<'_>) -> Result<(), Reason> {
    let quality = candidate.quality;
    hold(quality == CountQuality::NotWhole, Reason::NotWhole)?;
    hold(quality == CountQuality::Stale, Reason::Stale)?;
    hold(candidate.portal_erring, Reason::PortalErring)?;
    hold(quality == CountQuality::First, Reason::StartingUp)
}

/// Each step drops files; the reason is the first that leaves fewer than `min_failed`.
fn files_justify_it(candidate: &Candidate<'_>, numbers: &Numbers) -> Result<(), Reason> {
    let wanted = candidate.rules.min_failed.get();
    hold(numbers.failed < wanted, Reason::BelowMinFailed)?;
    let read = candidate.failed.files.len() as u64;
    let whole = candidate.failed.are_all && read == numbers.failed;
    hold(!whole, Reason::RowsNotWhole)?;
    hold(numbers.of_class < wanted, Reason::NeverClass)?;
    hold(numbers.helpable < wanted, Reason::Unresponsive)?;
    hold(numbers.retryable < wanted, Reason::Exhausted)?;
    hold(numbers.eligible < wanted, Reason::TooYoung)
}

fn folder_allows_it(candidate: &Candidate<'_>, numbers: &Numbers) -> Result<(), Reason> {
    let ReindexRules {
        max_failed_ratio,
        max_backlog,
        budget,
        ..
    } = candidate.rules;
    let in_trouble = numbers.failed >= RATIO_COUNTS_FROM
        && share(numbers.failed, candidate.counts.total()) > max_failed_ratio.get();
    hold(in_trouble && numbers.tried_in_vain, Reason::MaxFailedRatio)?;
    let backlog =
        candidate.counts[Status::Pending].saturating_add(candidate.counts[Status::Processing]);
    hold(backlog > *max_backlog, Reason::Backlog)?;
    hold(numbers.failed > budget.files, Reason::ExceedsBudget)
}

fn it_is_time(
    candidate: &Candidate<'_>,
    track: &Track,
    numbers: &Numbers,
    now: Timestamp,
) -> Result<(), Reason> {
    let unjudged = track.unjudged_in(candidate.folder).next().is_some();
    hold(unjudged, Reason::Unjudged)?;
    hold(!in_window(candidate, now), Reason::OutsideWindows)?;
    cooldown::check(track, candidate.folder, numbers.next_allowed, now)?;
    let wanted = candidate.rules.min_failed.get();
    hold(numbers.ready < wanted, Reason::ClassRests)?;
    let riders = numbers.ready.saturating_mul(RIDERS_PER_FILE);
    let max_riders = candidate.rules.max_ride_along.max(riders);
    hold(numbers.riding_along > max_riders, Reason::RideAlong)
}

fn portal_allows_it(
    candidate: &Candidate<'_>,
    ledger: &LedgerView,
    mode: ActiveMode,
    numbers: &Numbers,
    now: Timestamp,
) -> Result<(), Reason> {
    let (rules, track) = (candidate.rules, ledger.track(mode));
    let paused_until = not_carried_out_until(track, rules);
    let paused = paused_until.is_some_and(|end| now < end || track.unjudged_count() > 0);
    hold(paused, Reason::NotCarriedOut)?;
    let breaker = BreakerState::of(ledger, mode, &rules.breaker, now);
    let allowed = breaker.allows(track, candidate.folder, rules, now);
    hold(!allowed, Reason::Breaker)?;
    let remaining = Remaining::of(track, &rules.budget, now);
    hold(remaining.actions == 0, Reason::BudgetActions)?;
    hold(remaining.files < numbers.failed, Reason::BudgetFiles)
}

fn in_window(candidate: &Candidate<'_>, now: Timestamp) -> bool {
    let windows = &candidate.rules.windows;
    let local = DateTime::<Utc>::from(now).with_timezone(&candidate.zone);
    windows.is_empty() || windows.iter().any(|window| window.contains(&local))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of files are far below 2^52"
)]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}
