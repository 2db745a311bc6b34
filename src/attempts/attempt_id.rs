//! The number of an attempt.

use serde::{Deserialize, Serialize};

use crate::model::Timestamp;

/// Identifies an attempt. A later attempt has a greater number, also across restarts.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct AttemptId(i64);

impl AttemptId {
    pub(super) const MIN: Self = Self(i64::MIN);
    pub(super) const MAX: Self = Self(i64::MAX);

    pub const fn new(number: i64) -> Self {
        Self(number)
    }

    /// The id of an attempt that follows another one: its time in milliseconds since 1970, or the next number. So the attempts in a database and
    /// in a copy of it that lost some have different ones.
    pub(super) fn after(last: Self, at: Timestamp) -> Self {
        Self(at.as_millis().max(last.0.saturating_add(1)))
    }

    /// The number, as people see it.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl std::fmt::Display for AttemptId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
