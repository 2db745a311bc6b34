//! `kb-exporter reindex`: the attempts, which error classes they helped, and what is forgiven.

mod classes;
mod entries;
mod forgive;
#[cfg(test)]
mod tests;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Error, Result, anyhow};
use clap::{Args, Subcommand};

use crate::attempts::Attempt;
use crate::cli::help::with_environment;
use crate::cli::output::Form;
use crate::cli::settings::ConfigArgs;
use crate::cli::{output, settings, table};
use crate::clock::Moment;
use crate::config::{Config, ConfigError, State};
use crate::model::{FolderId, Timestamp};
use crate::store;

/// Whose ledger, and what about it.
#[derive(Debug, Args)]
#[command(mut_arg("file", |file| file.global(true)))]
pub(super) struct ReindexArgs {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(subcommand)]
    command: ReindexCommand,
}

#[derive(Debug, Subcommand)]
enum ReindexCommand {
    /// Print the attempts in the ledger, newest first. Does not contact the portal.
    #[command(after_help = with_environment(&["reindex history --config.file kb.yml --since 2d"]))]
    History(HistoryArgs),
    /// Print the results of retries by error class. Does not contact the portal.
    #[command(after_help = with_environment(&["reindex classes --config.file kb.yml"]))]
    Classes {
        /// Print in this format: table or json.
        #[arg(
            long,
            value_name = "FORM",
            default_value = "table",
            hide_possible_values = true
        )]
        output: Form,
    },
    /// Reset cooldowns, exhausted files, the results of a class, or times in the future. Works while the exporter runs.
    #[command(after_help = with_environment(&["reindex forgive --config.file kb.yml --portal main --folder Inbox"]))]
    Forgive(forgive::ForgiveArgs),
}

/// How the ledger is printed.
#[derive(Debug, Args)]
pub(super) struct HistoryArgs {
    /// Print in this format: table or json.
    #[arg(
        long,
        value_name = "FORM",
        default_value = "table",
        hide_possible_values = true
    )]
    output: Form,
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

/// Runs a command.
pub(super) fn run(args: &ReindexArgs) -> Result<ExitCode> {
    let config = with_state(&args.config)?;
    let state = &config.state;
    let text = match &args.command {
        ReindexCommand::History(args) => history(state, args)?,
        ReindexCommand::Classes { output } => classes(state, &config, *output)?,
        ReindexCommand::Forgive(args) => forgive::forgive(&config, args)?,
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn classes(state: &State, config: &Config, output: Form) -> Result<String> {
    let books = store::books(state);
    let books = books.context("the classes cannot be shown")?;
    let known = classes::known(&books, &config.portals, config.reindex.rules.cooldown);
    match output {
        Form::Table => Ok(classes::printed(&known, table::terminal_width())),
        Form::Json => classes::json(&known),
    }
}

fn history(state: &State, args: &HistoryArgs) -> Result<String> {
    let entries = args.select(read(state)?)?;
    match args.output {
        Form::Table => Ok(entries::table(&entries, table::terminal_width()).to_string()),
        Form::Json => entries::json(&entries),
    }
}

impl HistoryArgs {
    /// The entries to print, of all that the ledger has.
    fn select(&self, mut entries: Vec<Arc<Attempt>>) -> Result<Vec<Arc<Attempt>>> {
        if let Some(folder) = &self.folder {
            let is_in =
                |attempt: &Arc<Attempt>| is_named(attempt.folder, attempt.name.label(), folder);
            if !entries.iter().any(is_in) {
                let names = entries.iter().map(|attempt| attempt.name.label());
                return Err(without_attempts(folder, names));
            }
            entries.retain(is_in);
        }
        if let Some(since) = self.since {
            entries.retain(|attempt| attempt.intended >= since);
        }
        if self.limit > 0 {
            entries.truncate(self.limit);
        }
        Ok(entries)
    }
}

/// Whether a folder has this id or name.
fn is_named(id: FolderId, name: &str, wanted: &str) -> bool {
    id.to_string().eq_ignore_ascii_case(wanted) || name == wanted
}

/// The ledger has no folder with this id or name.
fn without_attempts<'k>(wanted: &str, known: impl Iterator<Item = &'k str>) -> Error {
    let near = settings::nearest_name(wanted, known);
    anyhow!("no attempt was ever made in a folder {wanted:?}{near}")
}

const NO_STATE: &str = "no state folder is known: name the configuration file with --config.file, or set the environment of the exporter with KB_STATE_PATH; without them, the ledger is temporary and gone with its process";

/// The configuration, whose state lasts.
fn with_state(args: &ConfigArgs) -> Result<Config> {
    match settings::config(args) {
        Ok(config) if config.state != State::Temporary => Ok(config),
        Err(wrong) if args.file.is_some() => Err(wrong.into()),
        _ => Err(ConfigError::because(NO_STATE).into()),
    }
}

/// Every attempt in the ledger, newest first.
fn read(state: &State) -> Result<Vec<Arc<Attempt>>> {
    let books = store::books(state);
    let books = books.context("the reindex history cannot be shown")?;
    let attempts = books.values().flat_map(|book| book.track().iter());
    let mut attempts: Vec<_> = attempts.cloned().collect();
    attempts.sort_by_key(|attempt| std::cmp::Reverse(attempt.id));
    Ok(attempts)
}
