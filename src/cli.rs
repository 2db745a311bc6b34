//! The command line (docs/configuration.md, Command line).

mod address;
mod check;
mod classes;
mod completion;
mod config_check;
mod demo;
mod document;
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
mod shard;
mod state;
mod table;
#[cfg(test)]
mod testing;

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::builder::{NonEmptyStringValueParser, RangedU64ValueParser};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::app::App;
use crate::config::{EXAMPLE, schema};
use crate::model::Shard;
use crate::telemetry;
use tracing::info;

use address::ListenAddress;

/// More would fill the memory before anything is served.
const MAX_PORTAL_FOLDERS: u64 = 100_000;

/// As many files as the simulated portal has, at most: some gigabytes.
const MAX_PORTAL_FILES: u64 = 50_000_000;

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
#[command(name = "kb-exporter", version = VERSION)]
struct Cli {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    log: LogArgs,
    #[command(flatten)]
    web: WebArgs,
    #[command(flatten)]
    shard: shard::ShardArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Collect on a schedule and serve metrics, health and status pages (the default).
    Run,
    /// Run against a simulated portal in the same process; needs no configuration and no key.
    Demo(demo::DemoArgs),
    /// Run the simulated portal alone.
    Portal(PortalArgs),
    /// Test the key and every folder. Exit code: 0 all can be collected, 1 some cannot, 2 the configuration is wrong.
    Check(check::CheckArgs),
    /// Collect once and print the counts. Exit code: 0 every folder was counted, 1 some could not be counted.
    Scan(scan::ScanArgs),
    /// List the failed and flagged files with their reasons. Exit code: 0 every folder was read, 1 some could not be read or files may be missing.
    Files(files::FilesArgs),
    /// Show reindexing attempts and their results.
    #[command(subcommand)]
    Reindex(reindex::ReindexCommand),
    /// Manage the stored state.
    #[command(subcommand)]
    State(state::StateCommand),
    /// Explain how reasons of failed and flagged files are classified.
    Errors(errors::ErrorsArgs),
    /// Print the alert rules, adapted to an installation.
    Rules(rules::RulesArgs),
    /// Print a completion script for a shell.
    Completion(completion::CompletionArgs),
    /// Check whether the process that runs with the same flags is live. Exit code: 0 live, 1 not live.
    Healthcheck(healthcheck::HealthcheckArgs),
    /// Print the JSON schema or an example of the configuration file.
    #[command(subcommand)]
    Config(ConfigCommand),
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum ConfigCommand {
    /// Print the JSON schema of the configuration file, for editors.
    Schema,
    /// Print an example of a configuration file with comments.
    Example,
}

/// Where the configuration comes from.
#[derive(Debug, Args)]
struct ConfigArgs {
    /// Read this configuration file. Without it, `KB_BASE_URL` and `KB_API_KEY` or `KB_API_KEY_FILE` configure one portal.
    #[arg(long = "config.file", value_name = "FILE", global = true)]
    file: Option<PathBuf>,
    /// Check the configuration and exit. Exit code: 0 it is valid, 2 it is not.
    #[arg(long = "config.check", global = true)]
    check: bool,
}

/// What is logged, to standard error.
#[derive(Debug, Args)]
struct LogArgs {
    /// Log events of this level and above.
    #[arg(
        long = "log.level",
        value_name = "LEVEL",
        default_value = "info",
        global = true
    )]
    level: telemetry::Level,
    /// Write log lines in this format.
    #[arg(
        long = "log.format",
        value_name = "FORMAT",
        default_value = "logfmt",
        global = true
    )]
    format: telemetry::Format,
}

/// What is served.
#[derive(Debug, Args)]
struct WebArgs {
    /// Listen on this address. Repeatable. [default: 0.0.0.0:15732; demo: 127.0.0.1:15732]
    #[arg(long = "web.listen-address", value_name = "ADDR", global = true)]
    addresses: Vec<ListenAddress>,
    /// Serve the metrics at this path.
    #[arg(long = "web.telemetry-path", value_name = "PATH", default_value = "/metrics", value_parser = settings::telemetry_path, global = true)]
    telemetry_path: String,
    /// Link to this URL, at which people reach this exporter, also through a proxy. Alerts lead to its runbook.
    #[arg(long = "web.external-url", value_name = "URL", value_parser = address::site, global = true)]
    external_url: Option<String>,
    /// Read TLS and authentication settings from this file, in the format of the Prometheus exporter-toolkit.
    #[arg(long = "web.config.file", value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// Answer `/livez`, `/healthz` and `/readyz` without a password or a rate limit.
    #[arg(long = "web.open-probes", global = true)]
    open_probes: bool,
    /// Allow `POST /-/reload`.
    #[arg(long = "web.enable-lifecycle", global = true)]
    lifecycle: bool,
}

/// The options of the simulated portal.
#[derive(Debug, Args)]
struct PortalArgs {
    /// Serve the simulated portal at this address.
    #[arg(
        long = "portal.listen-address",
        value_name = "ADDR",
        default_value = "127.0.0.1:15733"
    )]
    address: ListenAddress,
    /// Accept this API key in the simulated portal.
    #[arg(long = "portal.key", value_name = "KEY", default_value = "kbk_demo", value_parser = NonEmptyStringValueParser::new())]
    key: String,
    /// Generate its content from this seed of random numbers.
    #[arg(long = "portal.seed", value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Process files at this speed relative to a real portal. With 0, no file changes by itself.
    #[arg(long = "portal.speed", value_name = "X", default_value_t = 1.0, value_parser = settings::speed)]
    speed: f64,
    /// Begin with this number of folders.
    #[arg(
        long = "portal.folders",
        value_name = "N",
        default_value_t = 12,
        value_parser = RangedU64ValueParser::<usize>::new().range(0..=MAX_PORTAL_FOLDERS)
    )]
    folders: usize,
    /// Begin with this number of files.
    #[arg(
        long = "portal.files",
        value_name = "N",
        default_value_t = 60_000,
        value_parser = RangedU64ValueParser::<usize>::new().range(0..=MAX_PORTAL_FILES)
    )]
    files: usize,
    /// Convert audio and video to text, or do not.
    #[arg(
        long = "portal.transcription",
        value_name = "on|off",
        default_value = "off"
    )]
    transcription: settings::Switch,
}

/// The commands and their flags, for completions and manual pages.
pub fn command() -> clap::Command {
    help::add(Cli::command().version(env!("CARGO_PKG_VERSION")))
}

/// Runs the command that the arguments name, and returns the exit code of the process.
pub fn main() -> ExitCode {
    let matches = help::add(Cli::command()).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let kind = cli.kind();
    if let Err(error) = telemetry::init(cli.log.level, cli.log.format) {
        return exit::report(&error.into(), kind);
    }
    telemetry::log_panics();
    cli.act().unwrap_or_else(|error| exit::report(&error, kind))
}

impl Cli {
    /// A service logs why it ends; a command tells it.
    const fn kind(&self) -> exit::Kind {
        match self.command {
            _ if self.config.check => exit::Kind::Command,
            None | Some(Command::Run | Command::Demo(_) | Command::Portal(_)) => {
                exit::Kind::Service
            }
            Some(_) => exit::Kind::Command,
        }
    }

    fn act(&self) -> Result<ExitCode> {
        let shard = self.shard.shard()?;
        if self.config.check {
            return config_check::run(&self.config, &self.web, shard);
        }
        match &self.command {
            None | Some(Command::Run) => self.serve(shard),
            Some(Command::Demo(demo)) => demo::run(&self.config, &self.web, shard, demo),
            Some(Command::Portal(portal)) => portal::run(portal),
            Some(Command::Healthcheck(args)) => healthcheck::run(&self.web, args),
            Some(Command::Check(args)) => check::run(&self.config, shard, args),
            Some(Command::Rules(args)) => rules::run(&self.web, args),
            Some(Command::Completion(args)) => completion::run(args),
            Some(Command::Scan(scan)) => scan::run(&self.config, shard, scan),
            Some(Command::Files(args)) => files::run(&self.config, shard, args),
            Some(Command::Reindex(command)) => reindex::run(&self.config, command),
            Some(Command::State(command)) => state::run(&self.config, command),
            Some(Command::Errors(errors)) => errors::run(&self.config, errors),
            Some(Command::Config(command)) => {
                let text = match command {
                    ConfigCommand::Schema => format!("{:#}\n", schema::json_schema()),
                    ConfigCommand::Example => EXAMPLE.to_owned(),
                };
                output::print(&text)?;
                Ok(ExitCode::SUCCESS)
            }
        }
    }

    fn serve(&self, shard: Shard) -> Result<ExitCode> {
        let source = settings::source(&self.config);
        let web = settings::web(&self.web, Ipv4Addr::UNSPECIFIED)?;
        let file = self.config.file.as_deref();
        let configuration = file.map_or("the environment".into(), |file| file.to_string_lossy());
        info!(version = VERSION, %configuration, "kb-exporter starts");
        settings::run_until_signal(async |stop| {
            let app = App::bind(source, &web, shard).await?;
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

    #[test]
    fn flags_stand_before_or_after_the_command() {
        for line in [
            "kb-exporter --config.file f --log.level debug scan",
            "kb-exporter scan --config.file f --log.level debug --output.file g --web.config.file h",
            "kb-exporter check --output json --config.file f",
            "kb-exporter rules --set help --job kb --scrape-interval 2m --runbook-url https://wiki.example/kb",
            "kb-exporter rules --by cluster,namespace --set failed_ratio=0.1 --for-folder 018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6 --each-flagged-file",
            "kb-exporter reindex history --config.file f --output json --limit 0",
            "kb-exporter demo --portal.speed 0 --web.listen-address :0",
            "kb-exporter state migrate --to postgres --config.file f",
            "kb-exporter scan --shard.index 7 --shard.count 8",
            "kb-exporter --shard.index auto --shard.count 65535 run",
            "kb-exporter --web.listen-address :0 --web.listen-address 127.0.0.1:0",
        ] {
            let parsed = command().try_get_matches_from(line.split(' '));
            let parsed = parsed.and_then(|matches| Cli::from_arg_matches(&matches));
            assert!(parsed.is_ok(), "{line}: {parsed:?}");
        }
        let without_key = ["kb-exporter", "demo", "--portal.key", ""];
        assert!(command().try_get_matches_from(without_key).is_err());
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
            ("demo", "--portal.speed", "--shard.count"),
            ("check", "--config.file", "--web."),
            ("check", "KB_STATE_PATH", "--config.check"),
            ("rules", "--web.external-url", "--web.listen-address"),
            ("reindex history", "--since", "--log."),
            ("healthcheck", "--web.config.file", "--log.level"),
            ("run", "--shard.replicas", "--portal."),
        ] {
            let help = help(command);
            assert!(help.contains(shown), "{help}");
            assert!(!help.contains(not_shown), "{help}");
            assert!(help.contains("Example:\n  kb-exporter "), "{help}");
        }
        // What is not shown is accepted all the same.
        let line = ["kb-exporter", "completion", "bash", "--log.level", "debug"];
        assert!(command().try_get_matches_from(line).is_ok());
    }
}
