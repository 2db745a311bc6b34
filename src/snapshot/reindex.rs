//! The decisions about reindexing in one portal.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::attempts::Book;
use crate::model::FolderId;
use crate::policy::Decision;

/// The decisions about reindexing in one portal.
#[derive(Debug, Clone)]
pub struct ReindexView {
    /// The latest decision about each folder whose mode is not off.
    pub decisions: BTreeMap<FolderId, Decision>,
    /// The attempts, or why they are not known.
    pub book: Result<Arc<Book>, String>,
    /// Why something could not be written to the ledger, if so.
    pub write_error: Option<String>,
}

impl ReindexView {
    /// Why the ledger cannot be used or written, if so.
    pub fn refusal(&self) -> Option<&str> {
        let error = self.book.as_ref().err();
        error.or(self.write_error.as_ref()).map(String::as_str)
    }
}
