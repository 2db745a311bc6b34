//! `kb-exporter demo`: everything in one process, beside a simulated portal.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use tokio_util::sync::CancellationToken;

use crate::app::{App, Web};
use crate::cli::failure::Failure;
use crate::cli::{ConfigArgs, PortalArgs, WebArgs, output, portal, settings};
use crate::config::{BaseUrl, Config, KeySource, Portal, Rate, Schedule};
use crate::model::PortalName;
use crate::shutdown;
use crate::simulator::Simulator;

/// How often the demo collects.
const SCHEDULE: Duration = Duration::from_secs(5);

/// Requests in flight to the simulated portal.
const CONCURRENCY: NonZeroUsize = const { NonZeroUsize::new(4).expect("4 is not 0") };

/// Runs until a signal.
pub(super) fn run(
    config: &ConfigArgs,
    web: &WebArgs,
    args: &PortalArgs,
) -> Result<ExitCode, Failure> {
    if config.file.is_some() {
        return Err(anyhow!("demo takes no --config.file: it watches a portal of its own").into());
    }
    let web = settings::web(web, Ipv4Addr::LOCALHOST);
    settings::runtime()?.block_on(async {
        let stop = shutdown::on_signals().context("signals cannot be received")?;
        demo(&web, args, stop).await?;
        Ok(ExitCode::SUCCESS)
    })
}

async fn demo(web: &Web, args: &PortalArgs, stop: CancellationToken) -> Result<()> {
    let listener = portal::bind(args).await?;
    let address = listener.local_addr()?;
    let folder = tempfile::tempdir().context("no temporary folder can be made")?;
    let key_file = folder.path().join("key");
    std::fs::write(&key_file, &args.key).context("the demo's key cannot be written")?;
    let config = demo_config(address, &key_file)?;
    let app = App::bind(Box::new(move || Ok(config.clone())), web).await?;
    tell(&app, web, address)?;
    let simulator = Simulator::new(settings::simulator(args));
    // The portal outlives the exporter, so that the exporter's last requests are answered.
    let portal_stop = CancellationToken::new();
    let served = tokio::spawn(simulator.serve(listener, portal_stop.clone().cancelled_owned()));
    let result = app.run(stop).await;
    portal_stop.cancel();
    served.await.context("the simulated portal broke")??;
    result
}

fn demo_config(address: SocketAddr, key_file: &Path) -> Result<Config> {
    let name = PortalName::new("demo").ok_or_else(|| anyhow!("the demo portal has no name"))?;
    let base_url = BaseUrl::parse(&format!("http://{address}")).map_err(|error| anyhow!(error))?;
    let portal = Portal::new(name, base_url, KeySource::File(key_file.to_owned()));
    let mut config = Config::for_portal(portal);
    config.collect.schedule = Schedule::Every(SCHEDULE);
    config.collect.concurrency = CONCURRENCY;
    config.collect.max_requests_per_second = Rate::Unlimited;
    Ok(config)
}

/// Prints the addresses to open.
fn tell(app: &App, web: &Web, portal: SocketAddr) -> Result<()> {
    for address in app.addresses()? {
        output::print(&format!(
            "status page  http://{address}/\nmetrics      http://{address}{}\nhealth       http://{address}/health\n",
            web.telemetry_path
        ))?;
    }
    output::print(&format!("portal       http://{portal}/ (simulated)\n"))
}
