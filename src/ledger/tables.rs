//! The rows of the tables, and the attempts that they stand for.

use std::sync::Arc;
use std::time::Duration;

use crate::classify::Class;
use crate::ledger::attempt::{Attempt, ClassResult, Judged, SentFile};
use crate::ledger::error::LedgerError;
use crate::ledger::folder::MAX_NUMBER;
use crate::ledger::mode::{ActiveMode, AttemptId};
use crate::ledger::outcome::{Lost, Outcome, StateCounts, Verdict};
use crate::ledger::view::LedgerView;
use crate::model::{FileMap, FolderId, FolderName, PortalAddress, PortalName, Timestamp};
use crate::sql::{Json, columns, record, text_column};

text_column!(Class, |class| class.as_str().to_owned(), |label| Some(
    Class::from_label(label)
));

record! {
    /// The one row of the table `ledger`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) struct LedgerRow {
        created: Timestamp,
        /// By how many milliseconds all times were moved forward because the clock was set.
        moved: Option<i64>,
        /// When the clock was last found set.
        clock_set: Option<Timestamp>,
    }
}

record! {
    pub(super) struct PortalRow {
        address: PortalAddress,
        met: Timestamp,
        /// How often what is known of the portal was written.
        version: i64,
        /// The version at which something was last removed.
        removed: i64,
    }
}

impl PortalRow {
    pub fn new(portal: &PortalAddress, view: &LedgerView) -> Self {
        Self {
            address: portal.clone(),
            met: view.met,
            version: view.version,
            removed: view.removed,
        }
    }
}

record! {
    /// The version of the portal at which a row was last written.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct VersionRow {
        version: i64,
    }
}

record! {
    /// A folder without its totals.
    pub(super) struct FolderRow {
        portal: PortalAddress,
        id: FolderId,
        name: FolderName,
        unseen_since: Option<Timestamp>,
    }
}

record! {
    /// A class without its totals.
    pub(super) struct ClassRow {
        portal: PortalAddress,
        name: Class,
    }
}

record! {
    /// A file of a folder, without its key.
    pub(super) struct TriesRow {
        /// The number of the folder.
        folder: i64,
        attempts: u32,
    }
}

columns!(SentFile { state, class, name });

record! {
    /// A file of an attempt that is not judged, without its key and the columns of [`SentFile`].
    pub(super) struct SentRow {
        attempt: i64,
    }
}

record! {
    pub(super) struct AttemptRow {
        id: i64,
        /// The number of the folder.
        folder: i64,
        /// The configured name under which the portal was asked; before version 4 it was in the folder.
        portal: Option<String>,
        mode: ActiveMode,
        intended: Timestamp,
        files: u64,
        outcome: Option<String>,
        answered: Option<Timestamp>,
        updated: Option<u64>,
        status: Option<u16>,
        why: Option<String>,
        /// In seconds.
        retry_after: Option<u64>,
        verdict: Option<Verdict>,
        judged: Option<Timestamp>,
        file_states: Option<Json<StateCounts>>,
        classes: Option<Json<Vec<ClassColumns>>>,
    }
}

impl AttemptRow {
    pub fn new(attempt: &Attempt, folder: i64) -> Self {
        let (answered, outcome) = attempt.outcome.unzip();
        let judged = attempt.judged;
        let (updated, status, why, retry_after) = match outcome {
            None => (None, None, None, None),
            Some(Outcome::Accepted { updated }) => (Some(updated), None, None, None),
            Some(Outcome::Refused {
                status,
                retry_after,
            }) => (None, Some(status), None, retry_after),
            Some(Outcome::Unknown { why }) => (None, why.status(), Some(why), None),
        };
        Self {
            id: attempt.id.get(),
            folder,
            portal: Some(attempt.portal.as_str().to_owned()),
            mode: attempt.mode,
            intended: attempt.intended,
            files: attempt.files,
            outcome: outcome.map(|outcome| outcome.as_str().to_owned()),
            answered,
            updated: updated.map(|updated| updated.min(MAX_NUMBER)),
            status,
            why: why.map(|why| why.as_str().to_owned()),
            retry_after: retry_after.map(|wait| wait.as_secs().min(MAX_NUMBER)),
            verdict: judged.map(|judged| judged.verdict),
            judged: judged.map(|judged| judged.at),
            file_states: judged.map(|judged| Json(judged.files)),
            classes: (!attempt.classes.is_empty()).then(|| Json(class_columns(&attempt.classes))),
        }
    }

    /// The attempt, in a folder of a portal. `files` are those that the table `sent` has of it.
    pub fn attempt(
        self,
        portal: &PortalAddress,
        folder: FolderId,
        files: FileMap<SentFile>,
    ) -> Result<Attempt, LedgerError> {
        let name = self.portal.as_deref().unwrap_or(portal.as_str());
        let portal = PortalName::new(name);
        let (outcome, judged) = (self.outcome()?, self.judged()?);
        let refused = matches!(outcome, Some((_, Outcome::Refused { .. })));
        let over = self.mode == ActiveMode::DryRun || refused || judged.is_some();
        let classes = self.classes.map_or_else(Vec::new, |Json(classes)| classes);
        Ok(Attempt {
            id: AttemptId::new(self.id),
            portal: portal.ok_or(LedgerError::content("the name of a portal"))?,
            folder,
            mode: self.mode,
            intended: self.intended,
            files: self.files,
            classes: classes.into_iter().map(class_result).collect(),
            outcome,
            watched: (!over).then(|| Arc::new(files)),
            judged,
        })
    }

    fn outcome(&self) -> Result<Option<(Timestamp, Outcome)>, LedgerError> {
        let Some(word) = &self.outcome else {
            return Ok(None);
        };
        let why = self.why.as_deref();
        let why = why.and_then(|why| Lost::from_word(why, self.status));
        let outcome = match (word.as_str(), self.updated, self.status, why) {
            ("accepted", Some(updated), ..) => Outcome::Accepted { updated },
            ("unknown", .., Some(why)) => Outcome::Unknown { why },
            ("refused", _, Some(status), _) => Outcome::Refused {
                status,
                retry_after: self.retry_after.map(Duration::from_secs),
            },
            _ => return Err(LedgerError::content("the outcome of an attempt")),
        };
        let missing = LedgerError::content("when an attempt was answered");
        Ok(Some((self.answered.ok_or(missing)?, outcome)))
    }

    fn judged(&self) -> Result<Option<Judged>, LedgerError> {
        match (self.judged, self.verdict, &self.file_states) {
            (None, ..) => Ok(None),
            (Some(at), Some(verdict), Some(Json(files))) if self.outcome.is_some() => {
                let files = *files;
                Ok(Some(Judged { at, verdict, files }))
            }
            _ => Err(LedgerError::content("the verdict on an attempt")),
        }
    }
}

/// The class, files sent, recovered, failed again.
type ClassColumns = (String, u64, u64, u64);

fn class_columns(results: &[ClassResult]) -> Vec<ClassColumns> {
    let columns = results.iter().map(|result| {
        let class = result.class.as_str().to_owned();
        (class, result.sent, result.recovered, result.refailed)
    });
    columns.collect()
}

fn class_result((label, sent, recovered, refailed): ClassColumns) -> ClassResult {
    ClassResult {
        class: Class::from_label(&label),
        sent,
        recovered,
        refailed,
    }
}
