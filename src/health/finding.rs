//! What can be wrong, or new, and how bad it is.

use crate::model::label_values;

use super::Status;

/// How much a finding matters. The order is from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It explains what is shown.
    Info,
    /// Somebody may have something to do.
    Notice,
    Warn,
    Fail,
}

label_values! {
    /// The kinds of findings, the most urgent first, each with the alert whose section of the runbook says what to do.
    pub enum Kind {
        /// The list of folders cannot be read.
        PortalUnreadable = "KbPortalUnreadable",
        /// Nothing is counted, because the state cannot be used.
        StateUnusable = "KbExporterDown",
        /// Counters or reindexing stand still, a task panicked, or a changed configuration is not in use.
        ExporterProblem = "KbExporterProblem",
        /// Most files of a portal fail.
        MostFail = "KbPortalFailing",
        FoldersUnwatched = "KbFoldersUnwatched",
        FolderUnreadable = "KbFolderUnreadable",
        /// The last count is withdrawn, because it is too old.
        Stale = "KbCollectionStale",
        /// The counts may be wrong.
        Marked = "KbCountsInconsistent",
        /// The list, or a folder, was not read yet.
        Unread = "KbCollectionStale",
        Failed = "KbFailedSpike",
        Flagged = "KbFlaggedSpike",
        /// Another process reads the portal.
        Standby = "KbExporterDown",
        /// The folder was deleted, or is no longer in the list.
        Left = "KbFolderUnreadable",
        Remark = "KbCollectionStale",
    }
}

impl Kind {
    /// Its section of the runbook, where there is something to do.
    pub fn section(self) -> Option<String> {
        let is_needed = !matches!(self, Self::Remark | Self::Standby | Self::Unread);
        is_needed.then(|| self.as_str().to_lowercase())
    }

    pub const fn severity(self) -> Severity {
        match self {
            Self::PortalUnreadable | Self::StateUnusable => Severity::Fail,
            Self::ExporterProblem
            | Self::MostFail
            | Self::FoldersUnwatched
            | Self::FolderUnreadable
            | Self::Stale
            | Self::Marked
            | Self::Unread => Severity::Warn,
            Self::Failed | Self::Flagged | Self::Standby => Severity::Notice,
            Self::Left | Self::Remark => Severity::Info,
        }
    }

    /// What it means for `/health`, which judges whether portals and folders are counted, whatever their files are like.
    pub const fn status(self) -> Status {
        match self.severity() {
            Severity::Fail => Status::Fail,
            Severity::Warn if !matches!(self, Self::MostFail) => Status::Warn,
            Severity::Warn | Severity::Notice | Severity::Info => Status::Pass,
        }
    }

    /// Whether something is not counted, or not as configured.
    pub const fn is_incomplete(self) -> bool {
        !matches!(self.status(), Status::Pass) && !matches!(self, Self::Marked)
    }

    /// Whether a folder is not counted.
    pub const fn is_uncounted(self) -> bool {
        matches!(
            self,
            Self::FolderUnreadable | Self::Stale | Self::Unread | Self::Left
        )
    }
}

/// Something that is wrong with a portal or a folder, or new in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub kind: Kind,
    /// What it is, since when and why, for people. It does not name the portal or the folder.
    pub sentence: String,
    /// The files that it is about.
    pub files: u64,
}

impl Finding {
    pub(super) fn new(kind: Kind, sentence: impl Into<String>) -> Self {
        Self {
            kind,
            sentence: sentence.into(),
            files: 0,
        }
    }
}
