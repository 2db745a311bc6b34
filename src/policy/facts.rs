//! The input of a decision, without the ledger.

use chrono_tz::Tz;

use crate::classify::Class;
use crate::config::ReindexRules;
use crate::model::{ByStatus, FileKey, FolderId, Status, Timestamp};

/// A portal with all its folders at one time.
#[derive(Debug, Clone)]
pub struct PortalFacts<'a> {
    pub now: Timestamp,
    /// The time zone of the windows.
    pub zone: Tz,
    /// Whether a kill switch file exists, or cannot be checked.
    pub kill_switch: bool,
    /// Whether its list of folders cannot be read, or another portal of the configuration has the same folders.
    pub is_unusable: bool,
    pub folders: Vec<FolderFacts<'a>>,
}

/// The current facts about a folder.
#[derive(Debug, Clone)]
pub struct FolderFacts<'a> {
    pub id: FolderId,
    pub rules: &'a ReindexRules,
    /// Whether the counts are current and consistent, and each failed file was read.
    pub usable: bool,
    pub counts: ByStatus<u64>,
    /// The failed files that were read.
    pub failed: &'a [FailedFile],
}

/// The parts of a failed file that a decision needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedFile {
    pub key: FileKey,
    /// Since when it was seen failed.
    pub since: Timestamp,
    pub class: Class,
}

impl FolderFacts<'_> {
    /// The files that wait or are processed.
    pub(crate) fn backlog(&self) -> u64 {
        self.counts[Status::Pending].saturating_add(self.counts[Status::Processing])
    }

    /// The largest backlog with which the folder is sent.
    pub(crate) fn max_backlog(&self) -> u64 {
        self.rules.max_backlog.max(self.counts.total() / 10)
    }
}
