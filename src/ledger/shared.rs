//! The views of all portals, for all who hold the ledger.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ledger::error::LedgerError;
use crate::ledger::load::Views;
use crate::ledger::view::LedgerView;
use crate::model::{PortalAddress, Timestamp};

/// The view of each portal, or why there is none. Only the writing thread changes what is known already, after the commit. Cheap to
/// clone.
#[derive(Debug, Clone)]
pub(super) struct SharedViews(Arc<Mutex<Result<Views, LedgerError>>>);

impl SharedViews {
    /// Nothing is known, for this reason.
    pub fn refused(error: LedgerError) -> Self {
        Self(Arc::new(Mutex::new(Err(error))))
    }

    /// The view of a portal, and whether it was met just now: then that is still to be written.
    pub fn get(
        &self,
        portal: &PortalAddress,
        now: impl FnOnce() -> Timestamp,
    ) -> Result<(Arc<LedgerView>, bool), LedgerError> {
        let mut views = self.lock();
        let views = views.as_mut().map_err(|error| error.clone())?;
        if let Some(view) = views.portals.get(portal) {
            return Ok((Arc::clone(view), false));
        }
        let view = Arc::new(views.meet(now()));
        views.portals.insert(portal.clone(), Arc::clone(&view));
        Ok((view, true))
    }

    /// Replaces the view of a portal.
    pub fn set(&self, portal: &PortalAddress, view: LedgerView) {
        if let Ok(views) = self.lock().as_mut() {
            views.portals.insert(portal.clone(), Arc::new(view));
        }
    }

    /// Replaces everything by what a file holds, or by the reason why it cannot be used.
    pub fn replace(&self, views: Result<Views, LedgerError>) {
        *self.lock() = views;
    }

    fn lock(&self) -> MutexGuard<'_, Result<Views, LedgerError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
