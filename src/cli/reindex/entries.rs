//! The entries of the ledger in each output format.

use anyhow::Result;
use serde::Serialize;

use crate::attempts::{Attempt, FileState};
use crate::cli::output;
use crate::cli::table::{Table, known};
use crate::model::{Lost, Outcome};
use crate::store::ledger::Entry;

/// Writes the document, the newest attempt first.
pub(super) fn json(entries: &[Entry]) -> Result<String> {
    let rows: Vec<_> = entries.iter().map(Row::of).collect();
    output::json("attempts", &rows)
}

/// Writes the table: a row for each attempt.
pub(super) fn table(entries: &[Entry], width: Option<u16>) -> Table {
    let columns = "#attempt, =time, portal, folder, result, #charged, #requeued, =outcome, #recovered, #refailed, #flagged, \
                   #waiting";
    let mut table = Table::new(columns, width);
    for row in entries.iter().map(Row::of) {
        let reason = row.reason.as_ref();
        let reason = known(reason.map(|reason| format!(": {reason}")));
        table.add(&[
            &row.id,
            &row.time,
            &row.portal,
            &row.folder(),
            &format!("{}{reason}", row.result_words()),
            &row.charged,
            &known(row.requeued),
            &known(row.outcome),
            &known(row.files_recovered),
            &known(row.files_refailed),
            &known(row.files_flagged),
            &known(row.files_waiting),
        ]);
    }
    table
}

#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    /// Its number; a later attempt has a greater one.
    pub id: i64,
    pub time: String,
    pub portal: &'a str,
    folder_id: String,
    /// The folder's name at its last attempt.
    folder: Option<&'a str>,
    /// The result of the request: `accepted`, `refused` or `unknown` as in `kb_reindex_attempts_total`, or `not_sent` or `under_way`.
    result: &'static str,
    /// Why that is so, for people.
    pub reason: Option<String>,
    /// When the portal answered, or the exporter stopped waiting.
    answered: Option<String>,
    /// Failed files of the folder as last seen before it.
    pub files: u64,
    /// Files that the budget is charged for.
    charged: u64,
    /// How many files the portal requeued, as it reports.
    pub requeued: Option<u64>,
    /// The verdict: the label `outcome` of `kb_reindex_outcomes_total`.
    pub outcome: Option<&'static str>,
    judged: Option<String>,
    // Files by state; nothing, if none was sent.
    pub files_recovered: Option<u64>,
    pub files_refailed: Option<u64>,
    pub files_flagged: Option<u64>,
    /// Still waiting or being processed, or not seen since.
    pub files_waiting: Option<u64>,
    /// Deleted or replaced since.
    files_gone: Option<u64>,
}

impl<'a> Row<'a> {
    pub fn of(entry: &'a Entry) -> Self {
        let attempt = &*entry.attempt;
        let outcome = attempt.outcome;
        let judged = attempt.judged;
        let (result, reason) = result(attempt);
        let sent = attempt.is_unjudged() || judged.is_some();
        let states = attempt.file_states();
        let files = |state| sent.then(|| states.of(state));
        Self {
            id: attempt.id.get(),
            time: attempt.intended.to_string(),
            portal: attempt.portal.as_str(),
            folder_id: attempt.folder.to_string(),
            folder: Some(entry.name.label()).filter(|name| !name.is_empty()),
            result,
            reason,
            answered: outcome.map(|(at, _)| at.to_string()),
            files: attempt.files,
            charged: attempt.charge(),
            requeued: match outcome {
                Some((_, Outcome::Accepted { updated })) => Some(updated),
                _ => None,
            },
            outcome: judged.map(|judged| judged.verdict.as_str()),
            judged: judged.map(|judged| judged.at.to_string()),
            files_recovered: files(FileState::Done),
            files_refailed: files(FileState::Refailed),
            files_flagged: files(FileState::Flagged),
            files_waiting: sent.then(|| states.unsettled()),
            files_gone: files(FileState::Gone),
        }
    }

    /// The folder by its name, or else by its id.
    pub fn folder(&self) -> &str {
        self.folder.unwrap_or(&self.folder_id)
    }

    /// The result in words for people.
    pub fn result_words(&self) -> String {
        self.result.replace('_', " ")
    }
}

fn result(attempt: &Attempt) -> (&'static str, Option<String>) {
    match attempt.outcome.map(|(_, outcome)| outcome) {
        None => ("under_way", None),
        Some(Outcome::NotSent) => ("not_sent", None),
        Some(Outcome::Accepted { .. }) => ("accepted", None),
        Some(Outcome::Refused { status, .. }) => ("refused", Some(format!("status {status}"))),
        Some(Outcome::Unknown { why }) => ("unknown", Some(reason(why))),
    }
}

fn reason(why: Lost) -> String {
    match why {
        Lost::NoAnswer => "no answer".to_owned(),
        Lost::Status(status) => format!("status {status}"),
        Lost::Unreadable => "no valid number of files".to_owned(),
        Lost::Interrupted => "the exporter ended before the answer".to_owned(),
    }
}
