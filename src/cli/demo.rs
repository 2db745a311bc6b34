//! `kb-exporter demo`: everything in one process, beside a simulated portal.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use tokio_util::sync::CancellationToken;

use crate::app::{App, Web};
use crate::cli::failure::Failure;
use crate::cli::{ConfigArgs, PortalArgs, WebArgs, output, portal, settings};
use crate::config::{
    BaseUrl, Breaker, Budget, Config, KeySource, Mode, Portal, Rate, ReindexRules, Schedule,
};
use crate::model::PortalName;
use crate::shutdown;
use crate::simulator::Simulator;

/// How often the demo collects.
const SCHEDULE: Duration = Duration::from_secs(5);

/// Requests in flight to the simulated portal.
const CONCURRENCY: NonZeroUsize = const { NonZeroUsize::new(4).expect("4 is not 0") };

/// A file must have been seen failed for this long before the demo sends it back.
const MIN_AGE: Duration = Duration::from_secs(15);

/// Pause of a folder of the demo after an attempt.
const COOLDOWN: Duration = Duration::from_mins(1);

/// By then an attempt of the demo is judged.
const VERIFY_AFTER: Duration = Duration::from_secs(90);

/// What the demo's portal may be asked for: so much that no folder has to wait for a day.
const BUDGET: Budget = Budget {
    actions: 1_000,
    files: 100_000,
    per: Duration::from_hours(1),
};

/// Attempts of the demo that may wait for their verdict: one for each folder.
const NO_EFFECT: NonZeroU32 = const { NonZeroU32::new(12).expect("12 is not 0") };

/// What the demo is like.
#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    #[command(flatten)]
    portal: PortalArgs,
    /// Whether failed files are put back into the queue.
    #[arg(long, value_name = "MODE", default_value = "dry_run", value_parser = mode)]
    reindex: Mode,
}

fn mode(word: &str) -> Result<Mode, String> {
    let mut modes = [Mode::Off, Mode::DryRun, Mode::Enforce].into_iter();
    let mode = modes.find(|mode| mode.as_str() == word);
    mode.ok_or_else(|| "expected off, dry_run or enforce".to_owned())
}

/// Runs until a signal.
pub(super) fn run(
    config: &ConfigArgs,
    web: &WebArgs,
    args: &DemoArgs,
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

async fn demo(web: &Web, args: &DemoArgs, stop: CancellationToken) -> Result<()> {
    let listener = portal::bind(&args.portal).await?;
    let address = listener.local_addr()?;
    let folder = tempfile::tempdir().context("no temporary folder can be made")?;
    let key_file = folder.path().join("key");
    std::fs::write(&key_file, &args.portal.key).context("the demo's key cannot be written")?;
    let mut config = demo_config(address, &key_file)?;
    config.reindex.rules = reindex_rules(args.reindex);
    let app = App::bind(Box::new(move || Ok(config.clone())), web).await?;
    tell(&app, web, address)?;
    let simulator = Simulator::new(settings::simulator(&args.portal));
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

/// Rules under which a visitor sees something happen within minutes.
fn reindex_rules(mode: Mode) -> ReindexRules {
    ReindexRules {
        mode,
        min_age: MIN_AGE,
        cooldown: COOLDOWN,
        verify_after: VERIFY_AFTER,
        budget: BUDGET,
        breaker: Breaker {
            no_effect: NO_EFFECT,
            ..Breaker::default()
        },
        ..ReindexRules::default()
    }
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
