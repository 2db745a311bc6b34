//! The view of each portal, for all who hold the ledger.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::attempts::LedgerView;
use crate::clock::Moment;
use crate::model::PortalAddress;
use crate::store::clock::Reading;
use crate::store::error::{LedgerError, StoreError};
use crate::store::statement::Revision;

/// What is known of a portal's log up to a revision.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub view: Arc<LedgerView>,
    /// The last event; `None` before the first.
    pub revision: Option<Revision>,
    /// Events since the one that has all before it.
    pub events: usize,
}

impl Known {
    /// The clock at a moment, with the steps of it that the log has.
    pub fn at(&self, at: Moment) -> Reading {
        let steps = self.view.steps();
        Reading { at, steps }
    }
}

/// Only the thread of the ledger changes them, after the commit. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Views(Arc<Mutex<HashMap<PortalAddress, Result<Known, LedgerError>>>>);

impl Views {
    /// What is known of a portal, or why nothing is.
    pub fn get(&self, portal: &PortalAddress) -> Result<Known, LedgerError> {
        let known = self.lock().get(portal).cloned();
        known.unwrap_or_else(|| Err(StoreError::NotOpened.into()))
    }

    pub fn set(&self, portal: &PortalAddress, known: Known) {
        self.lock().insert(portal.clone(), Ok(known));
    }

    /// What was known before holds again.
    pub fn restore(&self, portal: &PortalAddress, before: Result<Known, LedgerError>) {
        self.lock().insert(portal.clone(), before);
    }

    /// Notes why a portal's log cannot be read, unless something is known of it.
    pub fn refuse(&self, portal: &PortalAddress, error: &LedgerError) {
        let mut views = self.lock();
        if !matches!(views.get(portal), Some(Ok(_))) {
            views.insert(portal.clone(), Err(error.clone()));
        }
    }

    /// Forgets everything, for this reason.
    pub fn close(&self, error: &LedgerError) {
        for known in self.lock().values_mut() {
            *known = Err(error.clone());
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PortalAddress, Result<Known, LedgerError>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
