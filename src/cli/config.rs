//! `kb-exporter config`: help for writing a configuration file.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::cli::output;
use crate::config::{EXAMPLE, schema};

/// What is printed.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(super) enum ConfigCommand {
    /// Print the JSON schema of the configuration file, for editors.
    Schema,
    /// Print an example of a configuration file with comments.
    Example,
}

/// Prints the schema or the example.
pub(super) fn run(command: ConfigCommand) -> Result<ExitCode> {
    match command {
        ConfigCommand::Schema => output::print(&format!("{:#}\n", schema::json_schema()))?,
        ConfigCommand::Example => output::print(EXAMPLE)?,
    }
    Ok(ExitCode::SUCCESS)
}
