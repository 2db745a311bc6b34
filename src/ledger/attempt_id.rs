//! The number of an attempt.

/// Identifies an attempt. A later attempt has a greater number, also across restarts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptId(i64);

impl AttemptId {
    /// Greater than every id that is given.
    pub(crate) const MAX: Self = Self(i64::MAX);

    pub const fn new(number: i64) -> Self {
        Self(number)
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
