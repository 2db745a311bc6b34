//! How many tries a portal has left, whatever the classes are called.

use std::time::Duration;

use crate::attempts::{Attempt, Book, Track};
use crate::model::Timestamp;

/// The tries of a portal in the hour that ends now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tries {
    pub left: usize,
    /// When the next try may be made, if none is left.
    pub next: Option<Timestamp>,
}

impl Tries {
    /// Number of tries in a portal within an hour.
    pub const AN_HOUR: usize = 2;

    pub(super) fn of(track: &Track, now: Timestamp) -> Self {
        let hour = Duration::from_hours(1);
        let lately = track.within(hour, now);
        // A request that queued nothing tried nothing, and leaves its turn to another folder.
        let is_charged = |attempt: &Attempt| {
            let outcome = attempt.outcome.as_ref();
            outcome.is_none_or(|(_, outcome)| outcome.is_charged())
        };
        let lately = lately.filter(|attempt| attempt.is_trial && is_charged(attempt));
        let lately: Vec<_> = lately.map(|attempt| attempt.intended).collect();
        let oldest = lately.len().checked_sub(Self::AN_HOUR);
        Self {
            left: Self::AN_HOUR.saturating_sub(lately.len()),
            next: oldest.map(|at| lately[at].after(hour)),
        }
    }
}

/// The tries that a portal has left in this hour.
pub fn tries(ledger: &Book, now: Timestamp) -> Tries {
    Tries::of(ledger.track(), now)
}
