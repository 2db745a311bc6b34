//! `kb-exporter state`: where state and ledger are stored.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};

use crate::cli::settings::ConfigArgs;
use crate::cli::{help, output, settings};
use crate::config::{SharedState, State};
use crate::store::StoreError;
use crate::store::migrate::{self, Copied};

/// A command about the state.
#[derive(Debug, Subcommand)]
pub(super) enum StateCommand {
    /// Move state and ledger from the folder `state.path` to the database of `state.postgres_url_file`, or back. Stop all exporters that
    /// use them first.
    #[command(after_help = help::with_environment(&["state migrate --config.file kb.yml --to postgres"]))]
    Migrate(MigrateArgs),
}

/// What is copied.
#[derive(Debug, Args)]
pub(super) struct MigrateArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Move to this destination, which must be empty. The source is marked as moved, and no kb-exporter uses it any more.
    #[arg(long, value_name = "postgres|path")]
    to: Destination,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Destination {
    /// The PostgreSQL database of `state.postgres_url_file`.
    Postgres,
    /// The folder `state.path`.
    Path,
}

/// Runs a command.
pub(super) fn run(command: &StateCommand) -> Result<ExitCode> {
    let StateCommand::Migrate(args) = command;
    let config = settings::config(&args.config)?;
    let State::Postgres(state) = &config.state else {
        bail!(
            "the configuration names no database: set state.postgres_url_file, and state.path for the folder, in the file that --config.file names"
        );
    };
    output::print(&migrate(state, args.to)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Copies everything, and returns sentences for people.
fn migrate(state: &SharedState, to: Destination) -> Result<String> {
    let folder = state.path.display();
    let (copied, next) = match to {
        Destination::Postgres => (
            migrate::to_postgres(state),
            format!(
                "Start kb-exporter with this configuration. It does not use {folder} any more."
            ),
        ),
        Destination::Path => (
            migrate::to_folder(state),
            "Remove state.postgres_url_file from the configuration before you start kb-exporter."
                .to_owned(),
        ),
    };
    let Copied {
        folders,
        files,
        events,
    } = copied.map_err(|error| {
        let is_unknown = matches!(error, StoreError::CommitUnknown(_));
        anyhow::Error::new(error).context(if is_unknown {
            "try again: it is not known whether everything was moved"
        } else {
            "nothing was moved"
        })
    })?;
    Ok(format!(
        "Moved: {folders} folders with {files} files that are not done, {events} events of the reindex ledger. \
         The copy was read and is the same as the original, which is marked as moved.\n{next}\n"
    ))
}
