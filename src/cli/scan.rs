//! `kb-exporter scan`: collects once and prints what was found.

mod bar;
pub(super) mod tables;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::{MissedTickBehavior, interval};

use crate::cli::settings::ConfigArgs;
use crate::cli::{document, exit, output, settings, table};
use crate::clock::Moment;
use crate::collect::progress::Progress;
use crate::collect::{Collector, Dependencies, Settings};
use crate::config::{Config, Portal};
use crate::health::{self, Conditions, Health};
use crate::metrics::{self, ConfigFacts, Events};
use crate::portal::{Client, Throttles};
use crate::reindex::kill_switch;
use crate::snapshot::{Publisher, Snapshot};
use crate::store::StoredPortal;

use bar::{Bar, Frame};

/// What is counted, and how it is printed.
#[derive(Debug, Args)]
pub(super) struct ScanArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Print in this format: table, json or prometheus.
    #[arg(
        long,
        value_name = "FORM",
        default_value = "table",
        hide_possible_values = true
    )]
    output: Output,
    /// Write to this file instead of standard output. The file is replaced atomically.
    #[arg(long = "output.file", value_name = "FILE")]
    output_file: Option<PathBuf>,
}

/// An output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// Tables of files by folder and status, and by error class.
    Table,
    /// A JSON document.
    Json,
    /// The metrics of `/metrics` without those of the process, for the textfile collector of `node_exporter`.
    Prometheus,
}

/// Collects once and prints.
pub(super) fn run(args: &ScanArgs) -> Result<ExitCode> {
    let config = settings::config(&args.config)?;
    output::check(args.output_file.as_deref())?;
    let facts = ConfigFacts {
        reload_successful: true,
        loaded: Moment::now().wall,
    };
    let mut scan = Scan::new(&config)?;
    let runtime = settings::runtime()?;
    runtime.block_on(scan.collect(Bar::on_terminal()));
    let kill_switch = runtime.block_on(kill_switch::is_on(&config.reindex));
    scan.events.show_kill_switch(kill_switch);
    let snapshot = scan.publisher.current();
    let conditions = Conditions {
        kill_switch,
        reload_failed: false,
    };
    let health = health::judge(&snapshot, conditions, Moment::now());
    let text = match args.output {
        Output::Table => tables::text(&health, table::terminal_width()),
        Output::Json => json(&health)?,
        Output::Prometheus => exposition(&scan.events, facts, &snapshot)?,
    };
    output::write(&text, args.output_file.as_deref())?;
    Ok(exit::code(health.is_complete()))
}

/// A single collection of every portal.
struct Scan {
    events: Events,
    publisher: Publisher,
    collectors: Vec<Collector>,
    progress: Vec<Arc<Progress>>,
    throttles: Throttles,
}

impl Scan {
    /// Builds what the configuration asks for. Sends nothing.
    fn new(config: &Config) -> Result<Self> {
        let events = Events::new().context("the metrics cannot be set up")?;
        let mut scan = Self {
            events,
            publisher: Publisher::default(),
            collectors: Vec::new(),
            progress: Vec::new(),
            throttles: Throttles::default(),
        };
        scan.publisher.use_portals(&config.portals);
        for portal in &config.portals {
            scan.add(config, portal);
        }
        Ok(scan)
    }

    fn add(&mut self, config: &Config, portal: &Portal) {
        let events = self.events.of(&portal.name);
        let (collect, request) = (&config.collect, &config.request);
        let observer = Arc::clone(&events) as _;
        let client = Client::new(portal, collect, request, observer, &self.throttles);
        let progress = Arc::<Progress>::default();
        self.progress.push(Arc::clone(&progress));
        let dependencies = Dependencies {
            client,
            events,
            publisher: self.publisher.clone(),
            progress,
            ledger: None,
        };
        let settings = Settings::new(portal, config);
        let nothing = StoredPortal::default();
        let collector = Collector::new(settings, dependencies, nothing);
        self.collectors.push(collector);
    }

    /// Collects all portals in parallel, and shows the progress.
    async fn collect(&mut self, bar: Option<Bar>) {
        let mut collected = join_all(self.collectors.iter_mut().map(Collector::once));
        let Some(bar) = bar else {
            collected.await;
            return;
        };
        let mut ticks = interval(bar::FRAME_TIME);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = &mut collected => return bar.clear(),
                _ = ticks.tick() => {
                    let rows = self.progress.iter().map(|progress| progress.rows()).sum();
                    bar.show(Frame::of(&self.publisher.current(), rows));
                }
            }
        }
    }
}

fn json(health: &Health) -> Result<String> {
    let portals = health.portals.iter();
    let portals = portals.map(|portal| document::portal(portal, &[]));
    output::document(&json!({ "portals": portals.collect::<Value>() }))
}

fn exposition(events: &Events, config: ConfigFacts, snapshot: &Snapshot) -> Result<String> {
    let text = metrics::render(events, config, snapshot, Moment::now());
    let text = String::from_utf8(text.context("the metrics cannot be written")?);
    text.context("the metrics cannot be written")
}
