//! Rows of the tables, and what they stand for.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::types::FromSql;
use rusqlite::{Row, ToSql};

use crate::classify::Class;
use crate::ledger::attempt::{Answered, Attempt, ClassFate, Course, SentFile};
use crate::ledger::error::LedgerError;
use crate::ledger::forgive::Forgiven;
use crate::ledger::mode::{ActiveMode, AttemptId};
use crate::ledger::outcome::{FileState, Lost, Outcome, StateCounts, Verdict};
use crate::ledger::view::Totals;
use crate::model::{FileKey, FileMap, FolderId, PortalAddress, PortalName, Timestamp};

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
pub(super) struct AttemptRow([Box<dyn ToSql>; 15]);

/// What [`AttemptRow`] writes, beside the folder.
pub(super) const ATTEMPT_COLUMNS: &str = "id, mode, intended, files, outcome, answered, updated, status, why, verdict, judged, file_states, classes, retry_after, portal";

impl AttemptRow {
    pub fn new(attempt: &Attempt) -> Self {
        let outcome = attempt.outcome();
        let (updated, status, why) = match outcome.map(|(_, outcome)| outcome) {
            None => (None, None, None),
            Some(Outcome::Accepted { updated }) => (Some(stored(updated)), None, None),
            Some(Outcome::Refused { status, .. }) => (None, Some(status), None),
            Some(Outcome::Unknown { why }) => match why {
                Lost::Status(status) => (None, Some(status), Some(why.as_str())),
                _ => (None, None, Some(why.as_str())),
            },
        };
        let retry_after = match outcome {
            Some((_, Outcome::Refused { retry_after, .. })) => retry_after,
            _ => None,
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
            Box::new(class_fates(&attempt.classes)),
            Box::new(retry_after.map(|wait| stored(wait.as_secs()))),
            Box::new(attempt.portal.as_str().to_owned()),
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

/// The fates of the classes as a JSON array of arrays: the class, files sent, come back, failed again.
fn class_fates(fates: &[ClassFate]) -> Option<String> {
    let rows: Vec<_> = fates
        .iter()
        .map(|fate| {
            (
                fate.class.as_str(),
                fate.sent,
                fate.recovered,
                fate.refailed,
            )
        })
        .collect();
    // What can be written as JSON is.
    (!rows.is_empty()).then(|| serde_json::to_string(&rows).unwrap_or_default())
}

fn read_class_fates(text: &str) -> Result<Arc<[ClassFate]>, LedgerError> {
    let rows: Vec<(String, u64, u64, u64)> = serde_json::from_str(text)
        .map_err(|_| LedgerError::Content("what became of the classes of an attempt"))?;
    let fates = rows
        .into_iter()
        .map(|(name, sent, recovered, refailed)| ClassFate {
            class: class(&name),
            sent,
            recovered,
            refailed,
        });
    Ok(fates.collect())
}

/// The class that a label stands for.
pub(super) fn class(label: &str) -> Class {
    let words = [Class::Unspecified, Class::Other, Class::Unread];
    let word = words.into_iter().find(|word| word.as_str() == label);
    word.unwrap_or_else(|| Class::Text(label.into()))
}

/// What people took back.
pub(super) fn forgiven(kind: &str, target: Option<&str>) -> Option<Forgiven> {
    Some(match (kind, target) {
        ("everything", None) => Forgiven::Everything,
        ("folder", Some(id)) => Forgiven::Folder(FolderId::parse(id)?),
        ("class", Some(class)) => Forgiven::Class(self::class(class)),
        ("breaker", None) => Forgiven::Breaker,
        ("clock", None) => Forgiven::Clock,
        _ => return None,
    })
}

/// A column that may be null, and that tables of older versions do not have.
pub(super) fn if_there<T: FromSql>(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<T>> {
    match row.get(column) {
        Err(rusqlite::Error::InvalidColumnName(_)) => Ok(None),
        value => value,
    }
}

/// A file that was sent.
pub(super) fn sent_file(row: &Row<'_>) -> Result<SentFile, LedgerError> {
    let word: String = row.get("state")?;
    let label: Option<String> = if_there(row, "class")?;
    let name: Option<String> = if_there(row, "name")?;
    Ok(SentFile {
        state: FileState::from_word(&word).ok_or(LedgerError::Content("a file's state"))?,
        class: label.map(|label| class(&label)),
        name: name.map(Arc::from),
    })
}

/// Reads an attempt in a folder of a portal. `files` are those whose fate is watched.
pub(super) fn attempt(
    row: &Row<'_>,
    portal: &PortalAddress,
    folder: FolderId,
    files: FileMap<SentFile>,
) -> Result<Attempt, LedgerError> {
    let classes: Option<String> = if_there(row, "classes")?;
    // Before version 4 the folder's portal was a name.
    let name = if_there::<String>(row, "portal")?;
    let name = PortalName::new(name.as_deref().unwrap_or(portal.as_str()));
    Ok(Attempt {
        id: AttemptId::new(row.get("id")?),
        portal: name.ok_or(LedgerError::Content("the name of a portal"))?,
        folder,
        intended: Timestamp::from_millis(row.get("intended")?),
        files: loaded(row, "files")?,
        classes: classes.map_or_else(|| Ok(Arc::default()), |text| read_class_fates(&text))?,
        course: course(row, files)?,
    })
}

fn course(row: &Row<'_>, files: FileMap<SentFile>) -> Result<Course, LedgerError> {
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
        Outcome::Refused {
            status,
            retry_after,
        } => {
            return Ok(Course::Refused {
                at,
                status,
                retry_after,
            });
        }
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
            retry_after: if_there::<i64>(row, "retry_after")?
                .and_then(|seconds| Some(Duration::from_secs(seconds.try_into().ok()?))),
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
