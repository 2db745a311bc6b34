//! One portal, from its lease to its end.
//!
//! The collector and the reindexer of a portal live as long as its lease: a reload that drops the portal, a lost lease, a stop and a panic end
//! them in one way, and the next ones begin with what is stored.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::collect::progress::Progress;
use crate::collect::{Collector, Dependencies, Plan};
use crate::metrics::Events;
use crate::model::PortalName;
use crate::reindex::{self, Reindexer, Rules};
use crate::schedule::Heartbeat;
use crate::snapshot::{PortalView, Publisher, Snapshot};
use crate::store::{Ledger, Standing, Store, StoredPortal};

/// How long a holder that cannot read its portal keeps the lease: another process may be able to.
const UNREADABLE: Duration = Duration::from_mins(10);

/// How long it leaves the lease to others then: they look at it every two seconds.
const LEFT_TO_OTHERS: Duration = Duration::from_secs(5);

/// The pause after what is stored could not be read, or after a panic.
const PAUSE: Duration = Duration::from_secs(2);

/// The progress of each collector that runs, for liveness.
pub(super) type Collectors = BTreeMap<PortalName, Arc<Progress>>;

/// What one portal needs.
pub(super) struct PortalTasks {
    pub name: PortalName,
    pub store: Store,
    pub plans: watch::Receiver<Plan>,
    pub rules: watch::Receiver<Rules>,
    pub events: Events,
    pub publisher: Publisher,
    pub heartbeat: Heartbeat,
    /// Has the progress of the collector while there is one.
    pub collectors: watch::Sender<Collectors>,
    pub cancel: CancellationToken,
}

/// Why the tasks of a portal ended.
#[derive(PartialEq, Eq)]
enum End {
    LeaseOver,
    Unreadable,
    Panic,
}

impl PortalTasks {
    /// Reads the portal whenever this process may, until it is cancelled.
    pub async fn run(self) {
        let cancel = self.cancel.clone();
        while let Some(ledger) = cancel.run_until_cancelled(self.acquire()).await {
            let end = self.live(&ledger).await;
            self.collectors
                .send_modify(|collectors| drop(collectors.remove(&self.name)));
            if let Err(error) = self.store.leave(ledger).await {
                warn!(portal = %self.name, %error, "the lease of the portal cannot be given up; it ends by itself");
            }
            if cancel.is_cancelled() {
                return;
            }
            let pause = match end {
                End::LeaseOver => {
                    info!(portal = %self.name, "another process reads the portal now");
                    continue;
                }
                End::Unreadable => {
                    info!(portal = %self.name, "the portal could not be read for ten minutes: another process may try");
                    LEFT_TO_OTHERS
                }
                End::Panic => PAUSE,
            };
            cancel.run_until_cancelled(sleep(pause)).await;
        }
    }

    /// Waits until this process may read the portal, and shows who does meanwhile.
    async fn acquire(&self) -> Ledger {
        let address = self.plans.borrow().settings.address.clone();
        self.store
            .acquire(&address, |standing| self.show(standing))
            .await
    }

    /// Shows that this process does not read the portal.
    fn show(&self, standing: Standing) {
        let current = self.publisher.current();
        let shown = current.portal(&self.name).map(|view| &view.standing);
        if shown == Some(&standing) {
            return;
        }
        let state_writes = match &standing {
            Standing::Unavailable(why) => {
                error!(portal = %self.name, error = why, "state cannot be used: nothing is counted until it can");
                Some(Err(why.clone()))
            }
            Standing::Standby(holder) => {
                info!(portal = %self.name, holder, "waits, because another process reads the portal");
                None
            }
            Standing::Starting | Standing::Active => None,
        };
        let portal = self.plans.borrow().settings.portal.clone();
        self.publisher.stand_by(PortalView {
            standing,
            state_writes,
            ..PortalView::unasked(&portal)
        });
    }

    /// Reads the portal until something ends that.
    async fn live(&self, ledger: &Ledger) -> End {
        let stored = tokio::select! {
            () = self.cancel.cancelled() => return End::LeaseOver,
            () = ledger.lease().over() => return End::LeaseOver,
            stored = self.load(ledger) => stored,
        };
        info!(portal = %self.name, folders = stored.folders.len(), "this process reads the portal");
        let end = self.cancel.child_token();
        let mut tasks = JoinSet::new();
        tasks.spawn(self.collector(ledger, stored, end.clone()));
        tasks.spawn(self.reindexer(ledger).run(end.clone()));
        // By themselves, the tasks end only when they see that the lease is over.
        let mut why = End::LeaseOver;
        loop {
            tokio::select! {
                // Nothing of what the tasks know holds any more: they are dropped.
                () = ledger.lease().over() => return End::LeaseOver,
                ended = tasks.join_next() => match ended {
                    None => return why,
                    Some(Ok(())) => {}
                    Some(Err(_)) => {
                        // The panic is in the log.
                        self.events.of(&self.name).panicked();
                        why = End::Panic;
                        end.cancel();
                    }
                },
                () = self.unreadable(), if self.store.is_shared() && !end.is_cancelled() => {
                    why = End::Unreadable;
                    end.cancel();
                }
            }
        }
    }

    /// Reads what is stored, however long that takes.
    async fn load(&self, ledger: &Ledger) -> StoredPortal {
        let entry = self.plans.borrow().settings.entry.clone();
        loop {
            match ledger.lease().load(entry.clone()).await {
                Ok(stored) => return stored,
                Err(error) => self.show(Standing::Unavailable(error.to_string())),
            }
            sleep(PAUSE).await;
        }
    }

    fn collector(
        &self,
        ledger: &Ledger,
        stored: StoredPortal,
        end: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static {
        let progress = Arc::<Progress>::default();
        self.collectors.send_modify(|collectors| {
            collectors.insert(self.name.clone(), Arc::clone(&progress));
        });
        let Plan {
            settings, client, ..
        } = self.plans.borrow().clone();
        let dependencies = Dependencies {
            client,
            events: self.events.of(&self.name),
            publisher: self.publisher.clone(),
            progress,
            ledger: Some(ledger.clone()),
        };
        let (plans, heartbeat) = (self.plans.clone(), self.heartbeat.clone());
        async move {
            Collector::new(settings, dependencies, stored)
                .run(plans, heartbeat, end)
                .await;
        }
    }

    fn reindexer(&self, ledger: &Ledger) -> Reindexer {
        let dependencies = reindex::Dependencies {
            ledger: ledger.clone(),
            events: self.events.of(&self.name),
            publisher: self.publisher.clone(),
            rules: self.rules.clone(),
        };
        Reindexer::new(self.name.clone(), dependencies)
    }

    /// Waits until the list of folders could not be read for [`UNREADABLE`].
    async fn unreadable(&self) {
        let mut changes = self.publisher.changes();
        let is_failing = |snapshot: &Arc<Snapshot>| {
            let portal = snapshot.portal(&self.name);
            portal.is_some_and(|portal| portal.list.failure.is_some())
        };
        loop {
            // The publisher lives as long as this.
            let _ = changes.wait_for(is_failing).await;
            let readable = changes.wait_for(|snapshot| !is_failing(snapshot));
            if tokio::time::timeout(UNREADABLE, readable).await.is_err() {
                return;
            }
        }
    }
}
