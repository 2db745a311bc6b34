//! `kb-exporter portal`: the simulated portal alone.

use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::cli::{PortalArgs, settings};
use kb_simulator::Simulator;

/// Runs until a signal.
pub(super) fn run(args: &PortalArgs) -> Result<ExitCode> {
    settings::run_until_signal(async |stop| {
        let listener = bind(args).await?;
        let Some(simulator) = generate(args, &stop).await? else {
            return Ok(());
        };
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
    let options = settings::simulator(args);
    let (generated, simulator) = oneshot::channel();
    // The process does not wait for such a thread, as a runtime does for its own.
    thread::spawn(move || generated.send(Simulator::new(options)).ok());
    let simulator = stop.run_until_cancelled(simulator).await;
    simulator
        .transpose()
        .context("the simulated portal panicked")
}
