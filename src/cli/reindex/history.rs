//! `kb-exporter reindex history`: the attempts in the ledger.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};

use super::{is_named, without_attempts};
use crate::attempts::{Attempt, FileState};
use crate::cli::output::OutputArgs;
use crate::cli::view::{Form, List};
use crate::clock::Moment;
use crate::config::State;
use crate::model::{Lost, Outcome, Timestamp};
use crate::store;

const COLUMNS: &str =
    "time portal folder result reason files requeued outcome files_recovered files_refailed";

/// How the ledger is printed.
#[derive(Debug, Args)]
pub(super) struct HistoryArgs {
    #[command(flatten)]
    pub output: OutputArgs<Form>,
    /// Print this number of attempts at most. 0 means all.
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Print only attempts since this time (2026-03-01T12:00:00Z) or of this last period (2d).
    #[arg(long, value_name = "SINCE", value_parser = since)]
    since: Option<Timestamp>,
    /// Print only attempts in the folder with this id, or with this name at the last attempt.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<String>,
}

/// Reads how long ago something was, or when.
fn since(text: &str) -> Result<Timestamp, String> {
    let now = Moment::now().wall;
    if let Ok(age) = humantime::parse_duration(text) {
        return Ok(now.before(age));
    }
    let time = humantime::parse_rfc3339_weak(text);
    time.map(Timestamp::from).map_err(|_| {
        "this is neither a duration such as 2d nor a time such as 2026-03-01T12:00:00Z".to_owned()
    })
}

/// The attempts that are asked for, newest first.
pub(super) fn list(state: &State, args: &HistoryArgs) -> Result<List> {
    let books = store::books(state).context("the reindex history cannot be shown")?;
    let attempts = books.values().flat_map(|book| book.track().iter());
    let mut attempts: Vec<_> = attempts.cloned().collect();
    attempts.sort_by_key(|attempt| std::cmp::Reverse(attempt.id));
    Ok(listed(&args.select(attempts)?))
}

fn listed(attempts: &[Arc<Attempt>]) -> List {
    let rows = attempts.iter().map(|attempt| row(attempt));
    List::new("attempts", COLUMNS, rows.collect())
}

impl HistoryArgs {
    fn select(&self, mut attempts: Vec<Arc<Attempt>>) -> Result<Vec<Arc<Attempt>>> {
        if let Some(folder) = &self.folder {
            let is_in =
                |attempt: &Arc<Attempt>| is_named(attempt.folder, attempt.name.label(), folder);
            if !attempts.iter().any(is_in) {
                let names = attempts.iter().map(|attempt| attempt.name.label());
                return Err(without_attempts(folder, names));
            }
            attempts.retain(is_in);
        }
        if let Some(since) = self.since {
            attempts.retain(|attempt| attempt.intended >= since);
        }
        if self.limit > 0 {
            attempts.truncate(self.limit);
        }
        Ok(attempts)
    }
}

fn row(attempt: &Attempt) -> Value {
    let judged = attempt.judged;
    let (result, reason) = result(attempt.outcome.map(|(_, outcome)| outcome));
    let sent = attempt.is_unjudged() || judged.is_some();
    let states = attempt.file_states();
    let files = |state| sent.then(|| states.of(state));
    let requeued = match attempt.outcome {
        Some((_, Outcome::Accepted { updated })) => Some(updated),
        _ => None,
    };
    json!({
        // A later attempt has a greater number.
        "id": attempt.id.get(),
        "time": attempt.intended.to_string(),
        "portal": attempt.portal.as_str(),
        "folder_id": attempt.folder.to_string(),
        "folder": Some(attempt.name.label()).filter(|name| !name.is_empty()),
        // As in `kb_reindex_attempts_total`, or `not_sent` or `under_way`; and why that is so, for people.
        "result": result,
        "reason": reason,
        // When the portal answered, or the exporter stopped waiting.
        "answered": attempt.outcome.map(|(at, _)| at.to_string()),
        // Failed files of the folder as last seen before it, files that the budget is charged for, and those that the portal requeued.
        "files": attempt.files,
        "charged": attempt.charge(),
        "requeued": requeued,
        // The label `outcome` of `kb_reindex_outcomes_total`.
        "outcome": judged.map(|judged| judged.verdict.as_str()),
        "judged": judged.map(|judged| judged.at.to_string()),
        // Files by state; nothing, if none was sent. `files_waiting`: also being processed, or not seen since. `files_gone`: also replaced.
        "files_recovered": files(FileState::Done),
        "files_refailed": files(FileState::Refailed),
        "files_flagged": files(FileState::Flagged),
        "files_waiting": sent.then(|| states.unsettled()),
        "files_gone": files(FileState::Gone),
    })
}

fn result(outcome: Option<Outcome>) -> (&'static str, Option<String>) {
    match outcome {
        None => ("under_way", None),
        Some(Outcome::NotSent) => ("not_sent", None),
        Some(Outcome::Accepted { .. }) => ("accepted", None),
        Some(Outcome::Refused { status, .. }) => ("refused", Some(format!("status {status}"))),
        Some(Outcome::Unknown { why }) => {
            let why = match why {
                Lost::NoAnswer => "no answer".to_owned(),
                Lost::Status { status, .. } => format!("status {status}"),
                Lost::Unreadable => "no valid number of files".to_owned(),
                Lost::Interrupted => "the exporter ended before the answer".to_owned(),
            };
            ("unknown", Some(why))
        }
    }
}
