//! `kb-exporter completion`: a script that lets a shell complete commands and flags.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use clap_complete::generate;

use crate::cli::{command, output};

/// Which script is printed.
#[derive(Debug, Args)]
pub(super) struct CompletionArgs {
    /// The shell.
    shell: Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Fish,
    Zsh,
}

/// Prints the script.
pub(super) fn run(args: &CompletionArgs) -> Result<ExitCode> {
    let shell = match args.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Fish => clap_complete::Shell::Fish,
        Shell::Zsh => clap_complete::Shell::Zsh,
    };
    let mut script = Vec::new();
    generate(shell, &mut command(), "kb-exporter", &mut script);
    let script = String::from_utf8_lossy(&script);
    let script = match args.shell {
        Shell::Bash => with_one_name(&script),
        Shell::Fish => without_dotted_names(&script),
        Shell::Zsh => script.into_owned(),
    };
    output::print(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Gives each command one name. The generator takes the hyphen in the name of the program for the begin of a command where it lists
/// the flags of a command, and not where it looks for the command.
fn with_one_name(script: &str) -> String {
    script.replace("kb__subcmd__exporter", "kb__exporter")
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
