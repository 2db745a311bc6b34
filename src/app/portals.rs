//! The portals of the configuration in use.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use crate::app::portal_tasks::{PortalTasks, Shared};
use crate::app::state::OpenState;
use crate::collect::{Plan, Settings};
use crate::config::{Config, Portal, State};
use crate::model::PortalName;
use crate::portal::{Client, Throttles};
use crate::reindex::Rules;
use crate::snapshot::PortalView;
use crate::store::Standing;

/// The parts that a configuration asks for, built and not yet started.
pub(super) struct Built {
    config: Config,
    clients: Vec<Arc<Client>>,
    state: Option<OpenState>,
}

pub(super) struct Portals {
    shared: Shared,
    tasks: JoinSet<()>,
    throttles: Throttles,
    running: BTreeMap<PortalName, Running>,
    state: Option<(State, OpenState)>,
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

impl Portals {
    pub fn new(shared: Shared) -> Self {
        Self {
            shared,
            tasks: JoinSet::new(),
            throttles: Throttles::default(),
            running: BTreeMap::new(),
            state: None,
            cancel: CancellationToken::new(),
        }
    }

    /// Builds what a configuration asks for, and changes nothing yet. What is wrong with one portal is the trouble of that portal: its list cannot
    /// be read.
    pub async fn build(&self, config: Config) -> Result<Built> {
        let client = |portal: &Portal| {
            let observer = self.shared.events.of(&portal.name);
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
        let config = built.config;
        for warning in config.warnings() {
            warn!("{warning}");
        }
        match built.state {
            Some(open) => {
                self.end_all_but(&[]).await;
                if let Some((_, before)) = self.state.replace((config.state.clone(), open)) {
                    before.store.close().await;
                }
            }
            None => self.end_all_but(&config.portals).await,
        }
        self.shared.publisher.use_portals(&config.portals);
        for (portal, client) in config.portals.iter().zip(built.clients) {
            let (plan, rules) = plan(&config, portal, client);
            if let Some(running) = self.running.get(&portal.name) {
                running.rules.send_replace(rules);
                running.plans.send_replace(plan);
            } else {
                info!(portal = %portal.name, address = %portal.base_url, reindexing = config.reindex.strongest_mode().as_str(), "portal is watched");
                self.start(&portal.name, plan, rules);
            }
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
            shared: self.shared.clone(),
            cancel: running.cancel.clone(),
        };
        self.tasks.spawn(running.task.track_future(tasks.run()));
        running.task.close();
        self.running.insert(name.clone(), running);
    }

    /// Ends the portals that are not among these, and waits until what they know is written. One with another address is another portal: nothing
    /// more is sent to the old one. What is not waited for to its end is waited for by the next call.
    async fn end_all_but(&mut self, portals: &[Portal]) {
        let is_gone = |(name, running): &(&PortalName, &Running)| {
            let before = running.plans.borrow().settings.address.clone();
            let is_same =
                |portal: &Portal| portal.name == **name && portal.base_url.normalised() == before;
            !portals.iter().any(is_same)
        };
        let gone = self.running.iter().filter(is_gone);
        let gone: Vec<_> = gone.map(|(name, _)| name.clone()).collect();
        for name in &gone {
            self.running[name].cancel.cancel();
        }
        for name in gone {
            self.running[&name].task.wait().await;
            self.running.remove(&name);
        }
    }

    /// Waits until it is known of each portal who reads it, and what is stored of those that this process reads.
    pub async fn started(&self) {
        let is_starting = |portal: &Arc<PortalView>| portal.standing == Standing::Starting;
        let mut changes = self.shared.publisher.changes();
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
        self.end_all_but(&[]).await;
        if let Some((_, open)) = &self.state {
            open.store.close().await;
        }
    }
}

/// How a portal is collected, and when its files are reindexed.
fn plan(config: &Config, portal: &Portal, client: Arc<Client>) -> (Plan, Rules) {
    let settings = Settings::new(portal, config);
    let rules = Rules {
        reindex: Arc::clone(&settings.reindex),
        zone: config.collect.timezone,
        max_classes: settings.errors.max_classes,
        client: Arc::clone(&client),
    };
    (Plan { settings, client }, rules)
}
