//! One portal, from its lease to its end.
//!
//! The collector and the reindexer of a portal live as long as its lease: a reload that drops the portal, a lost lease, a stop and a panic end
//! them in one way, and the next ones begin with what is stored.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
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

/// What the tasks of all portals share.
#[derive(Clone)]
pub(super) struct Shared {
    pub events: Events,
    pub publisher: Publisher,
    pub heartbeat: Heartbeat,
    /// Has the progress of each collector while there is one.
    pub collectors: watch::Sender<Collectors>,
}

/// What one portal needs.
pub(super) struct PortalTasks {
    pub name: PortalName,
    pub store: Store,
    pub plans: watch::Receiver<Plan>,
    pub rules: watch::Receiver<Rules>,
    pub shared: Shared,
    pub cancel: CancellationToken,
}

impl PortalTasks {
    /// Reads the portal whenever this process may, until it is cancelled.
    pub async fn run(self) {
        let cancel = self.cancel.clone();
        while let Some(ledger) = cancel.run_until_cancelled(self.acquire()).await {
            let pause = self.live(&ledger).await;
            self.shared
                .collectors
                .send_modify(|collectors| drop(collectors.remove(&self.name)));
            if let Err(error) = self.store.leave(ledger).await {
                warn!(portal = %self.name, %error, "the lease of the portal cannot be given up; it ends by itself");
            }
            if pause.is_zero() && !cancel.is_cancelled() {
                info!(portal = %self.name, "another process reads the portal now");
            }
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
        let current = self.shared.publisher.current();
        if current.portal(&self.name).map(|view| &view.standing) == Some(&standing) {
            return;
        }
        let mut view = PortalView::unasked(&self.plans.borrow().settings.portal);
        match &standing {
            Standing::Unavailable(why) => {
                error!(portal = %self.name, error = why, "state cannot be used: nothing is counted until it can");
                view.state_writes = Some(Err(why.clone()));
            }
            Standing::Standby(holder) => {
                info!(portal = %self.name, holder, "waits, because another process reads the portal");
            }
            Standing::Starting | Standing::Active => {}
        }
        view.standing = standing;
        self.shared.publisher.stand_by(view);
    }

    /// Reads the portal until it is cancelled, the lease is over or something breaks. Returns how long the lease is left to others then.
    async fn live(&self, ledger: &Ledger) -> Duration {
        let stored = tokio::select! {
            () = self.cancel.cancelled() => return Duration::ZERO,
            () = ledger.lease().over() => return Duration::ZERO,
            stored = self.load(ledger) => stored,
        };
        info!(portal = %self.name, folders = stored.folders.len(), "this process reads the portal");
        let end = self.cancel.child_token();
        let mut tasks = JoinSet::new();
        tasks.spawn(self.collect(ledger, stored, end.clone()));
        tasks.spawn(self.reindexer(ledger).run(end.clone()));
        // By themselves, the tasks end only when they see that the lease is over.
        let mut pause = Duration::ZERO;
        loop {
            tokio::select! {
                // Nothing of what the tasks know holds any more: they are dropped.
                () = ledger.lease().over() => return Duration::ZERO,
                has_panicked = all_ended(&mut tasks, &end) => {
                    if has_panicked {
                        // The panic is in the log.
                        self.shared.events.of(&self.name).panicked();
                        pause = PAUSE;
                    }
                    return pause;
                }
                () = self.unreadable(), if self.store.is_shared() && !end.is_cancelled() => {
                    info!(portal = %self.name, "the portal could not be read for ten minutes: another process may try");
                    pause = LEFT_TO_OTHERS;
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

    fn collect(
        &self,
        ledger: &Ledger,
        stored: StoredPortal,
        end: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static {
        let Plan { settings, client } = self.plans.borrow().clone();
        let dependencies = Dependencies {
            client,
            events: self.shared.events.of(&self.name),
            publisher: self.shared.publisher.clone(),
            progress: Arc::default(),
            ledger: Some(ledger.clone()),
        };
        self.shared.collectors.send_modify(|collectors| {
            collectors.insert(self.name.clone(), Arc::clone(&dependencies.progress));
        });
        let (plans, heartbeat) = (self.plans.clone(), self.shared.heartbeat.clone());
        async move {
            let collector = Collector::new(settings, dependencies, stored);
            collector.run(plans, heartbeat, end).await;
        }
    }

    fn reindexer(&self, ledger: &Ledger) -> Reindexer {
        let dependencies = reindex::Dependencies {
            ledger: ledger.clone(),
            events: self.shared.events.of(&self.name),
            publisher: self.shared.publisher.clone(),
            rules: self.rules.clone(),
        };
        Reindexer::new(self.name.clone(), dependencies)
    }

    /// Waits until the list of folders could not be read for [`UNREADABLE`].
    async fn unreadable(&self) {
        let mut changes = self.shared.publisher.changes();
        let is_failing = |snapshot: &Arc<Snapshot>| {
            let portal = snapshot.portal(&self.name);
            portal.is_some_and(|portal| portal.list.failure.is_some())
        };
        loop {
            // The publisher lives as long as this.
            let _ = changes.wait_for(is_failing).await;
            let readable = changes.wait_for(|snapshot| !is_failing(snapshot));
            if timeout(UNREADABLE, readable).await.is_err() {
                return;
            }
        }
    }
}

/// Waits until all tasks have ended, and returns whether one panicked: then the others end, too.
async fn all_ended(tasks: &mut JoinSet<()>, end: &CancellationToken) -> bool {
    let mut has_panicked = false;
    while let Some(ended) = tasks.join_next().await {
        if ended.is_err() {
            has_panicked = true;
            end.cancel();
        }
    }
    has_panicked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_ends_the_others() {
        let (mut tasks, end) = (JoinSet::new(), CancellationToken::new());
        let until = end.clone();
        tasks.spawn(async move { until.cancelled().await });
        tasks.spawn(async { panic!("a mistake") });
        let ended = timeout(PAUSE, all_ended(&mut tasks, &end)).await;
        assert_eq!(ended, Ok(true));
    }
}
