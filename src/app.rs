//! Builds the parts, binds the addresses, supervises the tasks and drains them.
//!
//! [`App::bind`] does all that can fail before anything is started; [`App::run`] runs until it is told to stop, or until
//! a task ends that never should.

mod state;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::collect::progress::Progress;
use crate::collect::{Collector, Settings, Tools};
use crate::config::{Config, Schedule};
use crate::http::serve::{Limits, serve};
use crate::http::site::{Liveness, Site};
use crate::metrics::{ConfigFacts, Events};
use crate::portal::Client;
use crate::schedule::{Heart, Plan};
use crate::snapshot::{PortalView, Publisher};

use state::StateFolder;

/// Without a sign of life for this long, a part of the process counts as stuck.
const MAX_SILENCE: Duration = Duration::from_mins(1);

/// Running requests and writes may take this long at the end.
const DRAIN: Duration = Duration::from_secs(8);

/// Where and how the process serves.
#[derive(Debug, Clone)]
pub struct Web {
    /// Addresses to listen on.
    pub addresses: Vec<SocketAddr>,
    /// The path of the metrics.
    pub telemetry_path: String,
}

/// The whole process, bound to its addresses and ready to run.
pub struct App {
    listeners: Vec<TcpListener>,
    site: Site,
    collectors: Vec<Collector>,
    plan: Plan,
    jitter: Duration,
    heart: Heart,
    cancel: CancellationToken,
    _state: StateFolder,
}

impl App {
    /// Builds everything that a configuration asks for and binds the addresses.
    pub async fn bind(config: &Config, web: &Web) -> Result<Self> {
        let events = Events::new().context("the metrics cannot be set up")?;
        let publisher = Publisher::new(config.portals.iter().map(PortalView::unasked).collect());
        let clients = clients(config, &events)?;
        let listeners = listeners(&web.addresses).await?;
        let (state, store, mut saved) = StateFolder::open(&config.state)?;
        let cancel = CancellationToken::new();
        let heart = Heart::start(cancel.clone()).await?;
        let mut collectors = Vec::new();
        let mut progress = Vec::new();
        for (portal, client) in config.portals.iter().zip(clients) {
            let tools = Tools {
                client,
                store: store.clone(),
                events: events.of(&portal.name),
                publisher: publisher.clone(),
                progress: Arc::default(),
            };
            progress.push((portal.name.to_string(), Arc::clone(&tools.progress)));
            let settings = Settings::new(portal, &config.collect, &config.errors);
            collectors.push(Collector::new(settings, tools, saved.take(&portal.name)));
        }
        let facts = ConfigFacts {
            reload_successful: true,
            loaded: SystemTime::now().into(),
        };
        let liveness = liveness(&heart, progress);
        Ok(Self {
            site: Site::new(
                events,
                publisher,
                facts,
                liveness,
                web.telemetry_path.clone(),
            ),
            listeners,
            collectors,
            plan: plan(config),
            jitter: config.collect.jitter,
            heart,
            cancel,
            _state: state,
        })
    }

    /// The addresses that it listens on.
    pub fn addresses(&self) -> Result<Vec<SocketAddr>> {
        let addresses = self.listeners.iter().map(TcpListener::local_addr);
        Ok(addresses.collect::<std::io::Result<_>>()?)
    }

    /// Collects and serves until `stop`; then lets running requests end.
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        let mut tasks = JoinSet::new();
        let router = self.site.router();
        for listener in self.listeners {
            let (router, cancel) = (router.clone(), self.cancel.clone());
            tasks.spawn(async move {
                serve(listener, router, Limits::default(), cancel).await?;
                anyhow::Ok(())
            });
        }
        for collector in self.collectors {
            let ticker = self.heart.ticker(self.plan.clone(), self.jitter);
            let cancel = self.cancel.clone();
            tasks.spawn(async move {
                collector.run(ticker, cancel).await;
                anyhow::Ok(())
            });
        }
        let ended = tokio::select! {
            () = stop.cancelled() => None,
            ended = tasks.join_next() => ended,
        };
        self.cancel.cancel();
        // What does not end in time is cut when the tasks are dropped.
        let drained = async { while tasks.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(DRAIN, drained).await;
        match ended {
            None => Ok(()),
            Some(Ok(Ok(()))) => bail!("a part of the program ended early"),
            Some(Ok(Err(error))) => Err(error),
            Some(Err(error)) => Err(error).context("a part of the program broke"),
        }
    }
}

fn clients(config: &Config, events: &Events) -> Result<Vec<Arc<Client>>> {
    let build = |portal: &crate::config::Portal| {
        Client::build(
            portal,
            &config.collect,
            &config.request,
            events.of(&portal.name),
        )
        .with_context(|| format!("portal {}", portal.name))
    };
    config.portals.iter().map(build).collect()
}

async fn listeners(addresses: &[SocketAddr]) -> Result<Vec<TcpListener>> {
    let mut listeners = Vec::with_capacity(addresses.len());
    for address in addresses {
        let listener = TcpListener::bind(address).await;
        listeners.push(listener.with_context(|| format!("cannot listen on {address}"))?);
    }
    Ok(listeners)
}

fn plan(config: &Config) -> Plan {
    match &config.collect.schedule {
        Schedule::Every(gap) => Plan::Every(*gap),
        Schedule::Cron(line) => Plan::Cron {
            line: Box::new(line.pattern().clone()),
            timezone: config.collect.timezone,
        },
    }
}

fn liveness(heart: &Heart, collectors: Vec<(String, Arc<Progress>)>) -> Liveness {
    let pulse = heart.pulse();
    Box::new(move || {
        let silent = |silence: Duration| silence > MAX_SILENCE;
        if silent(pulse.last_beat().elapsed()) {
            return Err("the schedule stands still".to_owned());
        }
        match collectors
            .iter()
            .find(|(_, progress)| silent(progress.silence()))
        {
            Some((portal, _)) => Err(format!("the collector of portal {portal} stands still")),
            None => Ok(()),
        }
    })
}
