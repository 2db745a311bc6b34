//! What the ledger says of a whole portal: read once for the decisions about all of its folders.

use std::collections::HashSet;
use std::time::Duration;

use crate::attempts::{Attempt, Book, FileState, Track};
use crate::config::ReindexRules;
use crate::model::{FolderId, Outcome, Timestamp};
use crate::policy::budget::Charges;
use crate::policy::tries::Tries;

/// A portal that asks to be left alone for longer is asked again after so long.
const LONGEST_REST: Duration = Duration::from_hours(24);

/// A pause doubles so often at most: by then it is longer than the cooldown.
const DOUBLINGS: usize = 4;

/// What the ledger says of a whole portal at one time.
pub(super) struct Limits<'l> {
    pub ledger: &'l Book,
    /// Whether its newest time lies in the future.
    pub clock_is_behind: bool,
    /// The folders with an open attempt.
    pub open: HashSet<FolderId>,
    pub charges: Charges,
    pub tries: Tries,
    errors: Option<(Timestamp, u32)>,
    asked_until: Option<Timestamp>,
}

impl<'l> Limits<'l> {
    pub fn of(ledger: &'l Book, now: Timestamp) -> Self {
        let track = ledger.track();
        Self {
            ledger,
            clock_is_behind: ledger.latest() > Some(now),
            open: track.unjudged().map(|attempt| attempt.folder).collect(),
            charges: Charges::of(track),
            tries: Tries::of(track, now),
            errors: errors(track),
            asked_until: asked_until(track),
        }
    }

    /// Until when limits are doubted: for a cooldown after the ledger met the portal, or lost writes.
    pub fn doubted_until(&self, rules: &ReindexRules) -> Option<Timestamp> {
        let doubted = self.ledger.doubted();
        doubted.map(|at| at.after(rules.cooldown))
    }

    /// Until when the portal rests: a tenth of the cooldown after an error, twice as long after each further one in a row, but a cooldown at
    /// most; or for as long as it asked.
    pub fn rests_until(&self, rules: &ReindexRules) -> Option<Timestamp> {
        let rests = self.errors.map(|(newest, doublings)| {
            let pause = (rules.cooldown / 10).saturating_mul(1 << doublings);
            newest.after(pause.min(rules.cooldown))
        });
        rests.max(self.asked_until)
    }
}

/// The time of the newest answer, if it was an error after which no file moved, and how many there were in a row before.
fn errors(track: &Track) -> Option<(Timestamp, u32)> {
    let attempts = track.newest_first();
    let mut errors = attempts.map_while(|attempt| has_failed(attempt));
    let newest = errors.next()?;
    let before = errors.take(DOUBLINGS).count();
    Some((newest, u32::try_from(before).unwrap_or(0)))
}

/// When the request was answered with an error, or not at all, and no file moved so far; or when the portal refused all requests.
fn has_failed(attempt: &Attempt) -> Option<Timestamp> {
    let (answered, outcome) = attempt.outcome?;
    let failed = match outcome {
        Outcome::Unknown { .. } => {
            let unmoved = attempt.file_states().of(FileState::Sent);
            unmoved == attempt.files && !attempt.was_interrupted()
        }
        Outcome::Refused { status, .. } => matches!(status, 401 | 429),
        Outcome::NotSent | Outcome::Accepted { .. } => false,
    };
    failed.then_some(answered)
}

/// Until when the portal asked for no more requests in its newest answer.
fn asked_until(track: &Track) -> Option<Timestamp> {
    let mut answers = track.newest_first().filter_map(|attempt| attempt.outcome);
    let (answered, outcome) = answers.find(|(_, outcome)| *outcome != Outcome::NotSent)?;
    let asked = outcome.asks_for_rest()?;
    Some(answered.after(asked.min(LONGEST_REST)))
}
