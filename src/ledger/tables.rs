//! The rows of the tables, and the attempts that they stand for.

use std::sync::Arc;
use std::time::Duration;

use crate::classify::Class;
use crate::ledger::attempt::{Attempt, ClassResult, Judged, SentFile};
use crate::ledger::attempt_id::AttemptId;
use crate::ledger::error::LedgerError;
use crate::ledger::folder::MAX_NUMBER;
use crate::ledger::outcome::{StateCounts, Verdict};
use crate::ledger::view::LedgerView;
use crate::model::{
    FileMap, FolderId, FolderName, Lost, Outcome, PortalAddress, PortalName, Timestamp,
};
use crate::sql::{Json, columns, record, text_column};

text_column!(PortalName, ToString::to_string, PortalName::new);

record! {
    /// The one row of the table `ledger`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) struct LedgerRow {
        created: Timestamp,
        /// By how many milliseconds all times were moved forward because the clock was set.
        moved: i64,
        /// When the clock was last found set.
        clock_set: Option<Timestamp>,
    }
}

record! {
    pub(super) struct PortalRow {
        address: PortalAddress,
        met: Timestamp,
        /// How often the portal was written.
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
    /// An attempt without the columns that are null until something happened.
    pub(super) struct AttemptRow {
        id: i64,
        folder: i64,
        /// The configured name under which the portal was asked.
        portal: PortalName,
        is_trial: bool,
        intended: Timestamp,
        files: u64,
        classes: Json<Vec<ClassColumns>>,
    }
}

record! {
    pub(super) struct OutcomeRow {
        answered: Timestamp,
        outcome: String,
        updated: Option<u64>,
        status: Option<u16>,
        why: Option<String>,
        retry_after: Option<u64>,
    }
}

record! {
    pub(super) struct JudgedRow {
        judged: Timestamp,
        verdict: Verdict,
        file_states: Json<StateCounts>,
    }
}

/// All columns of an attempt but its version.
pub(super) type AttemptRows = (AttemptRow, (Option<OutcomeRow>, Option<JudgedRow>));

/// The columns of an attempt in the folder with a number.
pub(super) fn attempt_rows(attempt: &Attempt, folder: i64) -> AttemptRows {
    let row = AttemptRow {
        id: attempt.id.get(),
        folder,
        portal: attempt.portal.clone(),
        is_trial: attempt.is_trial,
        intended: attempt.intended,
        files: attempt.files,
        classes: Json(class_columns(&attempt.classes)),
    };
    let outcome = attempt.outcome;
    let outcome = outcome.map(|(answered, outcome)| OutcomeRow::new(answered, outcome));
    let judged = attempt.judged.map(|judged| JudgedRow {
        judged: judged.at,
        verdict: judged.verdict,
        file_states: Json(judged.files),
    });
    (row, (outcome, judged))
}

/// The attempt in a folder of a portal. `files` are those that the table `sent` has of it.
pub(super) fn attempt(
    (row, (outcome, judged)): AttemptRows,
    folder: FolderId,
    files: FileMap<SentFile>,
) -> Result<Attempt, LedgerError> {
    let outcome = outcome.map(OutcomeRow::outcome).transpose()?;
    let nothing_queued = outcome.is_some_and(|(_, outcome)| !outcome.is_charged());
    let over = nothing_queued || judged.is_some();
    let Json(classes) = row.classes;
    Ok(Attempt {
        id: AttemptId::new(row.id),
        portal: row.portal,
        folder,
        is_trial: row.is_trial,
        intended: row.intended,
        files: row.files,
        classes: classes.into_iter().map(class_result).collect(),
        outcome,
        watched: (!over).then(|| Arc::new(files)),
        judged: judged.map(|row| Judged {
            at: row.judged,
            verdict: row.verdict,
            files: row.file_states.0,
        }),
    })
}

impl OutcomeRow {
    fn new(answered: Timestamp, outcome: Outcome) -> Self {
        let (updated, status, why, retry_after) = match outcome {
            Outcome::NotSent => (None, None, None, None),
            Outcome::Accepted { updated } => (Some(updated), None, None, None),
            Outcome::Refused {
                status,
                retry_after,
            } => (None, Some(status), None, retry_after),
            Outcome::Unknown { why } => (None, why.status(), Some(why), None),
        };
        Self {
            answered,
            outcome: outcome.as_str().to_owned(),
            updated: updated.map(|updated| updated.min(MAX_NUMBER)),
            status,
            why: why.map(|why| why.as_str().to_owned()),
            retry_after: retry_after.map(|wait| wait.as_secs().min(MAX_NUMBER)),
        }
    }

    fn outcome(self) -> Result<(Timestamp, Outcome), LedgerError> {
        let why = self.why.as_deref();
        let why = why.and_then(|why| Lost::from_word(why, self.status));
        let outcome = match (self.outcome.as_str(), self.updated, self.status, why) {
            ("not_sent", ..) => Outcome::NotSent,
            ("accepted", Some(updated), ..) => Outcome::Accepted { updated },
            ("unknown", .., Some(why)) => Outcome::Unknown { why },
            ("refused", _, Some(status), _) => Outcome::Refused {
                status,
                retry_after: self.retry_after.map(Duration::from_secs),
            },
            _ => return Err(LedgerError::content("the outcome of an attempt")),
        };
        Ok((self.answered, outcome))
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
