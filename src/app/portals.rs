//! The collectors that run: one for each portal of the configuration in use.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use crate::app::state::OpenState;
use crate::collect::progress::Progress;
use crate::collect::{Collector, Command, Dependencies, Settings};
use crate::config::{Collect, Config, Errors, Portal, Request, Schedule, State};
use crate::metrics::Events;
use crate::model::PortalName;
use crate::portal::{Client, Throttles};
use crate::reindex::{self, Reindexer, Rules};
use crate::schedule::{Due, Heartbeat, Ticker};
use crate::snapshot::Publisher;
use crate::store::Documents;
use crate::store::ledger::PortalLedger;

/// The parts that a configuration asks for, built and not yet started.
pub(super) struct Built {
    config: Config,
    clients: Vec<Arc<Client>>,
    state: Option<OpenState>,
}

impl Built {
    /// Fails if a portal cannot be reached with this configuration. At the start, that is the trouble of the one portal.
    pub fn prepare(&self) -> Result<()> {
        let mut portals = self.config.portals.iter().zip(&self.clients);
        portals.try_for_each(|(portal, client)| {
            let prepared = client.prepare();
            prepared.with_context(|| format!("portal {}", portal.name))
        })
    }
}

pub(super) struct Portals {
    events: Events,
    publisher: Publisher,
    heartbeat: Heartbeat,
    tasks: JoinSet<()>,
    throttles: Arc<Throttles>,
    running: BTreeMap<PortalName, Running>,
    state: Option<(State, OpenState)>,
    collectors: watch::Sender<Collectors>,
}

/// What the collections of a portal depend on. A reload that changes none of it starts no collection.
type CollectionPlan = (Portal, Collect, Request, Errors);

struct Running {
    command: mpsc::UnboundedSender<Command>,
    rules: watch::Sender<Rules>,
    plan: CollectionPlan,
    cancel: CancellationToken,
    collecting: TaskTracker,
}

impl Running {
    fn update(
        &mut self,
        rules: Rules,
        plan: CollectionPlan,
        settings: Settings,
        client: Arc<Client>,
        ticker: Ticker,
    ) {
        let changed = self.plan != plan;
        self.plan = plan;
        // From here on no decision is made by the old rules.
        self.rules.send_replace(rules);
        let command = Command {
            settings,
            client,
            ticker: changed.then_some(ticker),
        };
        // A collector ends only when it is cancelled, so there is always one that receives.
        let _ = self.command.send(command);
    }
}

/// The progress of each collector that runs, for liveness.
pub(super) type Collectors = BTreeMap<PortalName, Arc<Progress>>;

impl Portals {
    pub fn new(events: Events, publisher: Publisher, heartbeat: Heartbeat) -> Self {
        Self {
            events,
            publisher,
            heartbeat,
            tasks: JoinSet::new(),
            throttles: Arc::<Throttles>::default(),
            running: BTreeMap::new(),
            state: None,
            collectors: watch::Sender::default(),
        }
    }

    pub fn collectors(&self) -> watch::Receiver<Collectors> {
        self.collectors.subscribe()
    }

    /// Builds what a configuration asks for, and changes nothing yet.
    pub fn build(&self, config: Config) -> Result<Built> {
        let client = |portal: &Portal| {
            let observer = self.events.of(&portal.name);
            let (collect, request) = (&config.collect, &config.request);
            Client::new(portal, collect, request, observer, &self.throttles)
        };
        let clients = config.portals.iter().map(client).collect();
        let state = match &self.state {
            Some((current, _)) if *current == config.state => None,
            _ => Some(OpenState::open(&config)?),
        };
        Ok(Built {
            config,
            clients,
            state,
        })
    }

    /// Puts a configuration into use: portals that run already continue with it, others start or end.
    pub async fn use_config(&mut self, built: Built) {
        let Built {
            config,
            clients,
            state,
        } = built;
        if let Some(open) = state {
            self.stop_all().await;
            self.state = Some((config.state.clone(), open));
        }
        let Some((_, open)) = &self.state else {
            return;
        };
        let (documents, ledger) = (open.documents.clone(), open.ledger.clone());
        for warning in config.warnings() {
            warn!("{warning}");
        }
        self.publisher.use_portals(&config.portals);
        self.end_all_but(&config.portals).await;
        for (portal, client) in config.portals.iter().zip(clients) {
            let settings = Settings::new(portal, &config);
            let rules = Rules {
                reindex: Arc::clone(&settings.reindex),
                zone: config.collect.timezone,
                max_classes: settings.errors.max_classes,
                client: Arc::clone(&client),
            };
            let plan = (
                portal.clone(),
                config.collect.clone(),
                config.request.clone(),
                config.errors.clone(),
            );
            let ticker = self.heartbeat.ticker(due(&config.collect));
            let name = &portal.name;
            if let Some(running) = self.running.get_mut(name) {
                running.update(rules, plan, settings, client, ticker);
                continue;
            }
            info!(portal = %name, address = %portal.base_url, reindexing = config.reindex.strongest_mode().as_str(), "portal is watched");
            let (command, received) = mpsc::unbounded_channel();
            let running = Running {
                command,
                rules: watch::Sender::new(rules),
                plan,
                cancel: CancellationToken::new(),
                collecting: TaskTracker::new(),
            };
            let ledger = ledger.portal(&portal.base_url.normalised());
            if !ledger.is_shared() {
                // The reindexer says why it cannot be used, and tries again.
                let _ = ledger.follow().await;
            }
            self.start_reindexing(name, &ledger, &running);
            let dependencies = self.dependencies(client, &documents, name, ledger);
            let mut collector = Collector::new(settings, dependencies);
            collector.read_state().await;
            let collecting = collector.run(ticker, received, running.cancel.clone());
            self.tasks
                .spawn(running.collecting.track_future(collecting));
            self.running.insert(name.clone(), running);
        }
    }

    /// Ends the portals that are not among these, and waits until their collectors have written their state. One with another address
    /// is another portal: nothing more is sent to the old one.
    async fn end_all_but(&mut self, portals: &[Portal]) {
        let stays = |running: &Running| {
            let before = &running.plan.0;
            let is_same = |portal: &Portal| {
                portal.name == before.name
                    && portal.base_url.normalised() == before.base_url.normalised()
            };
            portals.iter().any(is_same)
        };
        let gone = self.running.extract_if(.., |_, running| !stays(running));
        let gone: Vec<_> = gone.collect();
        for (_, running) in &gone {
            running.cancel.cancel();
        }
        for (_, running) in gone {
            running.collecting.close();
            running.collecting.wait().await;
        }
        self.collectors
            .send_modify(|collectors| collectors.retain(|name, _| self.running.contains_key(name)));
    }

    /// Starts the reindexer of a portal.
    fn start_reindexing(&mut self, name: &PortalName, ledger: &PortalLedger, running: &Running) {
        let dependencies = reindex::Dependencies {
            ledger: ledger.clone(),
            events: self.events.of(name),
            publisher: self.publisher.clone(),
            rules: running.rules.subscribe(),
        };
        let reindexing = Reindexer::new(name.clone(), dependencies).run(running.cancel.clone());
        self.tasks.spawn(reindexing);
    }

    fn dependencies(
        &self,
        client: Arc<Client>,
        documents: &Documents,
        name: &PortalName,
        ledger: PortalLedger,
    ) -> Dependencies {
        let progress = Arc::<Progress>::default();
        self.collectors.send_modify(|collectors| {
            collectors.insert(name.clone(), Arc::clone(&progress));
        });
        Dependencies {
            client,
            state: documents.clone(),
            events: self.events.of(name),
            publisher: self.publisher.clone(),
            progress,
            ledger: Some(ledger),
        }
    }

    /// Waits until a collector panics.
    pub async fn broken(&mut self) -> anyhow::Error {
        while let Some(ended) = self.tasks.join_next().await {
            if let Err(error) = ended {
                return anyhow::Error::from(error).context("a collector broke");
            }
        }
        std::future::pending().await
    }

    /// Stops every collector and waits until their writes have ended.
    pub async fn stop_all(&mut self) {
        self.end_all_but(&[]).await;
        while self.tasks.join_next().await.is_some() {}
        if let Some((_, open)) = &self.state {
            open.ledger.close().await;
            open.documents.close().await;
        }
    }
}

fn due(collect: &Collect) -> Due {
    match &collect.schedule {
        Schedule::Every(gap) => Due::every(*gap, collect.jitter),
        Schedule::Cron(line) => {
            let line = line.pattern().clone();
            Due::cron(line, collect.timezone, collect.jitter)
        }
    }
}
