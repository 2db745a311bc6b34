//! `kb-exporter reindex`: the attempts, which error classes they helped, and what is forgiven.

mod classes;
mod forgive;
mod history;

use std::process::ExitCode;

use anyhow::{Error, Result, anyhow};
use clap::{Args, Subcommand};

use crate::cli::help::with_environment;
use crate::cli::output::OutputArgs;
use crate::cli::settings::ConfigArgs;
use crate::cli::view::{self, Form};
use crate::cli::{output, settings};
use crate::config::{Config, ConfigError, State};
use crate::model::FolderId;

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
    History(history::HistoryArgs),
    /// Print the results of retries by error class. Does not contact the portal.
    #[command(after_help = with_environment(&["reindex classes --config.file kb.yml"]))]
    Classes(OutputArgs<Form>),
    /// Reset cooldowns, exhausted files, the results of a class, or times in the future. Works while the exporter runs.
    #[command(after_help = with_environment(&["reindex forgive --config.file kb.yml --portal main --folder Inbox"]))]
    Forgive(forgive::ForgiveArgs),
}

/// Runs a command.
pub(super) fn run(args: &ReindexArgs) -> Result<ExitCode> {
    let config = with_state(&args.config)?;
    let text = match &args.command {
        ReindexCommand::History(args) => {
            view::text_of(&[history::list(&config.state, args)?], args.output.form())?
        }
        ReindexCommand::Classes(args) => view::text_of(&classes::lists(&config)?, args.form())?,
        ReindexCommand::Forgive(args) => forgive::forgive(&config, args)?,
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Whether a folder has this id or name.
fn is_named(id: FolderId, name: &str, wanted: &str) -> bool {
    id.to_string().eq_ignore_ascii_case(wanted) || name == wanted
}

/// The ledger has no folder with this id or name.
fn without_attempts<'k>(wanted: &str, known: impl Iterator<Item = &'k str>) -> Error {
    let near = settings::known_names(wanted, known);
    anyhow!("no attempt was ever made in a folder {wanted:?}{near}")
}

const NO_STATE: &str = "no state folder is known: name the configuration file with --config.file, or set the environment of the exporter with KB_STATE_PATH; without them, the ledger is temporary and gone with its process";

/// The configuration, whose state lasts.
fn with_state(args: &ConfigArgs) -> Result<Config> {
    match settings::config(args) {
        Ok(config) if config.state != State::Temporary => Ok(config),
        Err(wrong) if args.file.is_some() => Err(wrong.into()),
        _ => Err(ConfigError::about("", NO_STATE).into()),
    }
}
