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

use crate::cli::output::OutputArgs;
use crate::cli::settings::ConfigArgs;
use crate::cli::view::{self, Form};
use crate::cli::{exit, output, settings};
use crate::clock::Moment;
use crate::collect::progress::Progress;
use crate::collect::{Collector, Dependencies, Settings};
use crate::config::{Config, Portal};
use crate::health::{self, Conditions};
use crate::metrics::{self, ConfigFacts, Events, Facts};
use crate::portal::{Client, Throttles};
use crate::reindex::kill_switch;
use crate::snapshot::Publisher;
use crate::store::StoredPortal;

/// What is counted, and how it is printed.
#[derive(Debug, Args)]
pub(super) struct ScanArgs {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    output: OutputArgs<Output>,
    /// Write to this file instead of standard output. The file is replaced atomically.
    #[arg(long = "output.file", value_name = "FILE")]
    output_file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Output {
    #[default]
    Table,
    Json,
    // The metrics of `/metrics` without those of the process, for the textfile collector of `node_exporter`.
    Prometheus,
}

/// Collects once and prints.
pub(super) fn run(args: &ScanArgs) -> Result<ExitCode> {
    let config = settings::config(&args.config)?;
    output::check(args.output_file.as_deref())?;
    let loaded = Moment::now().wall;
    let mut scan = Scan::new(&config)?;
    let runtime = settings::runtime()?;
    runtime.block_on(scan.collect());
    let facts = Facts {
        snapshot: scan.publisher.current(),
        config: ConfigFacts {
            reload_successful: true,
            loaded,
        },
        web: None,
        kill_switch: runtime.block_on(kill_switch::is_on(&config.reindex)),
        // It has ended when its metrics are read, and `node_exporter` has metrics of the same names itself.
        process: None,
        now: Moment::now(),
    };
    let conditions = Conditions {
        kill_switch: facts.kill_switch,
        reload_failed: false,
    };
    let health = health::judge(&facts.snapshot, conditions, facts.now);
    let text = match args.output.form() {
        Output::Table => view::text_of(&tables::lists(&health), Form::Table)?,
        Output::Json => view::text_of(&tables::lists(&health), Form::Json)?,
        Output::Prometheus => exposition(&scan.events, &facts)?,
    };
    output::write(&text, args.output_file.as_deref())?;
    if args.output.form() == Output::Prometheus {
        // The other forms have it.
        exit::tell(&exit::uncounted(&health));
    }
    Ok(exit::code(health.is_complete()))
}

/// A single collection of every portal.
struct Scan {
    events: Events,
    publisher: Publisher,
    collectors: Vec<Collector>,
    progress: Arc<Progress>,
}

impl Scan {
    /// Builds what the configuration asks for. Sends nothing.
    fn new(config: &Config) -> Result<Self> {
        let events = Events::new().context("the metrics cannot be set up")?;
        let (publisher, progress) = (Publisher::default(), Arc::<Progress>::default());
        publisher.use_portals(&config.portals);
        let throttles = Throttles::default();
        let collector = |portal: &Portal| {
            let events = events.of(&portal.name);
            let (collect, request) = (&config.collect, &config.request);
            let observer = Arc::clone(&events) as _;
            let dependencies = Dependencies {
                client: Client::new(portal, collect, request, observer, &throttles),
                events,
                publisher: publisher.clone(),
                progress: Arc::clone(&progress),
                ledger: None,
            };
            let nothing = StoredPortal::default();
            Collector::new(Settings::new(portal, config), dependencies, nothing)
        };
        Ok(Self {
            collectors: config.portals.iter().map(collector).collect(),
            events,
            publisher,
            progress,
        })
    }

    /// Collects all portals in parallel, and shows the progress.
    async fn collect(&mut self) {
        let collected = join_all(self.collectors.iter_mut().map(Collector::once));
        tokio::select! {
            _ = collected => {}
            never = bar::show(&self.publisher, &self.progress) => match never {},
        }
    }
}

fn exposition(events: &Events, facts: &Facts) -> Result<String> {
    let text = metrics::render(events, facts);
    let text = String::from_utf8(text.context("the metrics cannot be written")?);
    text.context("the metrics cannot be written")
}
