//! The files that remain of a portal's budget.

use std::time::Duration;

use crate::attempts::{Book, Track};
use crate::config::Budget;
use crate::model::Timestamp;

/// The files that were charged, by time.
pub(super) struct Charges {
    /// When attempts were made, oldest first.
    times: Vec<Timestamp>,
    /// The files that were charged for each attempt and all later ones; 0 after the last one.
    since: Vec<u64>,
}

impl Charges {
    pub fn of(track: &Track) -> Self {
        let charges = track
            .iter()
            .map(|attempt| (attempt.intended, attempt.charge()));
        let mut charges: Vec<_> = charges.collect();
        charges.sort_unstable();
        let mut since = vec![0_u64; charges.len() + 1];
        for (at, (_, files)) in charges.iter().enumerate().rev() {
            since[at] = since[at + 1].saturating_add(*files);
        }
        Self {
            times: charges.into_iter().map(|(time, _)| time).collect(),
            since,
        }
    }

    /// The first attempt in the window that ends now.
    fn begin(&self, per: Duration, now: Timestamp) -> usize {
        let begin = now.before(per);
        self.times.partition_point(|time| *time <= begin)
    }

    /// The files that were charged in the window that ends now.
    pub fn charged(&self, budget: &Budget, now: Timestamp) -> u64 {
        self.since[self.begin(budget.per, now)]
    }

    /// When this number of files may be sent, if no others are.
    pub fn allows_at(&self, budget: &Budget, files: u64, now: Timestamp) -> Option<Timestamp> {
        let begin = self.begin(budget.per, now);
        let later = &self.since[begin + 1..];
        let leaves = later.partition_point(|charged| !allows(budget, *charged, files));
        let last = self.times[begin..].get(leaves)?;
        Some(last.after(budget.per))
    }
}

/// What remains of the budget.
pub fn remaining_files(ledger: &Book, budget: &Budget, now: Timestamp) -> u64 {
    let charged = Charges::of(ledger.track()).charged(budget, now);
    budget.files.saturating_sub(charged)
}

/// Whether this number of files may be sent. A folder with more files than the budget may use a whole window alone.
pub(super) fn allows(budget: &Budget, charged: u64, files: u64) -> bool {
    if files > budget.files {
        charged == 0 && budget.files > 0
    } else {
        charged.saturating_add(files) <= budget.files
    }
}
