//! `kb-exporter portal`: the simulated portal alone.

use std::process::ExitCode;

use anyhow::{Context, Result};
use tokio::net::TcpListener;
use tracing::info;

use crate::cli::{PortalArgs, settings};
use kb_simulator::Simulator;

/// Runs until a signal.
pub(super) fn run(args: &PortalArgs) -> Result<ExitCode> {
    settings::run_until_signal(async |stop| {
        let listener = bind(args).await?;
        let simulator = Simulator::new(settings::simulator(args));
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
