//! The input of the reindexer from a collection: the failed files of each folder, and how the watched files were seen.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::sync::watch;

use crate::collect::folder::Folder;
use crate::collect::folders::Folders;
use crate::ledger::{ActiveMode, PortalLedger};
use crate::model::{FileKey, FolderId};
use crate::policy::CountQuality;
use crate::reindex::{FolderFindings, PortalFindings};
use crate::snapshot::FolderState;

/// The reindexer of a portal, as its collector knows it.
pub struct Reindexing {
    /// Receives the results of the latest collection.
    pub findings: watch::Sender<Option<Arc<PortalFindings>>>,
    /// Knows the files that are watched.
    pub ledger: PortalLedger,
}

impl Reindexing {
    /// The files of a folder that the ledger watches.
    pub(super) fn watched(&self, folder: FolderId) -> Arc<HashSet<FileKey>> {
        let Ok(ledger) = self.ledger.view() else {
            return Arc::default();
        };
        let attempts = ledger.track(ActiveMode::Enforce).unjudged();
        let attempts = attempts.filter(|attempt| attempt.folder == folder);
        let sent = attempts.filter_map(|attempt| attempt.watched.as_ref());
        let mut watched: HashSet<FileKey> = sent.flat_map(|files| files.keys().copied()).collect();
        let known = ledger.folder(folder).into_iter();
        watched.extend(known.flat_map(|known| known.file_attempts.keys()));
        Arc::new(watched)
    }

    pub(super) fn submit(&self, findings: PortalFindings) {
        let findings = findings.by_clock(self.ledger.clock_ahead());
        self.findings.send_replace(Some(Arc::new(findings)));
    }

    /// Removes folders that are not there any more from what was submitted, and names the others as the list does now. This causes no
    /// new decision.
    pub(super) fn amend(&self, folders: &Folders) {
        let name_of = |id| {
            let folder = folders.get(id).filter(|folder| folder.is_there());
            folder.map(|folder| &folder.view.name)
        };
        self.findings.send_if_modified(|findings| {
            let amended = findings.as_ref();
            if let Some(amended) = amended.and_then(|findings| findings.amended(name_of)) {
                *findings = Some(Arc::new(amended));
            }
            false
        });
    }
}

/// What a collection found in a folder.
pub(super) fn folder_findings(folder: &Folder) -> FolderFindings {
    let view = &folder.view;
    let counts = view.counts.as_deref();
    FolderFindings {
        id: view.id,
        name: view.name.clone(),
        quality: match counts {
            Some(counts) if view.state == FolderState::Counted && counts.look.consistent => {
                if folder.times_counted < 2 {
                    CountQuality::First
                } else {
                    CountQuality::Usable
                }
            }
            _ => CountQuality::NotWhole,
        },
        counted: counts.map(|counts| counts.counted),
        counts: counts.map(|counts| counts.files).unwrap_or_default(),
        findings: folder.findings.clone(),
    }
}
