//! The command line (docs/configuration.md, Command line).

mod address;
mod check;
mod completion;
mod config_check;
mod demo;
mod errors;
mod exit;
mod files;
mod healthcheck;
mod help;
mod output;
mod portal;
mod reindex;
mod rules;
mod scan;
mod settings;
mod view;
mod visit;
mod web;

use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::process::ExitCode;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::app::App;
use crate::config::{EXAMPLE, json_schema};
use crate::telemetry;
use tracing::info;
use tracing::level_filters::LevelFilter;

use help::{example, with_environment};
use settings::ConfigArgs;
use web::WebArgs;

/// Version, revision and compiler, for `--version`.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (revision ",
    env!("KB_REVISION"),
    ", rustc ",
    env!("KB_RUSTC"),
    ")"
);

/// Monitor the files of a portal's knowledge base and serve metrics to Prometheus.
#[derive(Debug, Parser)]
#[command(name = "kb-exporter", version = VERSION, after_help = help::ENVIRONMENT)]
struct Cli {
    #[command(flatten)]
    log: LogArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// The flags of each command are the fields of its arguments, and those of [`LogArgs`].
#[derive(Debug, Subcommand)]
enum Command {
    /// Collect on a schedule and serve metrics, health and status pages (the default).
    #[command(after_help = with_environment(&["run --config.file kb.yml"]))]
    Run(RunArgs),
    /// Run against a simulated portal in the same process; needs no configuration and no key.
    #[command(after_help = example(&["demo", "demo --reindex enforce --portal.speed 60"]))]
    Demo(demo::DemoArgs),
    /// Run the simulated portal alone.
    #[command(after_help = example(&["portal --portal.folders 300"]))]
    Portal(portal::PortalArgs),
    /// Test the key and every folder. Exit code: 0 all can be collected, 1 some cannot, 2 the configuration is wrong.
    #[command(after_help = with_environment(&["check --config.file kb.yml"]))]
    Check(check::CheckArgs),
    /// Collect once and print the counts. Exit code: 0 every folder was counted, 1 some could not be counted.
    #[command(after_help = with_environment(&["scan --config.file kb.yml", "scan --config.file kb.yml --output prometheus --output.file kb.prom"]))]
    Scan(scan::ScanArgs),
    /// List the failed and flagged files with their reasons. Exit code: 0 every folder was read, 1 some could not be read or files may be missing.
    #[command(after_help = with_environment(&["files --config.file kb.yml --status failed --output csv"]))]
    Files(files::FilesArgs),
    /// Show reindexing attempts and their results.
    Reindex(reindex::ReindexArgs),
    /// Explain how reasons of failed and flagged files are classified.
    #[command(after_help = example(&["errors --explain 'OCR timed out after 300 s'"]))]
    Errors(errors::ErrorsArgs),
    /// Print the alert rules, adapted to an installation.
    #[command(after_help = example(&["rules --web.external-url https://kb.example > kb-exporter.rules.yml"]))]
    Rules(rules::RulesArgs),
    /// Print a completion script for a shell.
    #[command(after_help = example(&["completion bash > /etc/bash_completion.d/kb-exporter"]))]
    Completion(completion::CompletionArgs),
    /// Check whether the process that listens at the same address is live. Exit code: 0 live, 1 not live.
    #[command(after_help = example(&["healthcheck"]))]
    Healthcheck(healthcheck::HealthcheckArgs),
    /// Print the JSON schema or an example of the configuration file.
    #[command(subcommand)]
    Config(ConfigCommand),
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum ConfigCommand {
    /// Print the JSON schema of the configuration file, for editors.
    #[command(after_help = example(&["config schema > kb.schema.json"]))]
    Schema,
    /// Print an example of a configuration file with comments.
    #[command(after_help = example(&["config example > kb.yml"]))]
    Example,
}

/// The flags of the exporter itself.
#[derive(Debug, Args)]
struct RunArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Check the configuration and exit. Exit code: 0 it is valid, 2 it is not.
    #[arg(long = "config.check")]
    check: bool,
    #[command(flatten)]
    web: WebArgs,
}

/// What is logged, to standard error.
#[derive(Debug, Args)]
struct LogArgs {
    /// Log events of this level and above: error, warn, info, debug or trace. [default: info; error for commands that print]
    #[arg(
        long = "log.level",
        value_name = "LEVEL",
        value_parser = level(),
        hide_possible_values = true,
        help_heading = "Logging",
        global = true
    )]
    level: Option<LevelFilter>,
    /// Write log lines in this format: logfmt or json.
    #[arg(
        long = "log.format",
        value_name = "FORMAT",
        default_value = "logfmt",
        hide_possible_values = true,
        help_heading = "Logging",
        global = true
    )]
    format: telemetry::Format,
}

fn level() -> impl TypedValueParser<Value = LevelFilter> {
    let levels = ["error", "warn", "info", "debug", "trace"];
    PossibleValuesParser::new(levels).try_map(|level| level.parse())
}

/// The commands and their flags, for completions and manual pages.
pub fn command() -> clap::Command {
    Cli::command().version(env!("CARGO_PKG_VERSION"))
}

/// Runs the command that the arguments name, and returns the exit code of the process.
pub fn main() -> ExitCode {
    let cli = Cli::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    let kind = cli.kind();
    let level = cli.log.level.unwrap_or(match kind {
        exit::Kind::Service => LevelFilter::INFO,
        exit::Kind::Command => LevelFilter::ERROR,
    });
    if let Err(error) = telemetry::init(level, cli.log.format) {
        return exit::report(&error.into(), kind);
    }
    telemetry::log_panics();
    cli.act().unwrap_or_else(|error| exit::report(&error, kind))
}

/// Puts flags that stand before a command behind it: they are its flags.
fn command_first(root: &clap::Command, mut words: Vec<OsString>) -> Vec<OsString> {
    let takes_value = |flag: &str| {
        let mut flags = root.get_arguments();
        let named = |arg: &&clap::Arg| arg.get_long() == flag.strip_prefix("--");
        let flag = flags.find(named);
        flag.is_some_and(|flag| flag.get_action().takes_values())
    };
    let mut place = 1;
    while let Some(word) = words.get(place).and_then(|word| word.to_str()) {
        if !word.starts_with('-') {
            if root.find_subcommand(word).is_some() {
                words[1..].rotate_left(place - 1);
            }
            break;
        }
        place += 1 + usize::from(takes_value(word));
    }
    words
}

/// An address may contain a password, so that none is repeated.
fn without_login(mut error: clap::Error) -> clap::Error {
    let value = error.get(ContextKind::InvalidValue);
    if matches!(value, Some(ContextValue::String(value)) if value.contains('@')) {
        let hidden = ContextValue::String("[not shown]".to_owned());
        error.insert(ContextKind::InvalidValue, hidden);
    }
    error
}

impl Cli {
    fn read(words: impl Iterator<Item = OsString>) -> clap::error::Result<Self> {
        let mut root = Self::command();
        let words = command_first(&root, words.collect());
        let mut matches = root
            .try_get_matches_from_mut(words)
            .map_err(without_login)?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut root))
    }

    /// A service logs why it ends; a command tells it.
    const fn kind(&self) -> exit::Kind {
        match &self.command {
            None if self.run.check => exit::Kind::Command,
            Some(Command::Run(run)) if run.check => exit::Kind::Command,
            None | Some(Command::Run(_) | Command::Demo(_) | Command::Portal(_)) => {
                exit::Kind::Service
            }
            Some(_) => exit::Kind::Command,
        }
    }

    fn act(&self) -> Result<ExitCode> {
        match &self.command {
            None => self.run.act(),
            Some(Command::Run(args)) => args.act(),
            Some(Command::Demo(args)) => demo::run(args),
            Some(Command::Portal(args)) => portal::run(args),
            Some(Command::Healthcheck(args)) => healthcheck::run(args),
            Some(Command::Check(args)) => check::run(args),
            Some(Command::Rules(args)) => rules::run(args),
            Some(Command::Completion(args)) => completion::run(args),
            Some(Command::Scan(args)) => scan::run(args),
            Some(Command::Files(args)) => files::run(args),
            Some(Command::Reindex(args)) => reindex::run(args),
            Some(Command::Errors(args)) => errors::run(args),
            Some(Command::Config(command)) => {
                let text = match command {
                    ConfigCommand::Schema => format!("{:#}\n", json_schema()),
                    ConfigCommand::Example => EXAMPLE.to_owned(),
                };
                output::print(&text)?;
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

impl RunArgs {
    fn act(&self) -> Result<ExitCode> {
        if self.check {
            return config_check::run(&self.config, &self.web);
        }
        let source = settings::source(&self.config);
        let web = self.web.settings(Ipv4Addr::UNSPECIFIED)?;
        let file = self.config.file.as_deref();
        let configuration = file.map_or("the environment".into(), |file| file.to_string_lossy());
        info!(version = VERSION, %configuration, "kb-exporter starts");
        settings::run_until_signal(async |stop| {
            let app = App::bind(source, &web).await?;
            app.run(stop).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_well_formed() {
        command().debug_assert();
    }

    fn read(line: &str) -> clap::error::Result<Cli> {
        Cli::read(line.split(' ').map(OsString::from))
    }

    #[test]
    fn flags_stand_before_or_after_the_command() {
        for line in [
            "kb-exporter --config.file f --log.level debug scan",
            "kb-exporter scan --config.file f --log.level debug --output.file g",
            "kb-exporter check --output json --config.file f",
            "kb-exporter rules --job kb --runbook-url https://wiki.example/kb",
            "kb-exporter rules --set most_failed_files=50 --output kubernetes",
            "kb-exporter reindex history --config.file f --output json --limit 0",
            "kb-exporter demo --portal.speed 0 --web.listen-address :0",
            "kb-exporter --log.format json run",
            "kb-exporter --web.listen-address :0 --web.listen-address 127.0.0.1:0",
        ] {
            let parsed = read(line);
            assert!(parsed.is_ok(), "{line}: {parsed:?}");
        }
        let named_run = read("kb-exporter --config.file run check").unwrap();
        let Some(Command::Check(args)) = named_run.command else {
            panic!("{named_run:?}");
        };
        assert_eq!(args.config.file.unwrap().to_str(), Some("run"));
    }

    /// What `-h` prints for a command.
    fn help(line: &str) -> String {
        let words = std::iter::once("kb-exporter").chain(line.split(' '));
        let parsed = command().try_get_matches_from(words.chain(["-h"]));
        parsed.unwrap_err().to_string()
    }

    #[test]
    fn the_help_of_a_command_has_its_own_flags_an_example_and_the_environment() {
        for (command, shown, not_shown) in [
            ("completion", "kb-exporter completion bash", "--config.file"),
            ("completion", "bash, fish, zsh", "--web."),
            ("demo", "--web.listen-address", "--config.file"),
            ("demo", "--portal.speed", "--config.check"),
            ("check", "--config.file", "--web."),
            ("check", "KB_STATE_PATH", "--config.check"),
            ("rules", "--web.external-url", "--web.listen-address"),
            ("reindex history", "--since", "--web."),
            ("healthcheck", "--web.config.file", "--web.open-probes"),
            ("run", "--web.enable-lifecycle", "--portal."),
        ] {
            let help = help(command);
            assert!(help.contains(shown), "{help}");
            assert!(!help.contains(not_shown), "{help}");
            assert!(help.contains("Example:\n  kb-exporter "), "{help}");
        }
    }

    #[test]
    fn the_whole_help_of_a_command_is_one_screen_and_its_own_flags_come_first() {
        for (line, own) in [
            ("check", "--config.file"),
            ("scan", "--output.file"),
            ("files", "--class"),
            ("demo", "--reindex"),
        ] {
            let parsed = command().try_get_matches_from(["kb-exporter", line, "--help"]);
            let help = parsed.unwrap_err().to_string();
            assert!(help.lines().count() <= 40, "{help}");
            let others = ["--log.level", "--web.listen-address"].map(|flag| help.find(flag));
            assert!(
                others.iter().flatten().min() > help.find(own).as_ref(),
                "{help}"
            );
        }
    }

    #[test]
    fn every_command_has_an_example() {
        fn check(command: &clap::Command) {
            let is_leaf = !command.has_subcommands();
            let help = command.get_after_help().map(ToString::to_string);
            let has_example = help.is_some_and(|help| help.starts_with("Example:\n"));
            assert_eq!(has_example, is_leaf, "{}", command.get_name());
            command.get_subcommands().for_each(check);
        }
        command().get_subcommands().for_each(check);
    }

    #[test]
    fn a_flag_that_a_command_does_not_have_is_refused_wherever_it_stands() {
        for (command, flag) in [
            ("portal", "--config.file=f"),
            ("demo", "--config.file=f"),
            ("rules", "--web.listen-address=:0"),
            ("reindex forgive --portal main", "--web.listen-address=:0"),
            ("healthcheck", "--config.file=f"),
            ("scan", "--config.check"),
        ] {
            for line in [format!("{command} {flag}"), format!("{flag} {command}")] {
                let error = read(&format!("kb-exporter {line}")).unwrap_err();
                assert_eq!(error.exit_code(), 2, "{line}");
                assert_eq!(
                    error.kind(),
                    clap::error::ErrorKind::UnknownArgument,
                    "{line}"
                );
            }
        }
    }
}
