//! The thread that owns the database.

use std::sync::Arc;
use std::time::Duration;

use tracing::warn;

use crate::clock::Moment;
use crate::config::HiddenPath;
use crate::ledger::attempt::Intent;
use crate::ledger::attempt_id::AttemptId;
use crate::ledger::change::Misfit;
use crate::ledger::clock::StepDetector;
use crate::ledger::database::{Guard, LedgerDatabase};
use crate::ledger::error::LedgerError;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::lease::Leases;
use crate::ledger::open::open_file;
use crate::ledger::shared::SharedViews;
use crate::ledger::view::LedgerView;
use crate::model::PortalAddress;
use crate::sql::{SqlError, StateFolder};

/// How often a change is made again where other processes write at the same time.
const TRIES: u32 = 5;

/// How long the outcome of a commit is searched for after the connection ended in the middle of it: longer than the server keeps a transaction whose
/// client is gone.
const SEARCH: Duration = Duration::from_secs(25);

#[derive(Debug)]
pub enum Place {
    Folder(StateFolder),
    /// In the database whose URL a file has.
    Server(HiddenPath, Leases),
}

/// What the thread owns: the database, and whatever is needed to open it again.
#[derive(Debug)]
pub struct Writer {
    // Closed before another process may have the folder.
    database: Result<LedgerDatabase, LedgerError>,
    place: Place,
    clock: StepDetector,
    views: SharedViews,
}

impl Writer {
    /// A writer whose database is not open yet.
    pub fn new(place: Place, views: SharedViews) -> Self {
        Self {
            place,
            database: Err(SqlError::Closed.into()),
            clock: StepDetector::new(Moment::now()),
            views,
        }
    }

    /// Opens the database, where it is not open.
    pub fn open(&mut self) -> Result<(), LedgerError> {
        if self.database.is_ok() {
            return Ok(());
        }
        self.clock = StepDetector::new(Moment::now());
        let opened = match &self.place {
            Place::Folder(folder) => open_file(folder),
            Place::Server(url_file, leases) => LedgerDatabase::connect(url_file, leases.clone()),
        };
        match opened {
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

    /// Closes the database. From then on every change is refused for this reason.
    pub fn close(&mut self, reason: &LedgerError) {
        self.views.replace(Err(reason.clone()));
        self.database = Err(reason.clone());
    }

    /// The database, once its times are those of the clock as it goes now.
    fn database(&mut self) -> Result<&mut LedgerDatabase, LedgerError> {
        let database = self.database.as_mut().map_err(|error| error.clone())?;
        let now = Moment::now();
        if let Some(step) = self.clock.step(now)
            && let Some(views) = database.clock_was_set(step, now.wall)?
        {
            self.views.replace(Ok(views));
            warn!(
                seconds = step / 1_000,
                "the clock was set; the limits of reindexing last as long as they would have"
            );
        }
        self.clock.accept(now);
        Ok(database)
    }

    fn view(&mut self, portal: &PortalAddress) -> Result<Arc<LedgerView>, LedgerError> {
        let now = self.database()?.now();
        Ok(self.views.get(portal, || now)?.0)
    }

    /// Writes when a portal was first met.
    pub fn meet(&mut self, portal: &PortalAddress) -> Result<(), LedgerError> {
        let view = self.view(portal)?;
        self.database()?.meet(portal, &view)
    }

    /// Reads what other processes wrote of a portal.
    fn refresh(&mut self, portal: &PortalAddress) -> Result<(), LedgerError> {
        let known = self.view(portal)?;
        if let Some(newer) = self.database()?.newer(portal, &known)? {
            self.views.set(portal, newer);
        }
        Ok(())
    }

    /// Changes the view of a portal, if this process may act for it, and marks the requests to forgive as taken in: first on disk, then for
    /// everybody. What fails changes nothing. If another process wrote meanwhile, the change is made to what that wrote.
    pub fn change(
        &mut self,
        portal: &PortalAddress,
        taken: &[(i64, Forgiveness)],
        guard: Guard,
        change: &dyn Fn(&mut LedgerView) -> Result<(), Misfit>,
    ) -> Result<(), LedgerError> {
        for _ in 1..TRIES {
            match self.write_once(portal, taken, guard, change) {
                Err(LedgerError::Misfit(Misfit::Changed)) => self.refresh(portal)?,
                done => return done,
            }
        }
        self.write_once(portal, taken, guard, change)
    }

    fn write_once(
        &mut self,
        portal: &PortalAddress,
        taken: &[(i64, Forgiveness)],
        guard: Guard,
        change: &dyn Fn(&mut LedgerView) -> Result<(), Misfit>,
    ) -> Result<(), LedgerError> {
        let before = self.view(portal)?;
        let mut after = LedgerView::clone(&before);
        change(&mut after)?;
        if after == *before && taken.is_empty() {
            return Ok(());
        }
        let database = self.database()?;
        database.write(portal, &before, &mut after, taken, guard)?;
        self.views.set(portal, after);
        Ok(())
    }

    /// Adds an attempt, unless anything was written since the view on which it was decided.
    pub fn intend(
        &mut self,
        portal: &PortalAddress,
        intent: &Intent,
        decided_on: &Arc<LedgerView>,
    ) -> Result<AttemptId, LedgerError> {
        if !Arc::ptr_eq(&self.view(portal)?, decided_on) {
            return Err(Misfit::Changed.into());
        }
        let id = self.database()?.next_id()?;
        let add = |view: &mut LedgerView| view.intend(id, intent.clone());
        match self.write_once(portal, &[], Guard::Lease, &add) {
            Ok(()) => Ok(id),
            Err(LedgerError::Misfit(Misfit::Changed)) => {
                self.refresh(portal)?;
                Err(Misfit::Changed.into())
            }
            Err(LedgerError::Sql(SqlError::CommitUnknown(why))) => self.search(portal, id, why),
            Err(error) => Err(error),
        }
    }

    /// Finds out whether an attempt was committed.
    fn search(
        &mut self,
        portal: &PortalAddress,
        id: AttemptId,
        why: String,
    ) -> Result<AttemptId, LedgerError> {
        let end = Moment::now().steady + SEARCH;
        while Moment::now().steady < end {
            if self.refresh(portal).is_ok() {
                let found = self.view(portal)?.attempt(id).is_some();
                return if found {
                    Ok(id)
                } else {
                    Err(SqlError::Away(why).into())
                };
            }
            // The server is left alone for a while after each error.
            std::thread::sleep(Duration::from_millis(200));
        }
        Err(SqlError::CommitUnknown(why).into())
    }

    /// Reads what other processes wrote of a portal. Opens the database where that failed before. Fails where nothing can be written.
    pub fn follow(&mut self, portal: &PortalAddress) -> Result<(), LedgerError> {
        self.open()?;
        self.refresh(portal)?;
        self.database()?.check_write()
    }

    /// Takes in what people forgave in a portal, and returns it.
    pub fn take_in(&mut self, portal: &PortalAddress) -> Result<Vec<Forgiveness>, LedgerError> {
        let database = self.database()?;
        let mut asked = database.asked_to_forgive(portal)?;
        let now = database.now();
        for (_, forgiveness) in &mut asked {
            // What comes later is not forgiven, whatever the clock was when they asked.
            forgiveness.at = forgiveness.at.min(now);
        }
        if !asked.is_empty() {
            self.change(portal, &asked, Guard::Lease, &|view| {
                for (_, forgiveness) in &asked {
                    view.forgive(forgiveness);
                }
                Ok(())
            })?;
        }
        Ok(asked.into_iter().map(|(_, forgiven)| forgiven).collect())
    }

    /// Takes or renews the lease of a portal. Opens the database where that failed before.
    pub fn renew_lease(&mut self, portal: &PortalAddress) -> Result<(), LedgerError> {
        self.open()?;
        self.database()?.renew_lease(portal)
    }

    /// Ends the lease of a portal.
    pub fn release_lease(&mut self, portal: &PortalAddress) -> Result<(), LedgerError> {
        self.database()?.release_lease(portal)
    }
}
