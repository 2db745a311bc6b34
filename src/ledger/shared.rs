//! What is known of each portal, for all who hold it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::ledger::error::LedgerError;
use crate::ledger::load::{Loaded, Opened};
use crate::ledger::view::LedgerView;
use crate::model::{PortalAddress, Timestamp};

/// What is known of one portal, or why nothing is. Only the writing thread changes it, after the commit.
pub(super) type SharedView = watch::Sender<Result<Arc<LedgerView>, LedgerError>>;

/// A portal that the ledger knows since now, for the writing thread to write down.
pub(super) type Met = (PortalAddress, Arc<LedgerView>);

/// What is known of each portal. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct SharedViews(Arc<Mutex<Views>>);

#[derive(Debug)]
struct Views {
    /// When the file was made, and when the clock was last found set; or why it is not open.
    opened: Result<Opened, LedgerError>,
    portals: HashMap<PortalAddress, SharedView>,
}

impl SharedViews {
    /// Nothing is known, for this reason.
    pub fn refused(error: LedgerError) -> Self {
        Self(Arc::new(Mutex::new(Views {
            opened: Err(error),
            portals: HashMap::new(),
        })))
    }

    /// What is known of a portal; and the view to write down, where it is met now.
    pub fn portal(&self, portal: &PortalAddress) -> (SharedView, Option<Arc<LedgerView>>) {
        let mut views = self.lock();
        if let Some(view) = views.portals.get(portal) {
            return (view.clone(), None);
        }
        let met = views.opened.clone().map(Opened::meet);
        let view = watch::Sender::new(met.clone());
        views.portals.insert(portal.clone(), view.clone());
        (view, met.ok())
    }

    /// Shows what a file holds that was opened. Portals that it does not know are met now, and returned.
    pub fn opened(&self, loaded: Loaded) -> Vec<Met> {
        let Loaded {
            opened,
            views: mut of,
            ..
        } = loaded;
        let mut views = self.lock();
        views.opened = Ok(opened);
        let mut met = Vec::new();
        for (portal, view) in &views.portals {
            let known = of.remove(portal).map(Arc::new);
            let shown = known.unwrap_or_else(|| {
                let view = opened.meet();
                met.push((portal.clone(), Arc::clone(&view)));
                view
            });
            let _before = view.send_replace(Ok(shown));
        }
        for (portal, view) in of {
            let view = watch::Sender::new(Ok(Arc::new(view)));
            views.portals.insert(portal, view);
        }
        met
    }

    /// Shows why nothing is known any more.
    pub fn closed(&self, error: &LedgerError) {
        let mut views = self.lock();
        views.opened = Err(error.clone());
        for view in views.portals.values() {
            let _before = view.send_replace(Err(error.clone()));
        }
    }

    /// Moves every time by so many milliseconds: the clock was found set at `now`.
    pub fn clock_was_set(&self, by: i64, now: Timestamp) {
        let mut views = self.lock();
        if let Ok(opened) = &mut views.opened {
            opened.created = opened.created.moved(by);
            opened.clock_set = Some(now);
        }
        for view in views.portals.values() {
            view.send_modify(|view| {
                if let Ok(view) = view {
                    *view = Arc::new(view.clock_was_set(by, now));
                }
            });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Views> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
