//! What the ledger knows of one folder, and the counters of a folder and of a class. They outlive the attempts.

use serde::{Deserialize, Serialize};

use crate::attempts::outcome::{FileState, Verdict};
use crate::model::{FileKey, FileMap, FolderName, Outcome};

/// What the ledger knows of one folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderLedger {
    /// Its name at the last attempt.
    pub name: FolderName,
    pub totals: Totals,
    /// How often each file was sent since it was done last; files without an entry were not.
    pub file_attempts: FileMap<u32>,
}

impl FolderLedger {
    pub(super) fn new(name: FolderName) -> Self {
        Self {
            name,
            totals: Totals::default(),
            file_attempts: FileMap::default(),
        }
    }

    /// Counts one more attempt for a file.
    pub(super) fn charge(&mut self, key: FileKey) {
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

/// Defines a struct of counters.
macro_rules! counters {
    ($(#[$attribute:meta])* pub struct $name:ident { $($(#[$doc:meta])* $counter:ident,)+ }) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $name {
            $($(#[$doc])* pub $counter: u64,)+
        }

        impl $name {
            /// The greater of each counter.
            pub(super) fn at_least(&self, other: &Self) -> Self {
                Self { $($counter: self.$counter.max(other.$counter),)+ }
            }
        }
    };
}

counters! {
    /// The totals of all attempts in a folder.
    pub struct Totals {
        accepted,
        refused,
        /// Attempts whose result is not known.
        unknown,
        /// The sum of `updated`.
        requeued,
        recovered,
        partial,
        none,
        inconclusive,
        /// Files that were done after an attempt.
        files_recovered,
        /// Files that failed again after an attempt.
        files_refailed,
    }
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

counters! {
    /// The totals of all files of a class that were sent.
    pub struct ClassTotals {
        /// Files that were done after an attempt.
        recovered,
        /// Files that failed again after an attempt.
        refailed,
    }
}

impl ClassTotals {
    /// All files whose result is known.
    pub const fn total(&self) -> u64 {
        self.recovered.saturating_add(self.refailed)
    }
}
