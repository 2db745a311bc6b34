//! The portals of the configuration in use.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use crate::app::portal_tasks::{Collectors, PortalTasks};
use crate::app::state::OpenState;
use crate::collect::{Plan, Settings};
use crate::config::{Config, Portal, State};
use crate::metrics::Events;
use crate::model::PortalName;
use crate::portal::{Client, Throttles};
use crate::reindex::Rules;
use crate::schedule::{Due, Heartbeat};
use crate::snapshot::{PortalView, Publisher};
use crate::store::Standing;

/// The parts that a configuration asks for, built and not yet started.
pub(super) struct Built {
    config: Config,
    clients: Vec<Arc<Client>>,
    state: Option<OpenState>,
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
    /// Ends every portal.
    cancel: CancellationToken,
}

/// A portal that is watched.
struct Running {
    plans: watch::Sender<Plan>,
    rules: watch::Sender<Rules>,
    cancel: CancellationToken,
    task: TaskTracker,
}

impl Running {
    fn portal(&self) -> Portal {
        self.plans.borrow().settings.portal.clone()
    }
}

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
            cancel: CancellationToken::new(),
        }
    }

    pub fn collectors(&self) -> watch::Receiver<Collectors> {
        self.collectors.subscribe()
    }

    /// Builds what a configuration asks for, and changes nothing yet. What is wrong with one portal is the trouble of that portal: its list cannot
    /// be read.
    pub async fn build(&self, config: Config) -> Result<Built> {
        let client = |portal: &Portal| {
            let observer = self.events.of(&portal.name);
            let (collect, request) = (&config.collect, &config.request);
            Client::new(portal, collect, request, observer, &self.throttles)
        };
        let clients = config.portals.iter().map(client).collect();
        let state = match &self.state {
            Some((current, _)) if *current == config.state => None,
            _ => Some(OpenState::open(&config.state).await?),
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
            ended(self.cancel_all_but(&[])).await;
            if let Some((_, before)) = self.state.replace((config.state.clone(), open)) {
                before.store.close().await;
            }
        }
        for warning in config.warnings() {
            warn!("{warning}");
        }
        self.publisher.use_portals(&config.portals);
        let gone = self.cancel_all_but(&config.portals);
        let mut new = Vec::new();
        for (portal, client) in config.portals.iter().zip(clients) {
            let settings = Settings::new(portal, &config);
            let rules = Rules {
                reindex: Arc::clone(&settings.reindex),
                zone: config.collect.timezone,
                max_classes: settings.errors.max_classes,
                client: Arc::clone(&client),
            };
            let basis = (
                portal.clone(),
                config.collect.clone(),
                config.request.clone(),
                config.errors.clone(),
            );
            let collect = &config.collect;
            let plan = Plan {
                settings,
                client,
                due: Due::new(collect.schedule.clone(), collect.timezone, collect.jitter),
                basis: Arc::new(basis),
            };
            if let Some(running) = self.running.get(&portal.name) {
                // From here on no decision is made by the old rules.
                running.rules.send_replace(rules);
                running.plans.send_replace(plan);
                continue;
            }
            new.push((portal, plan, rules));
        }
        ended(gone).await;
        for (portal, plan, rules) in new {
            info!(portal = %portal.name, address = %portal.base_url, reindexing = config.reindex.strongest_mode().as_str(), "portal is watched");
            self.start(&portal.name, plan, rules);
        }
    }

    fn start(&mut self, name: &PortalName, plan: Plan, rules: Rules) {
        let Some((_, open)) = &self.state else {
            return;
        };
        let running = Running {
            plans: watch::Sender::new(plan),
            rules: watch::Sender::new(rules),
            cancel: self.cancel.child_token(),
            task: TaskTracker::new(),
        };
        let tasks = PortalTasks {
            name: name.clone(),
            store: open.store.clone(),
            plans: running.plans.subscribe(),
            rules: running.rules.subscribe(),
            events: self.events.clone(),
            publisher: self.publisher.clone(),
            heartbeat: self.heartbeat.clone(),
            collectors: self.collectors.clone(),
            cancel: running.cancel.clone(),
        };
        self.tasks.spawn(running.task.track_future(tasks.run()));
        self.running.insert(name.clone(), running);
    }

    /// Cancels the portals that are not among these, and returns them. One with another address is another portal: nothing more is sent to the
    /// old one.
    fn cancel_all_but(&mut self, portals: &[Portal]) -> Vec<Running> {
        let stays = |running: &Running| {
            let before = running.portal();
            let is_same = |portal: &Portal| {
                portal.name == before.name
                    && portal.base_url.normalised() == before.base_url.normalised()
            };
            portals.iter().any(is_same)
        };
        let gone = self.running.extract_if(.., |_, running| !stays(running));
        let gone: Vec<_> = gone.map(|(_, running)| running).collect();
        for running in &gone {
            running.cancel.cancel();
        }
        gone
    }

    /// Waits until it is known of each portal who reads it, and what is stored of those that this process reads.
    pub async fn started(&self) {
        let is_starting = |portal: &Arc<PortalView>| portal.standing == Standing::Starting;
        let mut changes = self.publisher.changes();
        let started = changes.wait_for(|snapshot| !snapshot.portals.iter().any(is_starting));
        // The publisher lives as long as this.
        let _ = started.await;
    }

    /// Waits until a part breaks that never should.
    pub async fn broken(&mut self) -> anyhow::Error {
        while let Some(ended) = self.tasks.join_next().await {
            if let Err(error) = ended {
                return anyhow::Error::from(error).context("the part for a portal broke");
            }
        }
        std::future::pending().await
    }

    /// Ends every portal, and waits until what is known is written. From then on no portal can be started.
    pub async fn stop_all(&mut self) {
        self.cancel.cancel();
        while self.tasks.join_next().await.is_some() {}
        if let Some((_, open)) = &self.state {
            open.store.close().await;
        }
    }
}

/// Waits until what these portals know is written.
async fn ended(gone: Vec<Running>) {
    for running in gone {
        running.task.close();
        running.task.wait().await;
    }
}
