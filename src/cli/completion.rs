//! `kb-exporter completion`: a script that lets a shell complete commands and flags.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::cli::{Cli, output};

/// Which script is printed.
#[derive(Debug, Args)]
pub(super) struct CompletionArgs {
    /// The shell.
    shell: Shell,
}

/// Prints the script.
pub(super) fn run(args: &CompletionArgs) -> Result<ExitCode> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "kb-exporter", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
