//! The processing states of a file.

use std::hash::BuildHasher;
use std::ops::{AddAssign, Index, IndexMut};

use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};

use crate::model::label::label_values;

label_values! {
    /// The `indexStatus` of a file (docs/portal.md, Statuses). The text is the word that the portal sends.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Status {
        Pending = "pending",
        Processing = "processing",
        Done = "done",
        Failed = "failed",
        /// Set aside for review by an administrator.
        Flagged = "flagged",
        /// Any value that docs/portal.md does not name: another word, null, or none.
        #[default]
        Unknown = "unknown",
    }
}

impl Status {
    /// The two statuses that carry an `indexError`.
    pub const WITH_REASON: [Self; 2] = [Self::Failed, Self::Flagged];

    /// Whether files with this status carry an `indexError`.
    pub const fn has_reason(self) -> bool {
        matches!(self, Self::Failed | Self::Flagged)
    }

    /// Reads the word that the portal sends; every other text is [`Status::Unknown`].
    pub fn from_word(word: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|status| status.as_str() == word)
            .unwrap_or_default()
    }
}

/// The word that a portal gives as an `indexStatus`: two words that docs/portal.md does not name are two values, though both
/// are [`Status::Unknown`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatusWord {
    pub status: Status,
    /// A hash of an unknown word; 0 for the others.
    spelling: u64,
}

impl StatusWord {
    /// No word: null or absent.
    pub const NONE: Self = Self {
        status: Status::Unknown,
        spelling: 0,
    };

    /// Reads a word, which need not be Unicode.
    pub fn read(word: &[u8]) -> Self {
        let status = std::str::from_utf8(word).map_or(Status::Unknown, Status::from_word);
        let spelling = match status {
            Status::Unknown => FixedState::with_seed(1).hash_one(word),
            _ => 0,
        };
        Self { status, spelling }
    }
}

impl From<Status> for StatusWord {
    fn from(status: Status) -> Self {
        Self {
            status,
            spelling: 0,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByStatus<T>([T; 6]);

impl<T> ByStatus<T> {
    pub fn from_fn(value: impl FnMut(Status) -> T) -> Self {
        Self(Status::ALL.map(value))
    }

    /// Every status with its value, in the order of [`Status::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Status, &T)> {
        Status::ALL.into_iter().zip(&self.0)
    }
}

impl ByStatus<u64> {
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The statuses that are shown: the five of docs/portal.md always, `unknown` only if it is not 0.
    pub fn shown(&self) -> impl Iterator<Item = (Status, u64)> {
        self.iter()
            .map(|(status, count)| (status, *count))
            .filter(|(status, count)| *status != Status::Unknown || *count > 0)
    }
}

impl AddAssign for ByStatus<u64> {
    fn add_assign(&mut self, other: Self) {
        *self = Self::from_fn(|status| self[status].saturating_add(other[status]));
    }
}

impl<T> Index<Status> for ByStatus<T> {
    type Output = T;

    fn index(&self, status: Status) -> &T {
        &self.0[status as usize]
    }
}

impl<T> IndexMut<Status> for ByStatus<T> {
    fn index_mut(&mut self, status: Status) -> &mut T {
        &mut self.0[status as usize]
    }
}
