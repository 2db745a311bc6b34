//! The lease of a portal: the right of this process to read it, and to write what is stored of it.
//!
//! A lease is a row with an epoch, which grows when another process takes it, and a beat, which grows with each write. A write of the holder
//! begins with the beat. No row of its epoch: another process took over. A beat that is not the one after the last: the database lost
//! writes, as after a failover to an older copy. Then the holder takes the next epoch, and everything is written once more.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::clock::{Moment, UpTime};
use crate::model::PortalAddress;
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::statement::{Connection, Row, Value, values};
use crate::store::worker::Worker;

/// Rows that one transaction writes, at most and at least.
const MOST_ROWS: usize = 500;
const FEWEST_ROWS: usize = 1;

/// What the database has of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeaseRow {
    pub epoch: i64,
    pub beat: i64,
    /// The process that has it, for people; empty if it was given up.
    pub holder: String,
}

/// The right of this process to read a portal. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Lease(Arc<Held>);

#[derive(Debug)]
struct Held {
    portal: PortalAddress,
    /// This process, for people.
    process: String,
    worker: Worker,
    /// How long it lasts without a write; `None` in a folder, whose lock lasts as long as the process.
    length: Option<Duration>,
    state: Mutex<State>,
    /// How many rows a transaction writes, at most.
    rows: AtomicUsize,
    over: CancellationToken,
}

#[derive(Debug)]
struct State {
    epoch: i64,
    /// The last beat that was committed.
    beat: i64,
    /// Beats after it of which it is not known whether they were.
    in_doubt: i64,
    /// When the last transaction began that was committed.
    beaten: UpTime,
    /// How often the database was found to have lost writes.
    losses: u64,
}

impl LeaseRow {
    /// Of a process that was first.
    pub fn unknown() -> Self {
        Self {
            epoch: 0,
            beat: 0,
            holder: "another process".to_owned(),
        }
    }

    pub async fn read(
        connection: &mut Connection,
        portal: &PortalAddress,
    ) -> Result<Option<Self>, StoreError> {
        let select = "SELECT epoch, beat, holder FROM lease WHERE portal = $1";
        let rows = connection.query(select, values![portal]).await?;
        let read = |row: &Row| {
            Ok(Self {
                epoch: row.get("epoch")?,
                beat: row.get("beat")?,
                holder: row.get("holder")?,
            })
        };
        rows.first().map(read).transpose()
    }

    /// Takes a lease that is as it was seen, or the first one of a portal. Returns the row as it is then, unless another process was first.
    pub async fn take(
        seen: Option<&Self>,
        connection: &mut Connection,
        portal: &PortalAddress,
        process: &str,
    ) -> Result<Option<Self>, StoreError> {
        let (epoch, beat) = seen.map_or((0, 0), |seen| (seen.epoch, seen.beat));
        let taken = Self {
            epoch: epoch + 1,
            beat: beat + 1,
            holder: process.to_owned(),
        };
        let as_seen = "WHERE lease.epoch = $6 AND lease.beat = $7";
        let is_taken = taken.write(connection, portal, as_seen, values![epoch, beat]);
        Ok(is_taken.await?.then_some(taken))
    }

    /// Writes it where there is none, and in place of another one on a condition. Limits may have ended before a ledger that is new.
    async fn write(
        &self,
        connection: &mut Connection,
        portal: &PortalAddress,
        condition: &str,
        values: Vec<Value>,
    ) -> Result<bool, StoreError> {
        let (now, holder) = (Moment::now().wall.as_millis(), self.holder.as_str());
        let write = format!(
            "INSERT INTO lease (portal, epoch, beat, holder, doubted) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (portal) DO UPDATE
             SET epoch = excluded.epoch, beat = excluded.beat, holder = excluded.holder {condition} RETURNING epoch"
        );
        let row = values![portal, self.epoch, self.beat, holder, now];
        let values = row.into_iter().chain(values).collect();
        Ok(!connection.query(&write, values).await?.is_empty())
    }
}

impl Lease {
    /// A lease that was taken by a transaction which began at a moment.
    pub(super) fn new(
        portal: PortalAddress,
        taken: &LeaseRow,
        worker: Worker,
        length: Option<Duration>,
        began: UpTime,
    ) -> Self {
        Self(Arc::new(Held {
            portal,
            process: taken.holder.clone(),
            worker,
            length,
            state: Mutex::new(State {
                epoch: taken.epoch,
                beat: taken.beat,
                in_doubt: 0,
                beaten: began,
                losses: 0,
            }),
            rows: AtomicUsize::new(MOST_ROWS),
            over: CancellationToken::new(),
        }))
    }

    pub fn portal(&self) -> &PortalAddress {
        &self.0.portal
    }

    /// Whether no other process can have taken it: it was written within its length. A process that was stopped for longer finds that it has
    /// ended, before it knows whether another one took it.
    pub fn is_held(&self) -> bool {
        let since = || UpTime::now().since(self.state().beaten);
        !self.is_over() && self.0.length.is_none_or(|length| since() < length)
    }

    /// Whether another process took it, or it was given up.
    pub fn is_over(&self) -> bool {
        self.0.over.is_cancelled()
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Waits until another process took it, or it is given up.
    pub async fn over(&self) {
        self.0.over.cancelled().await;
    }

    /// How often the database was found to have lost writes. After each time, everything is to be written once more.
    pub fn losses(&self) -> u64 {
        self.state().losses
    }

    /// How many rows a transaction may write: as many as the database manages in its time.
    pub(super) fn rows_at_once(&self) -> usize {
        self.0.rows.load(Ordering::Relaxed)
    }

    /// Notes whether this number of rows could be written.
    pub(super) fn note_rows(&self, written: bool) {
        let rows = self.rows_at_once();
        let rows = if written { rows * 2 } else { rows / 2 };
        let rows = rows.clamp(FEWEST_ROWS, MOST_ROWS);
        self.0.rows.store(rows, Ordering::Relaxed);
    }

    /// Whether nothing was written for a third of its length, so that it is to be beaten.
    pub(super) fn is_due(&self) -> bool {
        let since = UpTime::now().since(self.state().beaten);
        let is_due = |length: Duration| since >= length / 3;
        !self.is_over() && self.0.length.is_some_and(is_due)
    }

    /// Writes in one transaction, which beats the lease.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl AsyncFnOnce(&mut Connection, &PortalAddress) -> Result<T, StoreError>
        + Send
        + 'static,
    ) -> Result<T, StoreError> {
        let lease = self.clone();
        let write = async move |database: &mut Database| lease.transaction(database, work).await;
        self.0.worker.run(write).await
    }

    /// Reads in one transaction, which may take long.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl AsyncFnOnce(&mut Connection, &PortalAddress) -> Result<T, StoreError>
        + Send
        + 'static,
    ) -> Result<T, StoreError> {
        let lease = self.clone();
        let read = async move |database: &mut Database| {
            let portal = lease.portal();
            let work = async |connection: &mut Connection| work(connection, portal).await;
            database.read(work).await
        };
        self.0.worker.run(read).await
    }

    /// Does a job with the database after all earlier ones.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl AsyncFnOnce(&mut Database) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.0.worker.run(job).await
    }

    pub(super) async fn transaction<T>(
        &self,
        database: &mut Database,
        work: impl AsyncFnOnce(&mut Connection, &PortalAddress) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.is_over() {
            return Err(StoreError::NoLease);
        }
        let began = UpTime::now();
        let write = async |connection: &mut Connection| {
            let beat = self.beat(connection).await?;
            Ok((work(connection, self.portal()).await?, beat))
        };
        let error = match database.transaction(write).await {
            Ok((done, beat)) => {
                self.beaten(beat, began);
                return Ok(done);
            }
            Err(StoreError::LostWrites) => match self.take_again(database).await {
                Ok(()) => StoreError::LostWrites,
                Err(error) => error,
            },
            Err(error) => error,
        };
        match error {
            StoreError::CommitUnknown(_) => self.state().in_doubt += 1,
            StoreError::NoLease | StoreError::InUse { .. } => self.0.over.cancel(),
            _ => {}
        }
        Err(error)
    }

    /// Gives it up after all earlier writes, so that another process need not wait for its end.
    pub(super) async fn give_up(&self) -> Result<(), StoreError> {
        let epoch = self.state().epoch;
        let given_up = self.write(async move |connection, portal| {
            let update = "UPDATE lease SET holder = '' WHERE portal = $1 AND epoch = $2";
            connection
                .query(update, values![portal, epoch])
                .await
                .map(drop)
        });
        let given_up = given_up.await;
        self.0.over.cancel();
        given_up
    }

    async fn beat(&self, connection: &mut Connection) -> Result<i64, StoreError> {
        let (epoch, known, in_doubt) = {
            let state = self.state();
            (state.epoch, state.beat, state.in_doubt)
        };
        let update =
            "UPDATE lease SET beat = beat + 1 WHERE portal = $1 AND epoch = $2 RETURNING beat";
        let rows = connection.query(update, values![self.portal(), epoch]);
        if let Some(row) = rows.await?.first() {
            let beat: i64 = row.get("beat")?;
            // The one after the last that was committed.
            if (1..=1 + in_doubt).contains(&(beat - known)) {
                return Ok(beat);
            }
        }
        match LeaseRow::read(connection, self.portal()).await? {
            Some(row) if row.epoch > epoch => Err(StoreError::NoLease),
            _ => Err(StoreError::LostWrites),
        }
    }

    fn beaten(&self, beat: i64, began: UpTime) {
        let mut state = self.state();
        state.beat = beat;
        state.in_doubt = 0;
        state.beaten = began;
    }

    /// Takes the next epoch of a database that lost writes. Limits of reindexing may have ended early by what it has.
    async fn take_again(&self, database: &mut Database) -> Result<(), StoreError> {
        let (before, beat) = {
            let state = self.state();
            (state.epoch, state.beat + state.in_doubt + 1)
        };
        let row = LeaseRow {
            epoch: before + 1,
            beat,
            holder: self.0.process.clone(),
        };
        let began = UpTime::now();
        let take = async |connection: &mut Connection| {
            let older = ", doubted = excluded.doubted WHERE lease.epoch <= $6";
            let taken = row.write(connection, self.portal(), older, values![before]);
            taken.await?.then_some(()).ok_or(StoreError::NoLease)
        };
        database.transaction(take).await?;
        warn!(portal = %self.portal(), "the database lost what was written to it; it is written again, and nothing is reindexed for a cooldown");
        self.beaten(beat, began);
        let mut state = self.state();
        state.epoch = row.epoch;
        state.losses += 1;
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
