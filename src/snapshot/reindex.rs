//! What is decided about reindexing in one portal.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ledger::LedgerView;
use crate::model::FolderId;
use crate::policy::{Numbers, Reason};

/// What is decided about reindexing in one portal.
#[derive(Debug, Clone)]
pub struct ReindexView {
    /// Each folder as of the last collection.
    pub folders: BTreeMap<FolderId, FolderReindex>,
    /// What was attempted, or why that is not known.
    pub ledger: Result<Arc<LedgerView>, String>,
    /// Whether the file that stops everything exists, or cannot be looked at.
    pub kill_switch: bool,
}

/// What is decided about one folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderReindex {
    /// Why something is, or is not, attempted.
    pub reason: Reason,
    /// What it was decided from.
    pub numbers: Numbers,
}
