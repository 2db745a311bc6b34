//! The results of an attempt: the state of each file, the verdict.

use serde::{Deserialize, Serialize};

use crate::model::{label_in_documents, label_values};

label_values! {
    /// The result of an attempt: the label `outcome` of `kb_reindex_outcomes_total`.
    pub enum Verdict {
        /// Every file that is still listed is done.
        Recovered = "recovered",
        Partial = "partial",
        /// Every file was read again, and none is done.
        None = "none",
        /// It is not known. Files get their attempts back.
        Inconclusive = "inconclusive",
    }
}

label_in_documents!(Verdict);

label_values! {
    /// The state of a file after it was sent.
    pub enum FileState {
        /// It was failed when the request was sent, and no other status was seen since.
        Sent = "sent",
        /// It was seen waiting or being processed since.
        Waiting = "waiting",
        Done = "done",
        /// It failed again, or never moved until the attempt had to be judged.
        Refailed = "refailed",
        /// It was set aside for an administrator.
        Flagged = "flagged",
        /// It was deleted or replaced, or it was not among the files that the portal took.
        Gone = "gone",
    }
}

label_in_documents!(FileState);

impl FileState {
    pub(crate) const fn is_settled(self) -> bool {
        !matches!(self, Self::Sent | Self::Waiting)
    }

    /// Whether the file's attempts are counted from 0 again: it was done, or is another file by now.
    pub(crate) const fn starts_anew(self) -> bool {
        matches!(self, Self::Done | Self::Gone)
    }
}

/// How many files of an attempt are in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateCounts([u64; FileState::ALL.len()]);

impl StateCounts {
    pub const fn of(&self, state: FileState) -> u64 {
        self.0[state as usize]
    }

    /// Every state with its files, in the order of [`FileState::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (FileState, u64)> {
        FileState::ALL.into_iter().zip(self.0)
    }

    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The files whose state is not final.
    pub(crate) fn unsettled(&self) -> u64 {
        self.of(FileState::Sent) + self.of(FileState::Waiting)
    }
}

impl FromIterator<FileState> for StateCounts {
    fn from_iter<I: IntoIterator<Item = FileState>>(states: I) -> Self {
        let mut all = Self::default();
        for state in states {
            all.0[state as usize] += 1;
        }
        all
    }
}
