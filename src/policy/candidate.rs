//! The input of a decision, without the ledger and the time.

use chrono_tz::Tz;

use crate::config::ReindexRules;
use crate::model::{ByStatus, FolderId};
use crate::policy::outlook::{FailedFile, Outlook};

/// The current facts about a folder.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    pub folder: FolderId,
    pub rules: &'a ReindexRules,
    /// The time zone of the windows.
    pub zone: Tz,
    /// Whether the kill switch file exists, or cannot be checked.
    pub kill_switch: bool,
    /// Whether the clock was not set within the last `min_age`.
    pub clock_trusted: bool,
    /// Whether the portal's latest answers were errors.
    pub portal_erring: bool,
    pub quality: CountQuality,
    pub counts: ByStatus<u64>,
    /// The failed files that were read.
    pub failed: FailedFiles<'a>,
    /// What the failed files of all folders show about each class.
    pub outlook: &'a Outlook,
}

impl<'a> Candidate<'a> {
    /// A folder in a portal without trouble, with windows in UTC.
    pub const fn new(
        folder: FolderId,
        rules: &'a ReindexRules,
        counts: ByStatus<u64>,
        failed: FailedFiles<'a>,
        outlook: &'a Outlook,
    ) -> Self {
        Self {
            folder,
            rules,
            zone: Tz::UTC,
            kill_switch: false,
            clock_trusted: true,
            portal_erring: false,
            quality: CountQuality::Usable,
            counts,
            failed,
            outlook,
        }
    }
}

/// Whether decisions may be made from the counts of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountQuality {
    /// The folder was not counted, or its last count is not consistent.
    NotWhole,
    /// They are too old.
    Stale,
    /// They are the folder's first ones since the start.
    First,
    Usable,
}

/// The failed files of a folder that were read.
#[derive(Debug, Clone, Copy)]
pub struct FailedFiles<'a> {
    pub files: &'a [FailedFile],
    pub are_all: bool,
}
