//! The results of a collection on which decisions are based.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Moment;
use crate::model::{ByStatus, FileKey, FileMap, FolderId, FolderName, Status, Timestamp};
use crate::policy::judge::Observation;
use crate::policy::{CountQuality, FailedFile, FailedFiles};
use crate::portal::{PageRequest, Session};

/// The results of one collection of a portal. Times are by the clock of the ledger.
pub struct PortalFindings {
    /// The client for the portal; `None` if its list of folders could not be read.
    pub session: Option<Arc<Session>>,
    /// Whether the portal's latest answers were errors.
    pub portal_erring: bool,
    /// Counts that are older are stale.
    pub stale_after: Duration,
    pub folders: Vec<FolderFindings>,
}

/// The facts about one folder.
#[derive(Clone)]
pub struct FolderFindings {
    pub id: FolderId,
    pub name: FolderName,
    /// The quality of its counts when the collection ended.
    pub quality: CountQuality,
    /// When it was last counted; none when it was not.
    pub counted: Option<Moment>,
    pub counts: ByStatus<u64>,
    /// The result of its last count; `None` if it was not counted yet, or nothing is reindexed there.
    pub findings: Option<Arc<CountFindings>>,
}

/// The parts of a count that reindexing needs.
#[derive(Debug, Clone)]
pub struct CountFindings {
    pub began: Timestamp,
    /// The failed files that were read.
    pub failed: Vec<FailedFile>,
    pub failed_whole: bool,
    /// A page that showed a failed file.
    pub failed_page: Option<PageRequest>,
    /// How the files were seen that the ledger watches.
    pub watched: FileMap<Observation>,
}

impl PortalFindings {
    pub fn folder(&self, id: FolderId) -> Option<&FolderFindings> {
        self.folders.iter().find(|folder| folder.id == id)
    }

    /// The same with the folders that still have a name, by that name; `None` if nothing is new.
    pub(crate) fn amended<'a>(
        &self,
        name_of: impl Fn(FolderId) -> Option<&'a FolderName>,
    ) -> Option<Self> {
        let is_new = |folder: &FolderFindings| name_of(folder.id) != Some(&folder.name);
        if !self.folders.iter().any(is_new) {
            return None;
        }
        let amended = self.folders.iter().filter_map(|folder| {
            let name = name_of(folder.id)?.clone();
            Some(FolderFindings {
                name,
                ..folder.clone()
            })
        });
        Some(Self {
            session: self.session.clone(),
            folders: amended.collect(),
            ..*self
        })
    }

    /// The same with times by a clock that is ahead by this number of milliseconds.
    pub fn by_clock(mut self, ahead: i64) -> Self {
        if ahead == 0 {
            return self;
        }
        for folder in &mut self.folders {
            if let Some(counted) = &mut folder.counted {
                counted.wall = counted.wall.moved(ahead);
            }
            if let Some(findings) = &mut folder.findings {
                let findings = Arc::make_mut(findings);
                findings.began = findings.began.moved(ahead);
                for file in &mut findings.failed {
                    file.since = file.since.moved(ahead);
                }
            }
        }
        self
    }

    /// The quality of a folder's counts now.
    pub(super) fn quality(&self, folder: &FolderFindings, now: Moment) -> CountQuality {
        let age = folder.counted.map(|counted| now.since(counted));
        let is_stale = age.is_none_or(|age| age > self.stale_after);
        match folder.quality {
            CountQuality::First | CountQuality::Usable if is_stale => CountQuality::Stale,
            quality => quality,
        }
    }

    /// What was found in a folder, if the latest read counted it and that is not too long ago.
    pub(super) fn found<'a>(
        &self,
        folder: &'a FolderFindings,
        now: Moment,
    ) -> Option<&'a CountFindings> {
        match self.quality(folder, now) {
            CountQuality::NotWhole | CountQuality::Stale => None,
            CountQuality::First | CountQuality::Usable => folder.findings.as_deref(),
        }
    }
}

impl FolderFindings {
    /// The files that wait or are processed.
    pub(super) fn backlog(&self) -> u64 {
        self.counts[Status::Pending].saturating_add(self.counts[Status::Processing])
    }

    /// Whether no file waits or is processed.
    pub(super) fn is_idle(&self) -> bool {
        self.backlog() == 0
    }

    /// The failed files that were read.
    pub(super) fn failed(&self) -> FailedFiles<'_> {
        let findings = self.findings.as_deref();
        FailedFiles {
            files: findings.map_or(&[], |findings| &findings.failed),
            are_all: findings.is_some_and(|findings| findings.failed_whole),
        }
    }
}

impl CountFindings {
    pub fn observation(&self, key: FileKey) -> Observation {
        self.watched
            .get(&key)
            .copied()
            .unwrap_or(Observation::Unread)
    }
}
