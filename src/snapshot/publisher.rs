//! How a new snapshot replaces the old one.

use std::sync::Arc;

use tokio::sync::watch;

use crate::config::Portal;
use crate::model::PortalName;
use crate::snapshot::{PortalView, ReindexView, Snapshot};
use crate::store::Standing;

/// Publishes the views of all portals together.
#[derive(Debug, Clone, Default)]
pub struct Publisher(watch::Sender<Arc<Snapshot>>);

impl Publisher {
    /// Shows these portals from now on, in this order. New ones are empty.
    pub fn use_portals(&self, portals: &[Portal]) {
        let new = |portal| PortalView {
            standing: Standing::Starting,
            ..PortalView::unasked(portal)
        };
        self.update(|snapshot| {
            let known = |portal: &Portal| snapshot.portal(&portal.name).cloned();
            let views = portals.iter();
            let views = views.map(|portal| known(portal).unwrap_or_else(|| new(portal).into()));
            snapshot.portals = views.collect();
            let is_shown = |name: &PortalName| portals.iter().any(|portal| portal.name == *name);
            snapshot.reindex.retain(|name, _| is_shown(name));
        });
    }

    /// Replaces the view of one portal, if it is one of those that are shown.
    pub fn publish(&self, view: PortalView) {
        self.update(|snapshot| {
            let mut portals = snapshot.portals.iter_mut();
            if let Some(portal) = portals.find(|portal| portal.name == view.name) {
                *portal = Arc::new(view);
            }
        });
    }

    /// Replaces the view of a portal that this process does not read.
    pub fn stand_by(&self, view: PortalView) {
        self.update(|snapshot| drop(snapshot.reindex.remove(&view.name)));
        self.publish(view);
    }

    /// Replaces the decisions about reindexing in one portal, if it is one of those that are shown.
    pub fn publish_reindex(&self, portal: &PortalName, view: ReindexView) {
        self.update(|snapshot| {
            if snapshot.portal(portal).is_some() {
                snapshot.reindex.insert(portal.clone(), Arc::new(view));
            }
        });
    }

    /// Changes a copy of the snapshot if somebody still reads it.
    fn update(&self, change: impl FnOnce(&mut Snapshot)) {
        self.0
            .send_modify(|snapshot| change(Arc::make_mut(snapshot)));
    }

    pub fn changes(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.0.subscribe()
    }

    pub fn current(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0.borrow())
    }
}
