//! How many tries a portal has left, whatever the classes are called.

use std::time::Duration;

use crate::attempts::{Attempt, LedgerView, Track};
use crate::model::Timestamp;

/// Number of tries in a portal within [`AN_HOUR`].
const TRIES: usize = 4;

/// The same after as many tries in a row in which no file came back.
const TRIES_IN_VAIN: usize = 2;

const AN_HOUR: Duration = Duration::from_hours(1);

/// The tries of a portal in the hour that ends now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tries {
    pub most: usize,
    pub left: usize,
    /// When the next try may be made, if none is left.
    pub next: Option<Timestamp>,
}

impl Tries {
    pub(super) fn of(track: &Track, now: Timestamp) -> Self {
        let trials = track.newest_first().filter(|attempt| attempt.is_trial);
        let results = trials.filter_map(|attempt| helped(attempt));
        let in_vain = results.take(TRIES).filter(|helped| !helped).count();
        let most = if in_vain < TRIES {
            TRIES
        } else {
            TRIES_IN_VAIN
        };
        let lately = track.within(AN_HOUR, now);
        let lately = lately.filter(|attempt| attempt.is_trial);
        let lately: Vec<_> = lately.map(|attempt| attempt.intended).collect();
        let oldest = lately.len().checked_sub(most).map(|at| lately[at]);
        Self {
            most,
            left: most.saturating_sub(lately.len()),
            next: oldest.map(|at| at.after(AN_HOUR)),
        }
    }
}

/// The tries that a portal has left in this hour.
pub fn tries(ledger: &LedgerView, now: Timestamp) -> Tries {
    Tries::of(ledger.track(), now)
}

/// Whether files came back in an attempt, of any class; `None` if that is not known.
fn helped(attempt: &Attempt) -> Option<bool> {
    let results = attempt.classes.iter();
    let recovered: u64 = results.clone().map(|result| result.recovered).sum();
    let refailed: u64 = results.map(|result| result.refailed).sum();
    match (recovered, refailed) {
        (0, 0) => None,
        (recovered, _) => Some(recovered > 0),
    }
}
