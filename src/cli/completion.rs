//! `kb-exporter completion`: a script that lets a shell complete commands and flags.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use clap_complete::{Shell, generate};

use crate::cli::{command, output};

/// Which script is printed.
#[derive(Debug, Args)]
pub(super) struct CompletionArgs {
    /// The shell.
    shell: Shell,
}

/// Prints the script.
pub(super) fn run(args: &CompletionArgs) -> Result<ExitCode> {
    let mut script = Vec::new();
    generate(args.shell, &mut command(), "kb-exporter", &mut script);
    let script = String::from_utf8_lossy(&script);
    let script = match args.shell {
        Shell::Fish => without_dotted_names(&script),
        _ => script.into_owned(),
    };
    output::print(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Removes flags with a dot from the list of flags before the command. `argparse` of fish refuses names with dots, and then fish would
/// complete nothing. Without them, it completes everything, except after such a flag before the command.
fn without_dotted_names(script: &str) -> String {
    const LIST: &str = "string join \\n ";
    let line = |line: &str| match line.split_once(LIST) {
        Some((before, names)) => {
            let names = names.split(' ').filter(|name| !name.contains('.'));
            let names: Vec<_> = names.collect();
            format!("{before}{LIST}{}\n", names.join(" "))
        }
        None => format!("{line}\n"),
    };
    script.lines().map(line).collect()
}
