//! The thread that owns the file.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;

use tracing::warn;

use crate::ledger::Addresses;
use crate::ledger::clock::Clock;
use crate::ledger::database::Database;
use crate::ledger::error::LedgerError;
use crate::ledger::shared::SharedViews;
use crate::ledger::view::LedgerView;
use crate::model::{Moment, PortalAddress};

/// Work for the thread that owns the file.
pub(super) type Job = Box<dyn FnOnce(&mut Writer) + Send>;

/// Does one job after the other.
pub(super) struct Writer {
    folder: PathBuf,
    addresses: Addresses,
    database: Result<Database, LedgerError>,
    clock: Clock,
    views: SharedViews,
}

impl Writer {
    /// A writer whose file is not open yet.
    pub fn new(folder: PathBuf, addresses: Addresses, views: SharedViews) -> Self {
        Self {
            folder,
            addresses,
            database: Err(LedgerError::Closed),
            clock: Clock::start(Moment::now()),
            views,
        }
    }

    pub fn run(mut self, queue: mpsc::Receiver<Job>) {
        for job in queue {
            job(&mut self);
        }
    }

    /// Opens the file, where it is not open.
    pub fn open(&mut self) -> Result<(), LedgerError> {
        if self.database.is_ok() {
            return Ok(());
        }
        let result = Database::open(&self.folder, &self.addresses);
        let (database, loaded) = match result {
            Ok(opened) => opened,
            Err(error) => {
                self.views.closed(&error);
                self.database = Err(error.clone());
                return Err(error);
            }
        };
        self.clock = Clock::start(Moment::now());
        self.database = Ok(database);
        for (portal, view) in self.views.opened(loaded) {
            self.meet(&portal, &view)?;
        }
        Ok(())
    }

    /// The file, once its times are those of the clock as it goes now.
    pub fn database(&mut self) -> Result<&mut Database, LedgerError> {
        let database = self.database.as_mut().map_err(|error| error.clone())?;
        let now = Moment::now();
        if let Some(step) = self.clock.step(now) {
            let by = database.clock_was_set(step, now.wall)?;
            self.views.clock_was_set(by, now.wall);
            warn!(
                seconds = step / 1_000,
                "the clock was set; the limits of reindexing last as long as they would have"
            );
        }
        self.clock.goes_on(now);
        Ok(database)
    }

    /// Writes when a portal was first met.
    pub fn meet(
        &mut self,
        portal: &PortalAddress,
        view: &Arc<LedgerView>,
    ) -> Result<(), LedgerError> {
        self.database()?.meet(portal, view)
    }

    /// Closes the file for good.
    pub fn close(&mut self) {
        self.views.closed(&LedgerError::Closed);
        self.database = Err(LedgerError::Closed);
    }
}
