//! What commands have in common: the configuration, a runtime, a session with a portal.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::app::ConfigSource;
use crate::config::{Config, ConfigError, Portal};
use crate::portal::{Client, Throttles, Unobserved};
use crate::shutdown;

/// Where the configuration comes from.
#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    /// Read this configuration file. Without it, `KB_BASE_URL` and `KB_API_KEY` or `KB_API_KEY_FILE` configure one portal.
    #[arg(long = "config.file", value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// Reads the configuration from the file, or else from the environment.
pub(super) fn config(args: &ConfigArgs) -> Result<Config, ConfigError> {
    source(args)()
}

/// What reads the configuration.
pub(super) fn source(args: &ConfigArgs) -> ConfigSource {
    match args.file.clone() {
        Some(file) => Box::new(move || Config::from_file(&file)),
        None => Box::new(|| Config::from_environment(|name| std::env::var(name).ok())),
    }
}

/// Runs a command until it ends; the first signal cancels its token.
pub(super) fn run_until_signal<F>(task: impl FnOnce(CancellationToken) -> F) -> Result<ExitCode>
where
    F: Future<Output = Result<()>>,
{
    raise_open_files();
    // Two threads are enough for the work that does not wait for the network.
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let runtime = runtime.context("the runtime cannot be started")?;
    let result = runtime.block_on(async {
        let stop = shutdown::on_signals().context("signals cannot be received")?;
        task(stop).await
    });
    // A thread may wait for a file system that does not answer.
    runtime.shutdown_background();
    result.map(|()| ExitCode::SUCCESS)
}

/// Raises the limit of open files as far as it may be. The usual one is met by many clients, and then no key can be read. Where the limit stays, it is
/// as it was, so an error is none.
fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    let _as_it_was = setrlimit(Resource::Nofile, raised);
}

/// Maximum number of names that a sentence has.
const NAMED: usize = 5;

/// The end of a sentence about a name that does not exist: those that do, the most alike first.
pub(super) fn known_names<'k>(wanted: &str, known: impl Iterator<Item = &'k str>) -> String {
    let wanted = wanted.to_lowercase();
    let mut known: Vec<_> = known.filter(|name| !name.is_empty()).collect();
    known.sort_by_cached_key(|name| (strsim::levenshtein(&wanted, &name.to_lowercase()), *name));
    known.dedup();
    let near: Vec<_> = known
        .iter()
        .take(NAMED)
        .map(|it| format!("{it:?}"))
        .collect();
    if near.is_empty() {
        return String::new();
    }
    format!("; names that exist: {}", near.join(", "))
}

/// A runtime on this thread alone: a single collection is limited by the network, so more threads would not help.
pub(super) fn runtime() -> Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}

/// A client of a portal, whose requests nobody observes.
pub(super) fn client(config: &Config, portal: &Portal, throttles: &Throttles) -> Arc<Client> {
    let (collect, request) = (&config.collect, &config.request);
    Client::new(portal, collect, request, Arc::new(Unobserved), throttles)
}
