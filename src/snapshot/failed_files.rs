//! The failed files of a folder.

use crate::model::{FileKey, FileMap, Timestamp};
use crate::policy::FailedFile;
use crate::policy::judge::Observation;
use crate::portal::PageRequest;

/// The failed files of a folder by its last count, and how the files were seen that the ledger watches. Times are by the clock of the ledger.
#[derive(Debug, Clone)]
pub struct FailedFiles {
    /// When the read began.
    pub began: Timestamp,
    pub files: Vec<FailedFile>,
    /// Whether these are all failed files of the folder.
    pub are_all: bool,
    /// A page that showed one of them.
    pub page: Option<PageRequest>,
    pub watched: FileMap<Observation>,
}

impl FailedFiles {
    /// How the read saw a file that the ledger watches.
    pub fn observation(&self, key: FileKey) -> Observation {
        let seen = self.watched.get(&key);
        seen.copied().unwrap_or(Observation::Unread)
    }
}
