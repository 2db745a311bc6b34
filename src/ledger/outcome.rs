//! What comes of an attempt: the portal's answer, the fate of each file, the verdict.

use std::time::Duration;

/// What came of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The portal answered 200 with a number.
    Accepted {
        /// How many files it says it queued.
        updated: u64,
    },
    /// The portal answered 4xx: nothing was queued.
    Refused {
        /// The status of the answer.
        status: u16,
        /// What `Retry-After` asked for.
        retry_after: Option<Duration>,
    },
    /// Files may have been queued. It is charged, and not sent again before its cooldown.
    Unknown {
        /// Why it is not known.
        why: Lost,
    },
}

impl Outcome {
    /// The value of the label `result` of `kb_reindex_attempts_total`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted { .. } => "accepted",
            Self::Refused { .. } => "refused",
            Self::Unknown { .. } => "unknown",
        }
    }
}

/// Why it is not known what a request did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// No answer came: the time ran out, or the connection was cut.
    NoAnswer,
    /// An answer with a status that says neither yes nor no, such as 5xx.
    Status(u16),
    /// 200 without a readable `updated`.
    Unreadable,
    /// The program ended, or gave up, between the intent and the answer.
    Interrupted,
}

impl Lost {
    /// A word for each; the status of [`Self::Status`] is told apart from it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoAnswer => "no_answer",
            Self::Status(_) => "status",
            Self::Unreadable => "unreadable",
            Self::Interrupted => "interrupted",
        }
    }
}

/// What an attempt was good for: the label `outcome` of `kb_reindex_outcomes_total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Every file that is still listed is done.
    Recovered,
    /// Some files are done.
    Partial,
    /// Every file was read again, and none is done.
    None,
    /// It cannot be told. The breaker does not count it, and files get their attempts back.
    Inconclusive,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 4] = [
        Self::Recovered,
        Self::Partial,
        Self::None,
        Self::Inconclusive,
    ];

    /// The value of the label.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Recovered => "recovered",
            Self::Partial => "partial",
            Self::None => "none",
            Self::Inconclusive => "inconclusive",
        }
    }

    /// Reads the word of [`Self::as_str`].
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|other| other.as_str() == word)
    }

    /// Whether anything came of the attempt; `None` when that cannot be told.
    #[must_use]
    pub const fn had_effect(self) -> Option<bool> {
        match self {
            Self::Recovered | Self::Partial => Some(true),
            Self::None => Some(false),
            Self::Inconclusive => None,
        }
    }
}

/// What became of a file that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileState {
    /// It was failed when the request was sent, and nothing else was seen of it since.
    Sent,
    /// It was seen waiting or being processed since.
    Waiting,
    /// It was seen done.
    Done,
    /// It failed again, or never moved until the attempt had to be judged.
    Refailed,
    /// It was set aside for an administrator.
    Flagged,
    /// It is not there any more: deleted, or replaced; or it was not among the files that the portal took.
    Gone,
}

impl FileState {
    /// Every state.
    pub const ALL: [Self; 6] = [
        Self::Sent,
        Self::Waiting,
        Self::Done,
        Self::Refailed,
        Self::Flagged,
        Self::Gone,
    ];

    /// A word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Refailed => "refailed",
            Self::Flagged => "flagged",
            Self::Gone => "gone",
        }
    }

    /// Reads the word of [`Self::as_str`].
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|other| other.as_str() == word)
    }

    /// Whether nothing more is expected of the file.
    #[must_use]
    pub const fn is_settled(self) -> bool {
        !matches!(self, Self::Sent | Self::Waiting)
    }

    /// Whether the file's attempts start anew: it was done, or is another file by now.
    #[must_use]
    pub const fn starts_anew(self) -> bool {
        matches!(self, Self::Done | Self::Gone)
    }
}

/// How many files of an attempt are in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StateCounts([u64; 6]);

impl StateCounts {
    /// The files in one state.
    #[must_use]
    pub const fn of(&self, state: FileState) -> u64 {
        self.0[state as usize]
    }

    /// Every state with its files, in the order of [`FileState::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (FileState, u64)> {
        FileState::ALL.into_iter().zip(self.0)
    }

    /// All files.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Files of which more is expected.
    #[must_use]
    pub fn unsettled(&self) -> u64 {
        self.of(FileState::Sent) + self.of(FileState::Waiting)
    }
}

impl FromIterator<(FileState, u64)> for StateCounts {
    fn from_iter<I: IntoIterator<Item = (FileState, u64)>>(counts: I) -> Self {
        let mut all = Self::default();
        for (state, files) in counts {
            all.0[state as usize] += files;
        }
        all
    }
}

impl FromIterator<FileState> for StateCounts {
    fn from_iter<I: IntoIterator<Item = FileState>>(states: I) -> Self {
        states.into_iter().map(|state| (state, 1)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::from_word(verdict.as_str()), Some(verdict));
        }
        for state in FileState::ALL {
            assert_eq!(FileState::from_word(state.as_str()), Some(state));
        }
        assert_eq!(Verdict::from_word("some"), None);
        assert_eq!(FileState::from_word(""), None);
    }
}
