//! What the ledger knows of one folder, and the counters of a folder and of a class. They outlive the attempts.

use serde::{Deserialize, Serialize};

use crate::attempts::outcome::{FileState, Verdict};
use crate::model::{FileKey, FileMap, FolderName, Outcome};

/// What the ledger knows of one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderLedger {
    /// Its name at the last attempt.
    pub name: FolderName,
    pub totals: Totals,
    /// How often each file was sent since it was done last; files without an entry were not.
    pub file_attempts: FileMap<u32>,
}

impl FolderLedger {
    pub(crate) fn new(name: FolderName) -> Self {
        Self {
            name,
            totals: Totals::default(),
            file_attempts: FileMap::default(),
        }
    }

    /// Counts one more attempt for a file.
    pub(crate) fn charge(&mut self, key: FileKey) {
        let attempts = self.file_attempts.entry(key).or_default();
        *attempts = attempts.saturating_add(1);
    }

    /// Takes one attempt back from a file.
    pub(super) fn give_back(&mut self, key: FileKey) {
        if let Some(attempts) = self.file_attempts.get_mut(&key) {
            *attempts = attempts.saturating_sub(1);
            if *attempts == 0 {
                self.file_attempts.remove(&key);
            }
        }
    }
}

/// The totals of all attempts in a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    pub accepted: u64,
    pub refused: u64,
    /// Attempts whose result is not known.
    pub unknown: u64,
    /// The sum of `updated`.
    pub requeued: u64,
    pub recovered: u64,
    pub partial: u64,
    pub none: u64,
    pub inconclusive: u64,
    /// Files that were done after an attempt.
    pub files_recovered: u64,
    /// Files that failed again after an attempt.
    pub files_refailed: u64,
}

impl Totals {
    pub const fn judged(&self, verdict: Verdict) -> u64 {
        match verdict {
            Verdict::Recovered => self.recovered,
            Verdict::Partial => self.partial,
            Verdict::None => self.none,
            Verdict::Inconclusive => self.inconclusive,
        }
    }

    pub(super) fn count_outcome(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::NotSent => {}
            Outcome::Accepted { updated } => {
                self.accepted += 1;
                self.requeued = self.requeued.saturating_add(updated);
            }
            Outcome::Refused { .. } => self.refused += 1,
            Outcome::Unknown { .. } => self.unknown += 1,
        }
    }

    pub(super) const fn count_verdict(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Recovered => self.recovered += 1,
            Verdict::Partial => self.partial += 1,
            Verdict::None => self.none += 1,
            Verdict::Inconclusive => self.inconclusive += 1,
        }
    }

    pub(super) const fn count_file(&mut self, state: FileState) {
        match state {
            FileState::Done => self.files_recovered += 1,
            FileState::Refailed => self.files_refailed += 1,
            _ => {}
        }
    }
}

/// The totals of all files of a class that were sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassTotals {
    /// Files that were done after an attempt.
    pub recovered: u64,
    /// Files that failed again after an attempt.
    pub refailed: u64,
}

impl ClassTotals {
    /// All files whose result is known.
    pub const fn total(&self) -> u64 {
        self.recovered.saturating_add(self.refailed)
    }
}
