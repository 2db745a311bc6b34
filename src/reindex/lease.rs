//! Where several processes watch a portal: who may act.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{debug, info};

use crate::config::Mode;
use crate::model::PortalName;
use crate::reindex::{Dependencies, Rules};
use crate::snapshot::{PortalView, Publisher};
use crate::store::ledger::{Peers, PortalLedger, Standing};

/// Shows this process to the others, and keeps the lease of the portal while it has a folder to act on.
pub(super) struct LeaseKeeper {
    portal: PortalName,
    ledger: PortalLedger,
    publisher: Publisher,
    rules: watch::Receiver<Rules>,
    /// Whether this process acted, and what was known of the others, when that was logged last.
    logged: Option<(bool, Peers)>,
}

impl LeaseKeeper {
    pub fn new(portal: &PortalName, dependencies: &Dependencies) -> Self {
        Self {
            portal: portal.clone(),
            ledger: dependencies.ledger.clone(),
            publisher: dependencies.publisher.clone(),
            rules: dependencies.rules.clone(),
            logged: None,
        }
    }

    /// Renews what other processes see, until `cancel`; then nobody need wait for the end of the lease.
    pub async fn keep(mut self, cancel: &CancellationToken) {
        let Some(interval) = self.ledger.renewal_interval() else {
            return;
        };
        while !cancel.is_cancelled() {
            let (standing, acts) = self.claim();
            match self
                .ledger
                .renew_lease(self.portal.clone(), standing, acts)
                .await
            {
                Ok(()) => self.log(),
                Err(error) => {
                    debug!(portal = %self.portal, %error, "the lease cannot be renewed");
                }
            }
            cancel.run_until_cancelled(sleep(interval)).await;
        }
        // It ends by itself, too.
        let _ = self.ledger.leave(self.portal).await;
    }

    fn claim(&self) -> (Standing, bool) {
        let rules = self.rules.borrow().clone();
        let snapshot = self.publisher.current();
        let acts = has_folder_to_act_on(snapshot.portal(&self.portal), &rules);
        let standing = Standing {
            host: host_name(),
            pid: std::process::id(),
        };
        (standing, acts)
    }

    /// Logs who may act, when that is new.
    fn log(&mut self) {
        let (acts, peers) = (self.ledger.may_act(), self.ledger.peers());
        let is_off = self.rules.borrow().reindex.strongest_mode() == Mode::Off;
        let portal = &self.portal;
        let before = self.logged.as_ref();
        if before.is_none_or(|(acted, known)| *acted != acts || known.acting != peers.acting) {
            match &peers.acting {
                _ if acts => info!(%portal, "this process may reindex"),
                Some(other) => info!(%portal, acting = %other, "another process may reindex"),
                None if is_off => {}
                None => info!(%portal, "no process may reindex"),
            }
        }
        self.logged = Some((acts, peers));
    }
}

/// Whether a folder has the mode `enforce`; before the list of folders was read, whether one may have it.
fn has_folder_to_act_on(portal: Option<&Arc<PortalView>>, rules: &Rules) -> bool {
    let folders = portal.map(|portal| &portal.folders);
    match folders.filter(|folders| !folders.is_empty()) {
        None => {
            let mut all = rules.reindex.all_rules();
            all.any(|rules| rules.mode == Mode::Enforce)
        }
        Some(folders) => folders.values().any(|folder| {
            let of_folder = rules.reindex.for_folder(folder.id, folder.name.label());
            !folder.state.has_left() && of_folder.mode == Mode::Enforce
        }),
    }
}

fn host_name() -> String {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
}
