//! The collectors that run: one for each portal of the configuration in use.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::app::state::OpenState;
use crate::collect::progress::Progress;
use crate::collect::{Collector, Orders, Reindexing, Settings, Tools};
use crate::config::{Config, Portal, Schedule, State};
use crate::ledger::Ledger;
use crate::metrics::Events;
use crate::model::PortalName;
use crate::portal::Client;
use crate::reindex::Reindexer;
use crate::schedule::{Heart, Plan};
use crate::snapshot::Publisher;
use crate::state::{Saved, Store};

/// Everything that a configuration asks for, built and not yet started. What can fail has failed before this exists.
pub(super) struct Built {
    config: Config,
    clients: Vec<Arc<Client>>,
    state: Option<(OpenState, Saved)>,
}

impl Built {
    /// Builds a configuration; `current` is the state that is in use already.
    pub fn new(config: Config, current: Option<&State>, events: &Events) -> Result<Self> {
        let build = |portal: &Portal| {
            let observer = events.of(&portal.name);
            Client::build(portal, &config.collect, &config.request, observer)
                .with_context(|| format!("portal {}", portal.name))
        };
        let clients = config.portals.iter().map(build).collect::<Result<_>>()?;
        let state = match current {
            Some(current) if *current == config.state => None,
            _ => Some(OpenState::open(&config.state)?),
        };
        Ok(Self {
            config,
            clients,
            state,
        })
    }
}

/// The running collectors.
pub(super) struct Portals {
    events: Events,
    publisher: Publisher,
    heart: Heart,
    tasks: JoinSet<()>,
    running: BTreeMap<PortalName, Running>,
    state: Option<(State, OpenState)>,
    pulses: Pulses,
}

struct Running {
    orders: mpsc::UnboundedSender<Orders>,
    cancel: CancellationToken,
}

/// How far each collector has come, for liveness.
#[derive(Debug, Clone, Default)]
pub(super) struct Pulses(Arc<Mutex<BTreeMap<PortalName, Arc<Progress>>>>);

impl Pulses {
    /// A collector that has shown no sign of life for longer than `limit`.
    pub fn silent(&self, limit: Duration) -> Option<PortalName> {
        let pulses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let silent = pulses
            .iter()
            .find(|(_, progress)| progress.silence() > limit);
        silent.map(|(name, _)| name.clone())
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<PortalName, Arc<Progress>>)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Portals {
    pub fn new(events: Events, publisher: Publisher, heart: Heart) -> Self {
        Self {
            events,
            publisher,
            heart,
            tasks: JoinSet::new(),
            running: BTreeMap::new(),
            state: None,
            pulses: Pulses::default(),
        }
    }

    pub fn pulses(&self) -> Pulses {
        self.pulses.clone()
    }

    pub fn events(&self) -> &Events {
        &self.events
    }

    /// The state that is in use.
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref().map(|(state, ..)| state)
    }

    /// Puts a configuration into use: portals that are there already go on with it, others start or end.
    pub async fn use_config(&mut self, built: Built) {
        let Built {
            config,
            clients,
            state,
        } = built;
        let mut saved = Saved::default();
        if let Some((open, kept)) = state {
            self.stop_all().await;
            self.state = Some((config.state.clone(), open));
            saved = kept;
        }
        let Some((_, open)) = &self.state else {
            return;
        };
        let (store, ledger) = (open.store.clone(), open.ledger.clone());
        self.publisher.use_portals(&config.portals);
        self.running.retain(|name, running| {
            let stays = config.portals.iter().any(|portal| portal.name == *name);
            if !stays {
                running.cancel.cancel();
            }
            stays
        });
        self.pulses
            .change(|pulses| pulses.retain(|name, _| self.running.contains_key(name)));
        for (portal, client) in config.portals.iter().zip(clients) {
            let settings = Settings::new(portal, &config);
            let ticker = self.heart.ticker(plan(&config), config.collect.jitter);
            if let Some(running) = self.running.get(&portal.name) {
                let orders = Orders {
                    settings,
                    client,
                    ticker,
                };
                // A collector ends only when it is told to, so there is always one to take the orders.
                let _ = running.orders.send(orders);
            } else {
                let name = &portal.name;
                let cancel = CancellationToken::new();
                let reindexing = self.start_reindexing(name, &ledger, cancel.clone());
                let tools = self.tools(client, &store, name, reindexing);
                let collector = Collector::new(settings, tools, saved.take(name));
                self.start(name, collector, ticker, cancel);
            }
        }
    }

    /// Starts what reindexes a portal, and tells where its batches go.
    fn start_reindexing(
        &mut self,
        name: &PortalName,
        ledger: &Ledger,
        cancel: CancellationToken,
    ) -> Reindexing {
        let ledger = ledger.portal(name);
        let (batches, received) = mpsc::channel(1);
        let (events, publisher) = (self.events.of(name), self.publisher.clone());
        let reindexer = Reindexer::new(name.clone(), ledger.clone(), events, publisher);
        self.tasks.spawn(reindexer.run(received, cancel));
        Reindexing { batches, ledger }
    }

    fn tools(
        &self,
        client: Arc<Client>,
        store: &Store,
        name: &PortalName,
        reindexing: Reindexing,
    ) -> Tools {
        let progress = Arc::<Progress>::default();
        self.pulses.change(|pulses| {
            pulses.insert(name.clone(), Arc::clone(&progress));
        });
        Tools {
            client,
            store: store.clone(),
            events: self.events.of(name),
            publisher: self.publisher.clone(),
            progress,
            reindexing: Some(reindexing),
        }
    }

    fn start(
        &mut self,
        name: &PortalName,
        collector: Collector,
        ticker: crate::schedule::Ticker,
        cancel: CancellationToken,
    ) {
        let (orders, received) = mpsc::unbounded_channel();
        self.tasks
            .spawn(collector.run(ticker, received, cancel.clone()));
        self.running
            .insert(name.clone(), Running { orders, cancel });
    }

    /// Waits until a collector breaks that was not told to end.
    pub async fn broken(&mut self) -> anyhow::Error {
        while let Some(ended) = self.tasks.join_next().await {
            if let Err(error) = ended {
                return anyhow::Error::from(error).context("a collector broke");
            }
        }
        std::future::pending().await
    }

    /// Stops every collector and waits until what they were writing is written.
    pub async fn stop_all(&mut self) {
        for (_, running) in std::mem::take(&mut self.running) {
            running.cancel.cancel();
        }
        while self.tasks.join_next().await.is_some() {}
        self.pulses.change(BTreeMap::clear);
    }
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
