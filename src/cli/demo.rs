//! `kb-exporter demo`: the exporter and a simulated portal in one process.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::app::{App, Web};
use crate::cli::portal::{self, PortalArgs};
use crate::cli::web::WebArgs;
use crate::cli::{output, settings};
use crate::config::{
    BaseUrl, Budget, Config, HiddenPath, KeySource, Mode, Portal, Rate, ReindexRules, Schedule,
};
use crate::model::PortalName;
use kb_simulator::Simulator;

/// How often the demo collects.
const SCHEDULE: Duration = Duration::from_secs(5);

/// Requests in flight to the simulated portal.
const CONCURRENCY: NonZeroUsize = const { NonZeroUsize::new(4).expect("4 is not 0") };

/// Default of `--portal.speed` in a demo: about twenty files a second are processed, so that all that wait, or are requeued, are
/// processed within minutes.
const SPEED: &str = "30";

/// The options of the demo.
#[derive(Debug, Args)]
#[command(mut_arg("speed", |speed| speed.default_value(SPEED)))]
pub(super) struct DemoArgs {
    #[command(flatten)]
    web: WebArgs,
    #[command(flatten)]
    portal: PortalArgs,
    /// Reindex in this mode.
    #[arg(long, value_name = "MODE", default_value = "dry_run", value_parser = Mode::parse)]
    reindex: Mode,
}

/// Runs until a signal.
pub(super) fn run(args: &DemoArgs) -> Result<ExitCode> {
    let web = args.web.settings(Ipv4Addr::LOCALHOST)?;
    settings::run_until_signal(async |stop| {
        let Some(demo) = Demo::new(args, &stop).await? else {
            return Ok(());
        };
        let app = demo.app(&web).await?;
        print_addresses(&app, &web, demo.listener.local_addr()?)?;
        demo.run(app, stop).await
    })
}

/// The simulated portal, and how it is watched.
struct Demo {
    listener: TcpListener,
    simulator: Simulator,
    config: Config,
    /// The folder of the key, until it is dropped.
    _folder: TempDir,
}

impl Demo {
    /// Nothing if it is stopped before.
    async fn new(args: &DemoArgs, stop: &CancellationToken) -> Result<Option<Self>> {
        let listener = portal::bind(&args.portal).await?;
        let Some(simulator) = portal::generate(&args.portal, stop).await? else {
            return Ok(None);
        };
        let folder = tempfile::tempdir().context("no temporary folder can be made")?;
        let key_file = folder.path().join("key");
        std::fs::write(&key_file, &args.portal.key).context("the demo's key cannot be written")?;
        let mut config = demo_config(listener.local_addr()?, &key_file)?;
        config.reindex.rules = reindex_rules(args.reindex);
        Ok(Some(Self {
            listener,
            simulator,
            config,
            _folder: folder,
        }))
    }

    async fn app(&self, web: &Web) -> Result<App> {
        let config = self.config.clone();
        let source = Box::new(move || Ok(config.clone()));
        App::bind(source, web).await
    }

    /// Runs both. The portal outlives the exporter, so that the exporter's last requests are answered.
    async fn run(self, app: App, stop: CancellationToken) -> Result<()> {
        let portal_stop = CancellationToken::new();
        let until = portal_stop.clone().cancelled_owned();
        let served = tokio::spawn(self.simulator.serve(self.listener, until));
        let result = app.run(stop).await;
        portal_stop.cancel();
        served.await.context("the simulated portal panicked")??;
        result
    }
}

fn demo_config(address: SocketAddr, key_file: &Path) -> Result<Config> {
    let name = PortalName::new("demo").ok_or_else(|| anyhow!("the demo portal has no name"))?;
    let base_url = BaseUrl::parse(&format!("http://{address}")).map_err(|error| anyhow!(error))?;
    let key = KeySource::File(HiddenPath::file("the demo", key_file));
    let portal = Portal::new(name, base_url, key);
    let mut config = Config::for_portal(portal);
    config.collect.schedule = Schedule::Every(SCHEDULE);
    config.collect.concurrency = CONCURRENCY;
    config.collect.max_requests_per_second = Rate::Unlimited;
    Ok(config)
}

/// Rules that show attempts and their effects within minutes.
fn reindex_rules(mode: Mode) -> ReindexRules {
    ReindexRules {
        mode,
        min_age: Duration::from_secs(15),
        // Also the cooldown of all folders at the start, when the ledger is new.
        cooldown: Duration::from_secs(30),
        // Enough that no folder has to wait.
        budget: Budget {
            files: 50_000,
            per: Duration::from_mins(10),
        },
        ..ReindexRules::default()
    }
}

/// Prints the addresses to open.
fn print_addresses(app: &App, web: &Web, portal: SocketAddr) -> Result<()> {
    for address in app.addresses()? {
        output::print(&format!(
            "status page  http://{address}/\nmetrics      http://{address}{}\nhealth       http://{address}/health\n",
            web.telemetry_path
        ))?;
    }
    output::print(&format!("portal       http://{portal}/ (simulated)\n"))
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches as _};

    use super::*;

    fn args(line: &str) -> DemoArgs {
        let command = DemoArgs::augment_args(Command::new("demo"));
        let flags = line.split_whitespace();
        let found = command.get_matches_from(std::iter::once("demo").chain(flags));
        DemoArgs::from_arg_matches(&found).unwrap()
    }

    #[test]
    fn the_portal_is_faster_than_elsewhere_unless_a_speed_is_set() {
        let fast: f64 = SPEED.parse().unwrap();
        for (line, speed) in [
            ("", fast),
            ("--portal.speed 0", 0.0),
            ("--portal.speed 2", 2.0),
        ] {
            let found = args(line).portal.speed;
            assert!((found - speed).abs() < f64::EPSILON, "{line}: {found}");
        }
    }
}
