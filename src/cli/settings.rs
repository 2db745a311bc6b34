//! From arguments and environment to settings.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::ValueEnum;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::app::{ConfigSource, Web};
use crate::cli::{ConfigArgs, PortalArgs, WebArgs};
use crate::config::{Config, ConfigError, Portal};
use crate::http::route::Route;
use crate::http::web_config::WebConfigFile;
use crate::portal::{Client, PortalError, Session, Throttles, Unobserved};
use crate::shutdown;

/// The port of this exporter.
const PORT: u16 = 15_732;

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Switch {
    /// On.
    On,
    /// Off.
    Off,
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

/// Where to listen: as the arguments say, or else on all addresses, or on loopback alone.
pub(super) fn addresses(args: &WebArgs, default_host: Ipv4Addr) -> Vec<SocketAddr> {
    let mut addresses: Vec<_> = args.addresses.iter().map(|address| address.0).collect();
    if addresses.is_empty() {
        addresses.push(SocketAddr::from((default_host, PORT)));
    }
    addresses
}

/// How to serve.
pub(super) fn web(args: &WebArgs, default_host: Ipv4Addr) -> Result<Web, ConfigError> {
    let config = args
        .config
        .as_deref()
        .map(WebConfigFile::open)
        .transpose()?;
    Ok(Web {
        addresses: addresses(args, default_host),
        telemetry_path: args.telemetry_path.clone(),
        external_url: args.external_url.clone(),
        lifecycle: args.lifecycle,
        config: config.map(Arc::new),
        open_probes: args.open_probes,
    })
}

/// Checks the path of the metrics.
pub(super) fn telemetry_path(text: &str) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    if !text.starts_with('/') || !text.bytes().all(plain) {
        return Err("expected a path such as /metrics".to_owned());
    }
    if Route::of(text).is_some() {
        return Err("the exporter uses this path for something else".to_owned());
    }
    Ok(text.to_owned())
}

/// Checks a speed.
pub(super) fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok();
    speed
        .filter(|speed| speed.is_finite() && *speed >= 0.0)
        .ok_or_else(|| "expected a number of 0 or more".to_owned())
}

/// The options of the simulated portal.
pub(super) fn simulator(args: &PortalArgs) -> kb_simulator::Options {
    kb_simulator::Options {
        seed: args.seed,
        speed: args.speed,
        folders: args.folders,
        files: args.files,
        transcription: args.transcription == Switch::On,
        key: args.key.clone(),
        ..kb_simulator::Options::default()
    }
}

/// Runs a command until it ends; the first signal cancels its token.
pub(super) fn run_until_signal<F>(task: impl FnOnce(CancellationToken) -> F) -> Result<ExitCode>
where
    F: Future<Output = Result<()>>,
{
    // Two threads are enough for the work that does not wait for the network.
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime
        .context("the runtime cannot be started")?
        .block_on(async {
            let stop = shutdown::on_signals().context("signals cannot be received")?;
            task(stop).await
        })?;
    Ok(ExitCode::SUCCESS)
}

/// A runtime on this thread alone: a single collection is limited by the network, so more threads would not help.
pub(super) fn runtime() -> Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}

/// A session with a portal, whose requests nobody observes.
pub(super) async fn session(
    config: &Config,
    portal: &Portal,
    throttles: &Throttles,
) -> Result<Session, PortalError> {
    let (collect, request) = (&config.collect, &config.request);
    let client = Client::new(portal, collect, request, Arc::new(Unobserved), throttles);
    Session::open(&client).await
}
