//! How a snapshot is swapped.

use std::sync::Arc;

use tokio::sync::watch;

use crate::config::Portal;
use crate::model::PortalName;
use crate::snapshot::{PortalView, ReindexView, Snapshot};

/// Takes the portals' views and shows them together.
#[derive(Debug, Clone, Default)]
pub struct Publisher(watch::Sender<Arc<Snapshot>>);

impl Publisher {
    /// Shows these portals from now on, in this order; nothing is known yet of those that are new.
    pub fn use_portals(&self, portals: &[Portal]) {
        self.0.send_modify(|snapshot| {
            let known = |name: &PortalName| snapshot.portals.iter().find(|view| view.name == *name);
            let view = |portal: &Portal| {
                let known = known(&portal.name).map(Arc::clone);
                known.unwrap_or_else(|| Arc::new(PortalView::unasked(portal)))
            };
            let portals: Vec<_> = portals.iter().map(view).collect();
            let mut reindex = snapshot.reindex.clone();
            reindex.retain(|name, _| portals.iter().any(|view| view.name == *name));
            *snapshot = Arc::new(Snapshot { portals, reindex });
        });
    }

    /// Replaces the view of one portal, if it is one of those that are shown.
    pub fn publish(&self, view: PortalView) {
        let view = Arc::new(view);
        self.0.send_modify(|snapshot| {
            let mut portals = snapshot.portals.clone();
            for portal in &mut portals {
                if portal.name == view.name {
                    *portal = Arc::clone(&view);
                }
            }
            let reindex = snapshot.reindex.clone();
            *snapshot = Arc::new(Snapshot { portals, reindex });
        });
    }

    /// Replaces what is decided about reindexing in one portal, if it is one of those that are shown.
    pub fn publish_reindex(&self, portal: &PortalName, view: ReindexView) {
        self.0.send_modify(|snapshot| {
            let mut changed = Snapshot::clone(snapshot);
            if changed.portals.iter().any(|shown| shown.name == *portal) {
                changed.reindex.insert(portal.clone(), Arc::new(view));
            }
            *snapshot = Arc::new(changed);
        });
    }

    /// Tells when something else is known.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.0.subscribe()
    }

    /// What is known now.
    #[must_use]
    pub fn current(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0.borrow())
    }
}
