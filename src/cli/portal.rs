//! `kb-exporter portal`: the simulated portal alone.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::cli::address::ListenAddress;
use crate::cli::{output, settings};
use kb_simulator::{Options, Simulator};

/// The options of the simulated portal.
#[derive(Debug, Args)]
pub(super) struct PortalArgs {
    /// Serve the simulated portal at this address.
    #[arg(
        long = "portal.listen-address",
        value_name = "ADDR",
        default_value = "127.0.0.1:15733"
    )]
    address: ListenAddress,
    /// Accept this API key in the simulated portal.
    #[arg(long = "portal.key", value_name = "KEY", default_value = "kbk_demo", value_parser = NonEmptyStringValueParser::new())]
    pub key: String,
    /// Generate its content from this seed of random numbers.
    #[arg(long = "portal.seed", value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Process files at this speed relative to a real portal. With 0, no file changes by itself.
    #[arg(long = "portal.speed", value_name = "X", default_value_t = 1.0, value_parser = speed)]
    pub speed: f64,
    /// Begin with this number of folders.
    #[arg(long = "portal.folders", value_name = "N", default_value_t = 12)]
    folders: u16,
    /// Begin with this number of files.
    #[arg(long = "portal.files", value_name = "N", default_value_t = 60_000)]
    files: usize,
    /// Convert audio and video to text, or do not.
    #[arg(
        long = "portal.transcription",
        value_name = "on|off",
        default_value = "off",
        action = ArgAction::Set,
        value_parser = on_or_off()
    )]
    transcription: bool,
}

fn on_or_off() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|value| value == "on")
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok();
    speed
        .filter(|speed| speed.is_finite() && *speed >= 0.0)
        .ok_or_else(|| "expected a number of 0 or more".to_owned())
}

/// Runs until a signal.
pub(super) fn run(args: &PortalArgs) -> Result<ExitCode> {
    settings::run_until_signal(async |stop| {
        let listener = bind(args).await?;
        let address = listener.local_addr()?;
        let Some(simulator) = generate(args, &stop).await? else {
            return Ok(());
        };
        let key = &args.key;
        let quoted = key.replace('\'', r"'\''");
        output::print(&format!(
            "The key is {key}. These lines start an exporter beside it:\n  export KB_BASE_URL=http://{address} KB_API_KEY='{quoted}'\n  kb-exporter\n"
        ))?;
        let served = simulator.serve(listener, stop.cancelled_owned()).await;
        served.context("the simulated portal failed")
    })
}

/// Binds the simulated portal's address and logs it.
pub(super) async fn bind(args: &PortalArgs) -> Result<TcpListener> {
    let address = args.address.0;
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("the simulated portal cannot listen on {address}"))?;
    info!(address = %listener.local_addr()?, "simulated portal listening");
    Ok(listener)
}

/// Generates the portal's content, which can take minutes, unless it is stopped before.
pub(super) async fn generate(
    args: &PortalArgs,
    stop: &CancellationToken,
) -> Result<Option<Simulator>> {
    let options = Options {
        seed: args.seed,
        speed: args.speed,
        folders: args.folders.into(),
        files: args.files,
        transcription: args.transcription,
        key: args.key.clone(),
        ..Options::default()
    };
    let simulator = tokio::task::spawn_blocking(move || Simulator::new(options));
    let simulator = stop.run_until_cancelled(simulator).await;
    simulator
        .transpose()
        .context("the simulated portal panicked")
}
