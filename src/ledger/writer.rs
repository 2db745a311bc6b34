//! The thread that owns the file.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use tracing::warn;

use crate::ledger::Addresses;
use crate::ledger::attempt::Intent;
use crate::ledger::change::Misfit;
use crate::ledger::clock::StepDetector;
use crate::ledger::database::Database;
use crate::ledger::error::LedgerError;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::mode::AttemptId;
use crate::ledger::shared::SharedViews;
use crate::ledger::view::LedgerView;
use crate::model::{Moment, PortalAddress};

/// What the thread owns: the file, and whatever is needed to open it again.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    addresses: Addresses,
    database: Result<Database, LedgerError>,
    clock: StepDetector,
    views: SharedViews,
}

impl Writer {
    /// A writer whose file is not open yet.
    pub fn new(folder: PathBuf, addresses: Addresses, views: SharedViews) -> Self {
        Self {
            folder,
            addresses,
            database: Err(LedgerError::Closed),
            clock: StepDetector::new(Moment::now()),
            views,
        }
    }

    /// Opens the file, where it is not open.
    pub fn open(&mut self) -> Result<(), LedgerError> {
        if self.database.is_ok() {
            return Ok(());
        }
        self.clock = StepDetector::new(Moment::now());
        match Database::open(&self.folder, &self.addresses) {
            Ok((database, views)) => {
                self.database = Ok(database);
                self.views.replace(Ok(views));
                Ok(())
            }
            Err(error) => {
                self.close(&error);
                Err(error)
            }
        }
    }

    /// Closes the file. From then on every change is refused for this reason.
    pub fn close(&mut self, reason: &LedgerError) {
        self.views.replace(Err(reason.clone()));
        self.database = Err(reason.clone());
    }

    /// The file, once its times are those of the clock as it goes now.
    fn database(&mut self) -> Result<&mut Database, LedgerError> {
        let database = self.database.as_mut().map_err(|error| error.clone())?;
        let now = Moment::now();
        if let Some(step) = self.clock.step(now) {
            self.views
                .replace(Ok(database.clock_was_set(step, now.wall)?));
            warn!(
                seconds = step / 1_000,
                "the clock was set; the limits of reindexing last as long as they would have"
            );
        }
        self.clock.accept(now);
        Ok(database)
    }

    /// Writes when a portal was first met.
    pub fn meet(&mut self, portal: &PortalAddress) -> Result<(), LedgerError> {
        self.database()?;
        let (view, _) = self.views.get(portal)?;
        self.database()?.write(portal, &view, &view, &[])
    }

    /// Changes what is known of a portal, and marks the requests to forgive as taken in: first on disk, then for everybody. What fails
    /// changes nothing.
    pub fn change(
        &mut self,
        portal: &PortalAddress,
        taken: &[(i64, Forgiveness)],
        change: impl FnOnce(&mut LedgerView) -> Result<(), Misfit>,
    ) -> Result<(), LedgerError> {
        self.database()?;
        let (before, _) = self.views.get(portal)?;
        let mut after = LedgerView::clone(&before);
        change(&mut after)?;
        self.database()?.write(portal, &before, &after, taken)?;
        self.views.set(portal, after);
        Ok(())
    }

    /// Adds an attempt, unless anything was written since the view on which it was decided.
    pub fn intend(
        &mut self,
        portal: &PortalAddress,
        intent: Intent,
        decided_on: &Arc<LedgerView>,
    ) -> Result<AttemptId, LedgerError> {
        let database = self.database()?;
        let id = database.next_id();
        if !Arc::ptr_eq(&self.views.get(portal)?.0, decided_on) {
            return Err(Misfit::Changed.into());
        }
        self.change(portal, &[], |view| view.intend(id, intent))?;
        Ok(id)
    }

    /// Takes in what people forgave in a portal, and returns it. Opens the file where that failed before. Fails where the disk refuses writes.
    pub fn take_in(&mut self, portal: &PortalAddress) -> Result<Vec<Forgiveness>, LedgerError> {
        self.open()?;
        let database = self.database()?;
        database.check_write()?;
        let mut asked = database.asked_to_forgive(portal)?;
        for (_, forgiveness) in &mut asked {
            // What comes later is not forgiven, whatever the clock was when they asked.
            forgiveness.at = forgiveness.at.min(SystemTime::now().into());
        }
        if !asked.is_empty() {
            self.change(portal, &asked, |view| {
                for (_, forgiveness) in &asked {
                    view.forgive(forgiveness);
                }
                Ok(())
            })?;
        }
        Ok(asked.into_iter().map(|(_, forgiven)| forgiven).collect())
    }
}
