//! The database of a process, and the leases that it takes, keeps and gives up there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::sleep;
use tracing::debug;

use crate::clock::UpTime;
use crate::model::PortalAddress;
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::lease::{Lease, LeaseRow};
use crate::store::ledger::{self, Ledger};
use crate::store::place::{Access, Place, process};
use crate::store::statement::Connection;
use crate::store::worker::Worker;

/// How often a process that waits for a lease looks at it.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How a process stands to a portal of its configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It was not looked at yet.
    Starting,
    /// It reads the portal.
    Active,
    /// It waits for this other process.
    Standby(String),
    /// The database cannot be used, for this reason.
    Unavailable(String),
}

/// The database of this process. Cheap to clone; the database is closed with the last handle.
#[derive(Debug, Clone)]
pub struct Store(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    place: Place,
    /// This process, for people and other processes.
    process: String,
    /// How long a lease lasts without a write.
    length: Duration,
    worker: Worker,
    held: Mutex<HashMap<PortalAddress, Held>>,
    /// Entries of the configuration with one address take its lease one after the other.
    taking: tokio::sync::Mutex<()>,
}

/// A lease of this process. Entries of the configuration with one address share it.
#[derive(Debug)]
struct Held {
    ledger: Ledger,
    users: usize,
}

impl Store {
    /// Opens the database. A folder that is in use is waited for, and so is a server that cannot be reached; a folder that cannot be used
    /// otherwise is an error.
    pub async fn open(place: Place, length: Duration) -> Result<Self, StoreError> {
        let process = process();
        let database = Database::new(place.clone(), Access::Serve);
        let store = Self(Arc::new(Shared {
            worker: Worker::start(database),
            process,
            length,
            held: Mutex::default(),
            taking: tokio::sync::Mutex::default(),
            place,
        }));
        if store.0.place.is_server() {
            tokio::spawn(keep(Arc::downgrade(&store.0), length));
            return Ok(store);
        }
        match store.look().await {
            Err(error) if error.is_of_folder() => Err(error),
            _ => Ok(store),
        }
    }

    /// Waits until this process may read a portal. `show` is told how it stands meanwhile.
    pub async fn acquire(&self, portal: &PortalAddress, mut show: impl FnMut(Standing)) -> Ledger {
        let mut seen = None;
        loop {
            match self.shared_or_taken(portal, &mut seen).await {
                Ok(Ok(ledger)) => return ledger,
                Ok(Err(holder)) | Err(StoreError::InUse { holder, .. }) => {
                    show(Standing::Standby(holder));
                }
                Err(error) => show(Standing::Unavailable(error.to_string())),
            }
            sleep(LOOK_EVERY.min(self.0.length / 2)).await;
        }
    }

    /// An entry of the configuration needs its lease no more. After the last one, other processes may take it.
    pub async fn leave(&self, ledger: Ledger) -> Result<(), StoreError> {
        let lease = ledger.lease();
        {
            let mut all = self.held();
            let held = all.get_mut(lease.portal());
            if let Some(held) = held.filter(|held| held.ledger.lease().is_same(lease)) {
                held.users -= 1;
                if held.users > 0 {
                    return Ok(());
                }
                all.remove(lease.portal());
            }
        }
        if lease.is_over() {
            return Ok(());
        }
        lease.give_up().await
    }

    /// Whether other processes may have it as well.
    pub fn is_shared(&self) -> bool {
        self.0.place.is_server()
    }

    /// Closes the database after all earlier writes.
    pub async fn close(&self) {
        let close = async |database: &mut Database| {
            database.close().await;
            Ok(())
        };
        // Where the thread has ended, it is closed.
        let _ = self.0.worker.run(close).await;
    }

    /// Whether the database can be used.
    async fn look(&self) -> Result<(), StoreError> {
        let nothing = async |_: &mut Connection| Ok(());
        let look = async move |database: &mut Database| database.read(nothing).await;
        self.0.worker.run(look).await
    }

    /// The lease of another entry of the configuration with the same address.
    fn shared_with(&self, portal: &PortalAddress) -> Option<Ledger> {
        let mut all = self.held();
        let held = all.get_mut(portal)?;
        if held.ledger.lease().is_over() {
            return None;
        }
        held.users += 1;
        Some(held.ledger.clone())
    }

    async fn shared_or_taken(
        &self,
        portal: &PortalAddress,
        seen: &mut Option<(LeaseRow, UpTime)>,
    ) -> Result<Result<Ledger, String>, StoreError> {
        let _one_by_one = self.0.taking.lock().await;
        match self.shared_with(portal) {
            Some(ledger) => Ok(Ok(ledger)),
            None => self.try_to_take(portal, seen).await,
        }
    }

    /// Takes a lease that nobody has, that was given up, or that did not change for its length; otherwise returns who has it. Whoever had it before
    /// is gone, and with it the answers to its requests: the ledger is read in the same transaction.
    async fn try_to_take(
        &self,
        portal: &PortalAddress,
        seen: &mut Option<(LeaseRow, UpTime)>,
    ) -> Result<Result<Ledger, String>, StoreError> {
        let (portal, process) = (portal.clone(), self.0.process.clone());
        let (worker, length) = (self.0.worker.clone(), self.0.length);
        let is_server = self.0.place.is_server();
        let before = seen.take();
        let take = async move |database: &mut Database| {
            let began = UpTime::now();
            let take = async |connection: &mut Connection| {
                let row = LeaseRow::read(connection, &portal).await?;
                let since = match (&before, &row) {
                    (Some((before, since)), Some(row)) if before == row => *since,
                    _ => began,
                };
                let is_over =
                    |row: &LeaseRow| row.holder.is_empty() || began.since(since) >= length;
                if let Some(row) = row.as_ref().filter(|row| is_server && !is_over(row)) {
                    return Ok(Err((row.clone(), since)));
                }
                let taken = LeaseRow::take(row.as_ref(), connection, &portal, &process).await?;
                let Some(taken) = taken else {
                    let first = LeaseRow::unknown();
                    return Ok(Err((first, began)));
                };
                let book = ledger::take_over(connection, &portal).await?;
                Ok(Ok((taken, book)))
            };
            let taken = database.transaction(take).await?;
            Ok(taken.map(|(taken, book)| {
                let length = is_server.then_some(length);
                Ledger::new(Lease::new(portal, &taken, worker, length, began), book)
            }))
        };
        match self.0.worker.run(take).await? {
            Ok(ledger) => {
                let held = Held {
                    ledger: ledger.clone(),
                    users: 1,
                };
                let portal = ledger.lease().portal().clone();
                self.held().insert(portal, held);
                Ok(Ok(ledger))
            }
            Err((row, since)) => {
                let holder = row.holder.clone();
                *seen = Some((row, since));
                Ok(Err(holder))
            }
        }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<PortalAddress, Held>> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Beats the leases of a process in which nothing was written for a third of their length, until the store is dropped.
async fn keep(store: Weak<Shared>, length: Duration) {
    loop {
        sleep(length / 6).await;
        let Some(shared) = store.upgrade() else {
            return;
        };
        let due: Vec<Lease> = {
            let store = Store(shared);
            let all = store.held();
            let leases = all.values().map(|held| held.ledger.lease());
            leases.filter(|lease| lease.is_due()).cloned().collect()
        };
        for lease in due {
            if let Err(error) = lease.write(async |_, _| Ok(())).await {
                debug!(portal = %lease.portal(), %error, "a lease cannot be kept");
            }
        }
    }
}
