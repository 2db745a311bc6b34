//! The number and the mode of an attempt.

use crate::config::Mode;
use crate::model::label_values;
use crate::sql::label_column;

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

label_values! {
    /// A mode in which attempts are made: [`Mode`] without `off`.
    pub enum ActiveMode {
        /// The attempt is only written down.
        DryRun = "dry_run",
        Enforce = "enforce",
    }
}

label_column!(ActiveMode);

impl ActiveMode {
    /// A configured mode, unless it is off.
    pub const fn of(mode: Mode) -> Option<Self> {
        match mode {
            Mode::Off => None,
            Mode::DryRun => Some(Self::DryRun),
            Mode::Enforce => Some(Self::Enforce),
        }
    }
}
