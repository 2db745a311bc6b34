//! The read of a folder that is under way.

use std::collections::HashSet;
use std::sync::Arc;

use crate::collect::folder_read::ReadStatus;
use crate::model::FileKey;

#[derive(Debug)]
pub(in crate::collect) enum ReadUnderWay {
    Queued,
    Started {
        /// The files that the ledger watched then.
        watched: Arc<HashSet<FileKey>>,
        status: Arc<ReadStatus>,
    },
}

impl ReadUnderWay {
    pub fn has_begun(&self) -> bool {
        self.status().is_some_and(ReadStatus::has_begun)
    }

    pub fn status(&self) -> Option<&ReadStatus> {
        match self {
            Self::Queued => None,
            Self::Started { status, .. } => Some(status),
        }
    }
}
