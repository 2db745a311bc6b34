//! The rows of the tables, and the attempts that they stand for.

use std::sync::Arc;
use std::time::Duration;

use crate::classify::Class;
use crate::ledger::attempt::{Answered, Attempt, ClassResult, Course, SentFile};
use crate::ledger::error::LedgerError;
use crate::ledger::folder::MAX_NUMBER;
use crate::ledger::mode::{ActiveMode, AttemptId};
use crate::ledger::outcome::{FileState, Lost, Outcome, StateCounts, Verdict};
use crate::model::{FileMap, FolderId, FolderName, PortalAddress, PortalName, Timestamp};
use crate::sqlite::{Json, record, text_column};

text_column!(Class, |class| class.as_str().to_owned(), |label| Some(
    Class::from_label(label)
));

record! {
    /// The one row of the table `ledger`.
    #[derive(Debug, Clone, Copy)]
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

record! {
    /// A file of an attempt that is not judged, without its key.
    pub(super) struct SentRow {
        attempt: i64,
        state: FileState,
        class: Option<Class>,
        name: Option<Arc<str>>,
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
        /// The class, files sent, recovered, failed again.
        classes: Option<Json<Vec<(String, u64, u64, u64)>>>,
    }
}

impl AttemptRow {
    pub fn new(attempt: &Attempt, folder: i64) -> Self {
        let (answered, outcome) = attempt.outcome().unzip();
        let judged = attempt.verdict();
        let mut row = Self {
            id: attempt.id.get(),
            folder,
            portal: Some(attempt.portal.as_str().to_owned()),
            mode: attempt.mode(),
            intended: attempt.intended,
            files: attempt.files,
            outcome: outcome.map(|outcome| outcome.as_str().to_owned()),
            answered,
            updated: None,
            status: None,
            why: None,
            retry_after: None,
            verdict: judged.map(|(_, verdict)| verdict),
            judged: judged.map(|(at, _)| at),
            file_states: judged.map(|_| Json(attempt.file_states())),
            classes: (!attempt.classes.is_empty()).then(|| Json(class_columns(&attempt.classes))),
        };
        match outcome {
            None => {}
            Some(Outcome::Accepted { updated }) => row.updated = Some(updated.min(MAX_NUMBER)),
            Some(Outcome::Refused {
                status,
                retry_after,
            }) => {
                row.status = Some(status);
                row.retry_after = retry_after.map(|wait| wait.as_secs().min(MAX_NUMBER));
            }
            Some(Outcome::Unknown { why }) => {
                row.why = Some(why.as_str().to_owned());
                if let Lost::Status(status) = why {
                    row.status = Some(status);
                }
            }
        }
        row
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
        Ok(Attempt {
            id: AttemptId::new(self.id),
            portal: portal.ok_or(LedgerError::content("the name of a portal"))?,
            folder,
            intended: self.intended,
            files: self.files,
            classes: self.class_results(),
            course: self.course(files)?,
        })
    }

    fn class_results(&self) -> Arc<[ClassResult]> {
        let Some(Json(classes)) = &self.classes else {
            return Arc::default();
        };
        let result = |(label, sent, recovered, refailed): &(String, u64, u64, u64)| ClassResult {
            class: Class::from_label(label),
            sent: *sent,
            recovered: *recovered,
            refailed: *refailed,
        };
        classes.iter().map(result).collect()
    }

    fn course(self, files: FileMap<SentFile>) -> Result<Course, LedgerError> {
        let files = Arc::new(files);
        if self.mode == ActiveMode::DryRun {
            return Ok(Course::Rehearsed);
        }
        let Some(outcome) = self.outcome else {
            return Ok(Course::Intended { files });
        };
        let missing = LedgerError::content("when an attempt was answered");
        let at = self.answered.ok_or(missing)?;
        let lost = self.why.and_then(|why| Lost::from_word(&why, self.status));
        let updated = match (outcome.as_str(), self.updated, self.status, lost) {
            ("accepted", Some(updated), ..) => Ok(updated),
            ("unknown", .., Some(why)) => Err(why),
            ("refused", _, Some(status), _) => {
                return Ok(Course::Refused {
                    at,
                    status,
                    retry_after: self.retry_after.map(Duration::from_secs),
                });
            }
            _ => return Err(LedgerError::content("the outcome of an attempt")),
        };
        let answered = Answered { at, updated };
        match (self.judged, self.verdict, self.file_states) {
            (None, ..) => Ok(Course::Watched { answered, files }),
            (Some(at), Some(verdict), Some(Json(files))) => Ok(Course::Judged {
                answered,
                at,
                verdict,
                files,
            }),
            _ => Err(LedgerError::content("the verdict on an attempt")),
        }
    }
}

fn class_columns(results: &[ClassResult]) -> Vec<(String, u64, u64, u64)> {
    let columns = results.iter().map(|result| {
        let class = result.class.as_str().to_owned();
        (class, result.sent, result.recovered, result.refailed)
    });
    columns.collect()
}
