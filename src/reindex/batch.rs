//! What a collection found that decisions are made from.

use std::collections::HashSet;
use std::sync::Arc;

use chrono_tz::Tz;

use crate::config::{Reindex, ReindexRules};
use crate::model::{ByStatus, FileKey, FileMap, FolderId, FolderName, Timestamp};
use crate::policy::judge::Seen;
use crate::policy::{Case, Failed, FailedFile, Worth};
use crate::portal::{PageRequest, Session};

/// What one collection of a portal found.
pub struct Batch {
    /// What the portal is asked with; none when its list of folders could not be read.
    pub session: Option<Arc<Session>>,
    /// The rules.
    pub reindex: Arc<Reindex>,
    /// The time zone of their windows.
    pub zone: Tz,
    /// Whether the portal's latest answers were errors.
    pub portal_erring: bool,
    /// The folders about which something is to be decided, or of which the ledger watches files.
    pub folders: Vec<FolderBatch>,
    /// Every folder that is there.
    pub listed: HashSet<FolderId>,
}

/// What is known of one folder.
pub struct FolderBatch {
    /// Its id.
    pub id: FolderId,
    /// Its name.
    pub name: FolderName,
    /// What its counts are worth.
    pub worth: Worth,
    /// Its files by status.
    pub counts: ByStatus<u64>,
    /// What its last count found; none when it was not counted yet.
    pub findings: Option<Arc<Findings>>,
}

/// What a count of a folder found, as far as reindexing needs it.
#[derive(Debug)]
pub struct Findings {
    /// When the count began.
    pub began: Timestamp,
    /// The failed files that were read.
    pub failed: Vec<FailedFile>,
    /// Whether these are all.
    pub failed_whole: bool,
    /// A page that showed a failed file.
    pub failed_page: Option<PageRequest>,
    /// How the files were seen that the ledger watches.
    pub watched: FileMap<Seen>,
}

impl Batch {
    /// The folder of that id.
    #[must_use]
    pub fn folder(&self, id: FolderId) -> Option<&FolderBatch> {
        self.folders.iter().find(|folder| folder.id == id)
    }

    /// The rules of a folder.
    #[must_use]
    pub fn rules(&self, folder: &FolderBatch) -> &ReindexRules {
        self.reindex.for_folder(folder.id, folder.name.label())
    }

    /// What is decided about a folder from.
    pub(super) fn case<'a>(
        &'a self,
        folder: &'a FolderBatch,
        kill_switch: bool,
        clock_trusted: bool,
    ) -> Case<'a> {
        let failed = match &folder.findings {
            Some(findings) if findings.failed_whole => Failed::Whole(&findings.failed),
            Some(findings) => Failed::Part(&findings.failed),
            None => Failed::Part(&[]),
        };
        Case {
            folder: folder.id,
            rules: self.rules(folder),
            zone: self.zone,
            kill_switch,
            clock_trusted,
            portal_erring: self.portal_erring,
            counts_are: folder.worth,
            counts: folder.counts,
            failed,
        }
    }
}

impl Findings {
    /// How a file was seen.
    #[must_use]
    pub fn seen(&self, key: FileKey) -> Seen {
        self.watched.get(&key).copied().unwrap_or(Seen::Unread)
    }
}
