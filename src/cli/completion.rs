//! `kb-exporter completion`: a script that lets a shell complete commands and flags.

use std::process::ExitCode;
use std::str::FromStr as _;

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap_complete::{Shell, generate};

use crate::cli::{command, output};

/// Which script is printed.
#[derive(Debug, Args)]
pub(super) struct CompletionArgs {
    /// The shell.
    #[arg(value_parser = shell())]
    shell: Shell,
}

fn shell() -> impl TypedValueParser<Value = Shell> {
    PossibleValuesParser::new(["bash", "fish", "zsh"]).try_map(|name| Shell::from_str(&name))
}

/// Prints the script.
pub(super) fn run(args: &CompletionArgs) -> Result<ExitCode> {
    let mut script = Vec::new();
    generate(args.shell, &mut command(), "kb-exporter", &mut script);
    let script = String::from_utf8_lossy(&script);
    let script = match args.shell {
        Shell::Bash => with_one_name(&script),
        Shell::Fish => with_flags_before_the_command(&script),
        _ => script.into_owned(),
    };
    output::print(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Gives each command one name. The generator takes the hyphen in the name of the program for the begin of a command where it lists
/// the flags of a command, and not where it looks for the command.
fn with_one_name(script: &str) -> String {
    script.replace("kb__subcmd__exporter", "kb__exporter")
}

/// Lets fish complete behind flags that stand before the command. Its `argparse` refuses names with dots, and a flag without its value, which
/// may just be completed. So it reads `_` in place of each dot, and an empty word at the end.
fn with_flags_before_the_command(script: &str) -> String {
    let line = |line: &str| {
        let has_names = line.trim_start().starts_with("string join ");
        let line = if has_names {
            &line.replace('.', "_")
        } else {
            line
        };
        format!("{line}\n")
    };
    let script: String = script.lines().map(line).collect();
    script
        .replace(" -- $cmd ", " -- (string replace --all . _ -- $cmd) '' ")
        .replace("set -q argv[1]", "test -n \"$argv[1]\"")
}
