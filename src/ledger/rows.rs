//! Rows of the tables, and what they stand for.

use std::sync::Arc;

use rusqlite::{Row, ToSql};

use crate::ledger::attempt::{ActiveMode, Answered, Attempt, AttemptId, Course};
use crate::ledger::error::LedgerError;
use crate::ledger::outcome::{FileState, Lost, Outcome, StateCounts, Verdict};
use crate::ledger::view::Totals;
use crate::model::{FileKey, FileMap, FolderId, Timestamp};

/// A number of the file: SQLite's are signed.
pub(super) fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number from the file, never below 0.
pub(super) fn loaded(row: &Row<'_>, column: &str) -> Result<u64, LedgerError> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| LedgerError::Content("a number below 0"))
}

/// A time from the file.
pub(super) fn time(row: &Row<'_>, column: &str) -> Result<Option<Timestamp>, LedgerError> {
    let millis: Option<i64> = row.get(column)?;
    Ok(millis.map(Timestamp::from_millis))
}

/// The columns `link` and `id`.
pub(super) fn key(row: &Row<'_>) -> Result<FileKey, LedgerError> {
    Ok(FileKey {
        link: u128::from_be_bytes(row.get("link")?),
        id: u128::from_be_bytes(row.get("id")?),
    })
}

/// The counters of a folder.
pub(super) fn totals(row: &Row<'_>) -> Result<Totals, LedgerError> {
    Ok(Totals {
        accepted: loaded(row, "accepted")?,
        refused: loaded(row, "refused")?,
        unknown: loaded(row, "unknown")?,
        requeued: loaded(row, "requeued")?,
        recovered: loaded(row, "recovered")?,
        partial: loaded(row, "partial")?,
        none: loaded(row, "none")?,
        inconclusive: loaded(row, "inconclusive")?,
        files_recovered: loaded(row, "files_recovered")?,
        files_refailed: loaded(row, "files_refailed")?,
    })
}

/// The values of an attempt's columns, in the order of [`ATTEMPT_COLUMNS`].
pub(super) struct AttemptRow([Box<dyn ToSql>; 12]);

/// What [`AttemptRow`] writes, beside the folder.
pub(super) const ATTEMPT_COLUMNS: &str = "id, mode, intended, files, outcome, answered, updated, status, why, verdict, judged, file_states";

impl AttemptRow {
    pub fn new(attempt: &Attempt) -> Self {
        let outcome = attempt.outcome();
        let (updated, status, why) = match outcome.map(|(_, outcome)| outcome) {
            None => (None, None, None),
            Some(Outcome::Accepted { updated }) => (Some(stored(updated)), None, None),
            Some(Outcome::Refused { status }) => (None, Some(status), None),
            Some(Outcome::Unknown { why }) => match why {
                Lost::Status(status) => (None, Some(status), Some(why.as_str())),
                _ => (None, None, Some(why.as_str())),
            },
        };
        let judged = attempt.verdict();
        Self([
            Box::new(attempt.id.get()),
            Box::new(attempt.mode().as_str()),
            Box::new(attempt.intended.as_millis()),
            Box::new(stored(attempt.files)),
            Box::new(outcome.map(|(_, outcome)| outcome.as_str())),
            Box::new(outcome.map(|(at, _)| at.as_millis())),
            Box::new(updated),
            Box::new(status),
            Box::new(why),
            Box::new(judged.map(|(_, verdict)| verdict.as_str())),
            Box::new(judged.map(|(at, _)| at.as_millis())),
            Box::new(judged.map(|_| file_states(&attempt.file_states()))),
        ])
    }

    pub fn values(&self) -> impl Iterator<Item = &dyn ToSql> {
        self.0.iter().map(AsRef::as_ref)
    }
}

fn file_states(states: &StateCounts) -> String {
    let counts: Vec<String> = states.iter().map(|(_, files)| files.to_string()).collect();
    format!("[{}]", counts.join(","))
}

/// Reads an attempt. `files` are those whose fate is watched.
pub(super) fn attempt(
    row: &Row<'_>,
    folder: FolderId,
    files: FileMap<FileState>,
) -> Result<Attempt, LedgerError> {
    Ok(Attempt {
        id: AttemptId::new(row.get("id")?),
        folder,
        intended: Timestamp::from_millis(row.get("intended")?),
        files: loaded(row, "files")?,
        course: course(row, files)?,
    })
}

fn course(row: &Row<'_>, files: FileMap<FileState>) -> Result<Course, LedgerError> {
    let mode: String = row.get("mode")?;
    if mode == ActiveMode::DryRun.as_str() {
        return Ok(Course::Rehearsed);
    }
    if mode != ActiveMode::Enforce.as_str() {
        return Err(LedgerError::Content("the mode of an attempt"));
    }
    let files = Arc::new(files);
    let Some((at, outcome)) = outcome(row)? else {
        return Ok(Course::Intended { files });
    };
    let updated = match outcome {
        Outcome::Refused { status } => return Ok(Course::Refused { at, status }),
        Outcome::Accepted { updated } => Ok(updated),
        Outcome::Unknown { why } => Err(why),
    };
    let answered = Answered { at, updated };
    let Some(judged) = time(row, "judged")? else {
        return Ok(Course::Watched { answered, files });
    };
    let word: String = row.get("verdict")?;
    Ok(Course::Judged {
        answered,
        at: judged,
        verdict: Verdict::from_word(&word).ok_or(LedgerError::Content("a verdict"))?,
        files: read_file_states(&row.get::<_, String>("file_states")?)?,
    })
}

fn outcome(row: &Row<'_>) -> Result<Option<(Timestamp, Outcome)>, LedgerError> {
    let word: Option<String> = row.get("outcome")?;
    let Some(word) = word else {
        return Ok(None);
    };
    let at = time(row, "answered")?.ok_or(LedgerError::Content("when an attempt was answered"))?;
    let outcome = match word.as_str() {
        "accepted" => Outcome::Accepted {
            updated: loaded(row, "updated")?,
        },
        "refused" => Outcome::Refused {
            status: row.get("status")?,
        },
        "unknown" => Outcome::Unknown { why: lost(row)? },
        _ => return Err(LedgerError::Content("what came of an attempt")),
    };
    Ok(Some((at, outcome)))
}

fn lost(row: &Row<'_>) -> Result<Lost, LedgerError> {
    Ok(match row.get::<_, String>("why")?.as_str() {
        "no_answer" => Lost::NoAnswer,
        "status" => Lost::Status(row.get("status")?),
        "unreadable" => Lost::Unreadable,
        "interrupted" => Lost::Interrupted,
        _ => return Err(LedgerError::Content("why an answer is not known")),
    })
}

fn read_file_states(text: &str) -> Result<StateCounts, LedgerError> {
    let counts: [u64; 6] = serde_json::from_str(text)
        .map_err(|_| LedgerError::Content("what became of the files of an attempt"))?;
    Ok(FileState::ALL.into_iter().zip(counts).collect())
}
