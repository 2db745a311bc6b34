//! What a collection submits to the reindexer: the failed files of each folder, and what became of those that are
//! watched.

use std::collections::HashSet;
use std::sync::Arc;

use crate::collect::Collector;
use crate::collect::folder::Folder;
use crate::collect::run::Run;
use crate::ledger::ActiveMode;
use crate::model::{FileKey, FolderId};
use crate::policy::Worth;
use crate::reindex::{FolderFindings, PortalFindings};
use crate::snapshot::FolderState;

impl Collector {
    /// The files of a folder about which the ledger wants to know.
    pub(super) fn watched(&self, folder: FolderId) -> Arc<HashSet<FileKey>> {
        let reindexing = self.dependencies.reindexing.as_ref();
        let Some(ledger) = reindexing.and_then(|reindexing| reindexing.ledger.view().ok()) else {
            return Arc::default();
        };
        let attempts = ledger.track(ActiveMode::Enforce).unjudged();
        let attempts = attempts.filter(|attempt| attempt.folder == folder);
        let sent = attempts.filter_map(|attempt| attempt.watched());
        let mut watched: HashSet<FileKey> = sent.flat_map(|files| files.keys().copied()).collect();
        let book = ledger.folder(folder);
        watched.extend(book.into_iter().flat_map(|book| book.tries.keys()));
        Arc::new(watched)
    }

    /// Hands on what a collection found.
    pub(super) fn submit_findings(&self, run: &Run) {
        let Some(reindexing) = &self.dependencies.reindexing else {
            return;
        };
        let there = self.folders.values().filter(|folder| folder.is_there());
        let findings = PortalFindings {
            session: run.session.clone(),
            portal_erring: self.list.trouble().is_some() || run.failed > run.counted,
            stale_after: self.stale_after(),
            folders: there.map(folder_findings).collect(),
        };
        reindexing.findings.send_replace(Some(Arc::new(findings)));
    }
}

impl Collector {
    /// Takes folders that are not there any more out of what was submitted, and names the others as the list does now. Nothing is
    /// decided anew for that.
    pub(super) fn amend_findings(&self) {
        let Some(reindexing) = &self.dependencies.reindexing else {
            return;
        };
        let name_of = |id| {
            let folder = self.folders.get(&id).filter(|folder| folder.is_there());
            folder.map(|folder| &folder.view.name)
        };
        reindexing.findings.send_if_modified(|findings| {
            if let Some(amended) = findings
                .as_ref()
                .and_then(|findings| findings.amended(name_of))
            {
                *findings = Some(Arc::new(amended));
            }
            false
        });
    }
}

fn folder_findings(folder: &Folder) -> FolderFindings {
    let view = &folder.view;
    let counts = view.counts.as_deref();
    FolderFindings {
        id: view.id,
        name: view.name.clone(),
        worth: match counts {
            Some(counts) if view.state == FolderState::Counted && counts.consistent => {
                if folder.times_counted < 2 {
                    Worth::First
                } else {
                    Worth::Whole
                }
            }
            _ => Worth::NotWhole,
        },
        counted: counts.map(|counts| counts.counted),
        counts: counts.map(|counts| counts.files).unwrap_or_default(),
        findings: folder.findings.clone(),
    }
}
