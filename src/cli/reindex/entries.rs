//! The entries of the ledger in each form.
//!
//! In the document fields may be added, and none is renamed or removed. Times are RFC 3339; `null` stands for what is not there
//! or not known.

use anyhow::{Context, Result};
use serde::Serialize;

use crate::cli::table::{Cell, Column, Table};
use crate::ledger::{Attempt, Course, Entry, FileState, Lost, Outcome, Verdict};

/// Writes the document.
pub(super) fn json(entries: &[Entry]) -> Result<String> {
    let document = Document {
        attempts: entries.iter().map(Row::of).collect(),
    };
    let text = serde_json::to_string_pretty(&document).context("the document cannot be written")?;
    Ok(text + "\n")
}

/// Writes the table: a row for each attempt.
pub(super) fn table(entries: &[Entry], width: Option<u16>) -> Table {
    let columns = [
        Column::Number("attempt"),
        Column::Id("time"),
        Column::Text("portal"),
        Column::Text("folder"),
        Column::Id("mode"),
        Column::Text("result"),
        Column::Number("charged"),
        Column::Number("requeued"),
        Column::Id("outcome"),
        Column::Number("recovered"),
        Column::Number("refailed"),
        Column::Number("flagged"),
        Column::Number("waiting"),
    ];
    let mut table = Table::new(&columns, width);
    for row in entries.iter().map(Row::of) {
        table.add(row.cells());
    }
    table
}

/// The document.
#[derive(Debug, Serialize)]
struct Document<'a> {
    /// The newest first.
    attempts: Vec<Row<'a>>,
}

/// One attempt.
#[derive(Debug, Serialize)]
struct Row<'a> {
    /// Its number; a later attempt has a greater one.
    id: i64,
    /// When its intent was written.
    time: String,
    portal: &'a str,
    folder_id: String,
    /// The folder's name at its last attempt.
    folder: Option<&'a str>,
    mode: &'static str,
    /// What came of the request.
    result: Progress,
    /// Why that is so, for people.
    reason: Option<String>,
    /// When the portal answered, or was given up.
    answered: Option<String>,
    /// Failed files of the folder as last seen before it.
    files: u64,
    /// Files that the budget is charged for.
    charged: u64,
    /// How many files the portal says it queued.
    requeued: Option<u64>,
    /// The verdict: the label `outcome` of `kb_reindex_outcomes_total`.
    outcome: Option<&'static str>,
    /// When it was judged.
    judged: Option<String>,
    #[serde(flatten)]
    fates: Fates,
}

/// What came of a request. The words are those of `kb_reindex_attempts_total`, and two for what is not counted there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Progress {
    DryRun,
    UnderWay,
    Accepted,
    Refused,
    Unknown,
}

/// How many files are in which state; nothing, where none was sent.
#[derive(Debug, Default, Serialize)]
#[expect(
    clippy::struct_field_names,
    reason = "the names of the document, beside others"
)]
struct Fates {
    files_recovered: Option<u64>,
    files_refailed: Option<u64>,
    files_flagged: Option<u64>,
    /// Still waiting or being processed, or not seen since.
    files_waiting: Option<u64>,
    /// Deleted or replaced since.
    files_gone: Option<u64>,
}

impl<'a> Row<'a> {
    fn of(entry: &'a Entry) -> Self {
        let attempt = &*entry.attempt;
        let outcome = attempt.outcome();
        let verdict = attempt.verdict();
        let (result, reason) = progress(attempt);
        Self {
            id: attempt.id.get(),
            time: attempt.intended.to_string(),
            portal: attempt.portal.as_str(),
            folder_id: attempt.folder.to_string(),
            folder: Some(entry.name.label()).filter(|name| !name.is_empty()),
            mode: attempt.mode().as_str(),
            result,
            reason,
            answered: outcome.map(|(at, _)| at.to_string()),
            files: attempt.files,
            charged: attempt.charge(),
            requeued: match outcome {
                Some((_, Outcome::Accepted { updated })) => Some(updated),
                _ => None,
            },
            outcome: verdict.map(|(_, verdict)| Verdict::as_str(verdict)),
            judged: verdict.map(|(at, _)| at.to_string()),
            fates: Fates::of(attempt),
        }
    }

    fn cells(&self) -> [Cell; 13] {
        let number = |number: Option<u64>| number.map_or(Cell::Empty, Cell::Number);
        [
            Cell::text(self.id),
            Cell::text(&self.time),
            Cell::text(self.portal),
            Cell::text(self.folder.unwrap_or(&self.folder_id)),
            Cell::text(self.mode),
            Cell::Text(self.told()),
            Cell::Number(self.charged),
            number(self.requeued),
            self.outcome.map_or(Cell::Empty, Cell::text),
            number(self.fates.files_recovered),
            number(self.fates.files_refailed),
            number(self.fates.files_flagged),
            number(self.fates.files_waiting),
        ]
    }

    /// What came of the request, with the reason.
    fn told(&self) -> String {
        let word = self.result.as_str();
        match &self.reason {
            Some(reason) => format!("{word}: {reason}"),
            None => word.to_owned(),
        }
    }
}

impl Progress {
    /// The word for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DryRun => "dry run",
            Self::UnderWay => "under way",
            Self::Accepted => "accepted",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
        }
    }
}

pub(super) fn progress(attempt: &Attempt) -> (Progress, Option<String>) {
    match attempt.outcome().map(|(_, outcome)| outcome) {
        None if attempt.course == Course::Rehearsed => (Progress::DryRun, None),
        None => (Progress::UnderWay, None),
        Some(Outcome::Accepted { .. }) => (Progress::Accepted, None),
        Some(Outcome::Refused { status, .. }) => (Progress::Refused, Some(answered_with(status))),
        Some(Outcome::Unknown { why }) => (Progress::Unknown, Some(lost(why))),
    }
}

fn answered_with(status: u16) -> String {
    format!("status {status}")
}

fn lost(why: Lost) -> String {
    match why {
        Lost::NoAnswer => "no answer".to_owned(),
        Lost::Status(status) => answered_with(status),
        Lost::Unreadable => "no readable number of files".to_owned(),
        Lost::Interrupted => "the program ended before the answer".to_owned(),
    }
}

impl Fates {
    fn of(attempt: &Attempt) -> Self {
        if matches!(attempt.course, Course::Rehearsed | Course::Refused { .. }) {
            return Self::default();
        }
        let states = attempt.file_states();
        Self {
            files_recovered: Some(states.of(FileState::Done)),
            files_refailed: Some(states.of(FileState::Refailed)),
            files_flagged: Some(states.of(FileState::Flagged)),
            files_waiting: Some(states.unsettled()),
            files_gone: Some(states.of(FileState::Gone)),
        }
    }
}
