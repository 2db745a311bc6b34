//! The result of the last read of the list of folders.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{info, warn};

use crate::clock::Moment;
use crate::model::{PortalName, Timestamp};
use crate::portal::PortalError;
use crate::snapshot::{ListFacts, ListFailure, ListState};

/// A list that failed is asked again after this time, and then after twice as long as before.
const FIRST_PAUSE: Duration = Duration::from_mins(1);

/// The list of folders as it was read last.
#[derive(Default)]
pub(super) struct FolderList {
    pub state: ListState,
    /// Since when it could not be read before this process, if so.
    failing_before: Option<Timestamp>,
    /// How far the portal's clock is ahead of this machine's, in milliseconds, as far as it is known.
    pub clock_ahead: i64,
    /// What is reindexed, as it was logged last.
    reindexed: String,
    /// When it is asked again because it failed, unless the schedule asks before. The time between doubles, so that the schedule asks first in the
    /// end.
    pub retry_at: Option<Instant>,
    /// How long it was waited for that; zero while it can be read.
    pause: Duration,
}

impl FolderList {
    /// Continues from what was stored of the time before this process.
    pub fn restored(failing_since: Option<Timestamp>) -> Self {
        Self {
            failing_before: failing_since,
            ..Self::default()
        }
    }

    /// Since when it cannot be read, also before this process.
    pub fn failing_since(&self) -> Option<Timestamp> {
        let failure = self.state.failure.as_ref();
        let since = [failure.map(|failure| failure.since), self.failing_before];
        since.into_iter().flatten().min()
    }

    /// It could not be read. Logs the trouble when it is new.
    pub fn failed(&mut self, error: &PortalError, portal: &PortalName, now: Timestamp) {
        let (trouble, message) = (error.trouble(), error.to_string());
        if self.state.trouble() != Some(trouble) {
            warn!(%portal, reason = trouble.as_str(), error = message, "the list of folders cannot be read");
        }
        self.pause = self.pause.saturating_mul(2).max(FIRST_PAUSE);
        self.retry_at = Moment::now().steady.checked_add(self.pause);
        let since = self.failing_since().unwrap_or(now);
        self.state.failure = Some(ListFailure {
            trouble,
            message,
            since,
        });
    }

    /// It was read. Logs what is new about it.
    pub fn read(&mut self, facts: ListFacts, portal: &PortalName) {
        self.failing_before = None;
        self.retry_at = None;
        self.pause = Duration::ZERO;
        let failure = self.state.failure.take();
        if failure.is_some() || self.state.facts.as_ref() != Some(&facts) {
            info!(%portal, folders = facts.folders, "list of folders read");
            for sentence in facts.sentences() {
                warn!(%portal, "{sentence}");
            }
        }
        self.state.facts = Some(facts);
    }

    /// Logs in how many folders files are reindexed, when that is new.
    pub fn reindexes(&mut self, reindexed: String, portal: &PortalName) {
        if self.reindexed != reindexed {
            info!(%portal, "{reindexed}");
            self.reindexed = reindexed;
        }
    }
}

/// How far a portal's clock is ahead, in milliseconds, by the `Date` of its list, if it has one; 0 if that is no more than a `Date` is inexact, which
/// has whole seconds.
pub(super) fn clock_ahead(now: Timestamp, date: Option<Timestamp>) -> i64 {
    const EXACT: i64 = 2_000;
    let ahead = date.map_or(0, |date| date.as_millis().saturating_sub(now.as_millis()));
    if ahead.saturating_abs() <= EXACT {
        0
    } else {
        ahead
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_differs_by_no_more_than_a_date_is_inexact_is_not_ahead() {
        let at = Timestamp::from_millis;
        for (portal, ahead) in [
            (None, 0),
            (Some(at(98_000)), 0),
            (Some(at(102_000)), 0),
            (Some(at(70_000)), -30_000),
            (Some(at(103_000)), 3_000),
        ] {
            assert_eq!(clock_ahead(at(100_000), portal), ahead, "{portal:?}");
        }
    }
}
