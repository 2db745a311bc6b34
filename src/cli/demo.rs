//! `kb-exporter demo`: the exporter and a simulated portal in one process.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::cli::portal::{self, PortalArgs};
use crate::cli::web::WebArgs;
use crate::cli::{output, settings};
use crate::config::{Config, ConfigError, Mode};

/// The file of the key, in a folder of the demo.
const KEY: &str = "key";

/// Default of `--portal.speed` in a demo: about twenty files a second are processed, so that all that wait, or are requeued, are
/// processed within minutes.
const SPEED: &str = "30";

/// The options of the demo.
#[derive(Debug, Args)]
#[command(mut_arg("speed", |speed| speed.default_value(SPEED)))]
pub(super) struct DemoArgs {
    /// Reindex in this mode: off, `dry_run` or enforce.
    #[arg(
        long,
        value_name = "MODE",
        default_value = "dry_run",
        hide_possible_values = true
    )]
    reindex: Mode,
    #[command(flatten)]
    portal: PortalArgs,
    #[command(flatten)]
    web: WebArgs,
}

/// Runs until a signal.
pub(super) fn run(args: &DemoArgs) -> Result<ExitCode> {
    let web = args.web.settings(Ipv4Addr::LOCALHOST)?;
    settings::run_until_signal(async |stop| {
        let listener = portal::bind(&args.portal).await?;
        let Some(simulator) = portal::generate(&args.portal, &stop).await? else {
            return Ok(());
        };
        let address = listener.local_addr()?;
        // It has the key and the state, until it is dropped.
        let folder = tempfile::tempdir().context("no temporary folder can be made")?;
        let key_file = folder.path().join(KEY);
        std::fs::write(key_file, &args.portal.key).context("the demo's key cannot be written")?;
        let config = demo_config(address, folder.path(), args.reindex)?;
        let app = App::bind(Box::new(move || Ok(config.clone())), &web).await?;
        let (page, metrics) = (&app.page, web.telemetry_path.trim_start_matches('/'));
        output::print(&format!(
            "status page  {page}\nmetrics      {page}{metrics}\nhealth       {page}health\nportal       http://{address}/ (simulated)\n"
        ))?;
        // The portal outlives the exporter, so that the exporter's last requests are answered.
        let portal_stop = CancellationToken::new();
        let until = portal_stop.clone().cancelled_owned();
        let served = tokio::spawn(simulator.serve(listener, until));
        let result = app.run(stop).await;
        portal_stop.cancel();
        served.await.context("the simulated portal panicked")??;
        result
    })
}

/// As a file would have it, so that `/config` shows what is in use. The rules show attempts and their effects within minutes.
fn demo_config(address: SocketAddr, folder: &Path, mode: Mode) -> Result<Config, ConfigError> {
    let config = json!({
        "portals": [{"name": "demo", "base_url": format!("http://{address}"), "api_key_file": folder.join(KEY)}],
        "collect": {"schedule": "5s", "concurrency": 4, "max_requests_per_second": 100_000},
        "state": {"path": folder.join("state")},
        "reindex": {
            "mode": mode.as_str(),
            "min_age": "15s",
            // Also the cooldown of all folders at the start, when the ledger is new.
            "cooldown": "30s",
            // Enough that no folder has to wait.
            "budget": {"files": 50_000, "per": "10m"},
        },
    });
    Config::from_yaml("the demo", config.to_string())
}

#[cfg(test)]
mod tests {
    use crate::cli::{Cli, Command};

    #[test]
    fn a_speed_that_is_given_takes_the_place_of_that_of_a_demo() {
        for (flag, expected) in [(None, "30"), (Some("--portal.speed=0.5"), "0.5")] {
            let words = ["kb-exporter", "demo"].into_iter().chain(flag);
            let read = Cli::read(words.map(Into::into)).unwrap();
            let Some(Command::Demo(args)) = read.command else {
                panic!("{flag:?}")
            };
            assert_eq!(args.portal.speed.to_string(), expected);
        }
    }
}
