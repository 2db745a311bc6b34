//! `kb-exporter reindex history`: prints what was attempted at putting failed files back into the queue, and what came of it.

mod entries;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use clap::{Args, Subcommand, ValueEnum};

use crate::cli::failure::Failure;
use crate::cli::{ConfigArgs, output, settings, table};
use crate::config::State;
use crate::ledger::{self, Entry, LedgerError};

/// What is to be done with the reindex ledger.
#[derive(Debug, Subcommand)]
pub(super) enum ReindexCommand {
    /// Print the reindex ledger, the newest attempt first; needs neither the key nor the portal.
    History(HistoryArgs),
}

/// How the ledger is printed.
#[derive(Debug, Args)]
pub(super) struct HistoryArgs {
    /// Form of what is printed.
    #[arg(long, value_name = "FORM", default_value = "table")]
    output: Output,
    /// Newest attempts that are printed; 0: all.
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

/// A form of what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A table for people.
    Table,
    /// A document for programs.
    Json,
}

/// Does what a command says.
pub(super) fn run(config: &ConfigArgs, command: &ReindexCommand) -> Result<ExitCode, Failure> {
    match command {
        ReindexCommand::History(args) => history(config, args),
    }
}

fn history(config: &ConfigArgs, args: &HistoryArgs) -> Result<ExitCode, Failure> {
    // Asked before the environment is: without a file its variables do not matter.
    if config.file.is_none() {
        return Err(no_path().into());
    }
    let State::Path(path) = settings::config(config)?.state else {
        return Err(no_path().into());
    };
    let newest = newest(read(&path)?, args.limit);
    let text = match args.output {
        Output::Table => entries::table(&newest, table::terminal_width()).to_string(),
        Output::Json => entries::json(&newest)?,
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn no_path() -> anyhow::Error {
    anyhow!(
        "no state folder is known: name the configuration file with --config.file; without one, the ledger is temporary and gone with its process"
    )
}

fn read(path: &Path) -> Result<Vec<Entry>> {
    let entries = ledger::history(path);
    entries
        .map_err(|error| match error {
            LedgerError::Missing { .. } => {
                anyhow!("{error}; kb-exporter makes it when it runs with this configuration")
            }
            other => anyhow::Error::from(other),
        })
        .context("the reindex history cannot be shown")
}

/// The first `limit` entries; all, when that is 0.
fn newest(mut entries: Vec<Entry>, limit: usize) -> Vec<Entry> {
    if limit > 0 {
        entries.truncate(limit);
    }
    entries
}
