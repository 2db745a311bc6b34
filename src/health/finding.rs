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
    /// The kinds of findings, the most urgent first, each with the section of the runbook that says what to do, if there is something to do.
    pub enum Kind {
        /// The list of folders cannot be read.
        PortalUnreadable = "kbportalunreadable",
        /// Nothing is counted, because the state cannot be used.
        StateUnusable = "kbexporterdown",
        /// Counters or reindexing stand still, a task panicked, or a changed configuration is not in use.
        ExporterProblem = "kbexporterproblem",
        /// Most files of a portal fail.
        MostFail = "kbportalfailing",
        FoldersUnwatched = "kbfoldersunwatched",
        FolderUnreadable = "kbfolderunreadable",
        /// The last count is withdrawn, because it is too old.
        Stale = "kbcollectionstale",
        /// The counts may be wrong.
        Marked = "kbcountsinconsistent",
        /// The list, or a folder, was not read yet.
        Unread = "",
        Failed = "kbfailedspike",
        Flagged = "kbflaggedspike",
        /// The portal sends a status that this program does not know.
        UnknownStatus = "kbstatusunknown",
        /// Another process reads the portal.
        Standby = "",
        /// The folder was deleted, or is no longer in the list.
        Left = "kbfolderunreadable",
        Remark = "",
    }
}

impl Kind {
    pub const fn severity(self) -> Severity {
        match self {
            Self::PortalUnreadable | Self::StateUnusable => Severity::Fail,
            Self::Failed | Self::Flagged | Self::UnknownStatus | Self::Standby => Severity::Notice,
            Self::Left | Self::Remark => Severity::Info,
            _ => Severity::Warn,
        }
    }

    /// What it means for `/health`, which judges whether portals and folders are counted, whatever their files are like.
    pub const fn status(self) -> Status {
        match (self, self.severity()) {
            (Self::MostFail, _) | (_, Severity::Info | Severity::Notice) => Status::Pass,
            (_, Severity::Warn) => Status::Warn,
            (_, Severity::Fail) => Status::Fail,
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
