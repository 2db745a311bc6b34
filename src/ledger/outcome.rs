//! The results of an attempt: the portal's answer, the state of each file, the verdict.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::label_values;
use crate::sql::label_column;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The portal answered 200 with a number.
    Accepted {
        /// How many files it says it queued.
        updated: u64,
    },
    /// The portal answered 4xx: nothing was queued.
    Refused {
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
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted { .. } => "accepted",
            Self::Refused { .. } => "refused",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// Whether the portal says that it queued files.
    pub(crate) const fn is_carried_out(self) -> bool {
        matches!(self, Self::Accepted { updated: 1.. })
    }
}

/// Why the result of a request is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// No answer came: the time ran out, or the connection was cut.
    NoAnswer,
    /// An answer with a status such as 5xx, after which files may have been queued or not.
    Status(u16),
    /// 200 without a readable `updated`.
    Unreadable,
    /// The program ended, or gave up, between the intent and the answer.
    Interrupted,
}

impl Lost {
    /// A word for each, without the status of [`Self::Status`].
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoAnswer => "no_answer",
            Self::Status(_) => "status",
            Self::Unreadable => "unreadable",
            Self::Interrupted => "interrupted",
        }
    }

    /// The status of the answer, where one came.
    pub(super) const fn status(self) -> Option<u16> {
        match self {
            Self::Status(status) => Some(status),
            _ => None,
        }
    }

    /// Reads the word of [`Self::as_str`], with the status of the answer.
    pub(super) fn from_word(word: &str, status: Option<u16>) -> Option<Self> {
        let all = [Self::NoAnswer, Self::Unreadable, Self::Interrupted];
        let mut all = all.into_iter().chain(status.map(Self::Status));
        all.find(|why| why.as_str() == word)
    }
}

label_values! {
    /// The result of an attempt: the label `outcome` of `kb_reindex_outcomes_total`.
    pub enum Verdict {
        /// Every file that is still listed is done.
        Recovered = "recovered",
        Partial = "partial",
        /// Every file was read again, and none is done.
        None = "none",
        /// It is not known. The breaker does not count it, and files get their attempts back.
        Inconclusive = "inconclusive",
    }
}

label_column!(Verdict);

impl Verdict {
    /// Whether the attempt helped any file; `None` when that is not known.
    pub(crate) const fn had_effect(self) -> Option<bool> {
        match self {
            Self::Recovered | Self::Partial => Some(true),
            Self::None => Some(false),
            Self::Inconclusive => None,
        }
    }
}

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

label_column!(FileState);

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
