//! What a decision is made from, beside the ledger and the time.

use chrono_tz::Tz;

use crate::config::ReindexRules;
use crate::model::{ByStatus, FolderId};
use crate::policy::failed_file::FailedFile;
use crate::policy::outlook::Outlook;

/// What is known of one folder now.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    /// The folder.
    pub folder: FolderId,
    /// The rules for it.
    pub rules: &'a ReindexRules,
    /// The time zone of the windows.
    pub zone: Tz,
    /// Whether the file that stops everything exists, or cannot be read.
    pub kill_switch: bool,
    /// Whether the clock was not set within the last `min_age`.
    pub clock_trusted: bool,
    /// Whether the portal's latest answers were errors.
    pub portal_erring: bool,
    /// What the counts are worth.
    pub counts_are: Worth,
    /// Files by status.
    pub counts: ByStatus<u64>,
    /// The failed files that were read.
    pub failed: Failed<'a>,
    /// What the failed files of all folders tell of each class.
    pub outlook: &'a Outlook,
}

/// What a folder's counts are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// There are none, the latest read did not count the folder, or its count was not consistent.
    NotWhole,
    /// They are older than counts may be.
    Stale,
    /// They are the folder's first ones since the program was started.
    First,
    /// They can be acted upon.
    Whole,
}

/// The failed files of a folder that were read.
#[derive(Debug, Clone, Copy)]
pub enum Failed<'a> {
    /// All of them.
    Whole(&'a [FailedFile]),
    /// Some of them.
    Part(&'a [FailedFile]),
}

impl<'a> Failed<'a> {
    /// The files.
    #[must_use]
    pub const fn files(self) -> &'a [FailedFile] {
        match self {
            Self::Whole(files) | Self::Part(files) => files,
        }
    }

    /// Whether these are all.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        matches!(self, Self::Whole(_))
    }
}
