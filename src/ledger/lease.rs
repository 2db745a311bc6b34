//! Who may act where several processes share a ledger.
//!
//! A lease is a row for each portal and shard: its holder, a fencing number that grows with each change of the holder, and when it ends
//! by the clock of the server. Each intent is written in a transaction that checks the lease. Before the request is sent, the process
//! checks once more, by its own monotonic clock, that the lease has not ended: it may have been paused after the commit.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::types::Value;
use tokio::time::Instant;

use crate::clock::Moment;
use crate::ledger::error::LedgerError;
use crate::model::{PortalAddress, Shard};
use crate::sql::{Database, SERVER_NOW, ServerClock, SqlError, Transaction, to_value};

/// The leases of this process. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Leases(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Identifies this process, also after a restart on the same machine.
    holder: String,
    shard: Shard,
    length: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    clock: ServerClock,
    held: HashMap<PortalAddress, Held>,
}

/// A lease that this process has.
#[derive(Debug, Clone, Copy)]
struct Held {
    fence: i64,
    until: Instant,
}

impl Leases {
    pub fn new(shard: Shard, length: Duration) -> Self {
        Self(Arc::new(Shared {
            holder: uuid::Uuid::from_u128(fastrand::u128(..)).to_string(),
            shard,
            length,
            state: Mutex::default(),
        }))
    }

    pub fn length(&self) -> Duration {
        self.0.length
    }

    pub fn use_clock(&self, clock: ServerClock) {
        self.state().clock = clock;
    }

    /// The time of the server; that of this machine before the server was asked.
    pub fn now(&self) -> Moment {
        let now = Moment::now();
        let wall = self.state().clock.now().unwrap_or(now.wall);
        Moment { wall, ..now }
    }

    /// Whether this process has the lease of a portal now.
    pub fn is_held(&self, portal: &PortalAddress) -> bool {
        let held = self.state().held.get(portal).copied();
        held.is_some_and(|held| Moment::now().steady < held.until)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The row of a portal's lease, and this process.
    fn key(&self, portal: &PortalAddress) -> Result<[Value; 4], SqlError> {
        Ok([
            to_value(portal)?,
            Value::Integer(self.0.shard.index().into()),
            Value::Integer(self.0.shard.count().get().into()),
            Value::Text(self.0.holder.clone()),
        ])
    }

    /// Takes the lease of a portal where nobody has it, and renews it where this process has it.
    pub fn renew(&self, sql: &mut Database, portal: &PortalAddress) -> Result<(), LedgerError> {
        let length = i64::try_from(self.0.length.as_millis()).unwrap_or(i64::MAX);
        let mut values = self.key(portal)?.to_vec();
        values.push(Value::Integer(length));
        let statement = format!(
            "INSERT INTO lease (portal, shard, shards, holder, fence, until)
             VALUES ($1, $2, $3, $4, 1, {SERVER_NOW} + $5)
             ON CONFLICT (portal, shard, shards) DO UPDATE
             SET holder = excluded.holder, until = excluded.until,
                 fence = lease.fence + CASE WHEN lease.holder = excluded.holder THEN 0 ELSE 1 END
             WHERE lease.holder = excluded.holder OR lease.until < {SERVER_NOW}
             RETURNING fence"
        );
        // Measured from before the server counts.
        let until = Moment::now().steady + self.0.length;
        let fence = sql.transaction(|transaction| {
            let rows = transaction.query(&statement, &values)?;
            rows.first().map(|row| row.get("fence")).transpose()
        });
        let fence: Option<i64> = fence.map_err(|error: SqlError| LedgerError::from(error))?;
        let mut state = self.state();
        match fence {
            Some(fence) => drop(state.held.insert(portal.clone(), Held { fence, until })),
            None => drop(state.held.remove(portal)),
        }
        Ok(())
    }

    /// Ends the lease of a portal.
    pub fn release(&self, sql: &mut Database, portal: &PortalAddress) -> Result<(), LedgerError> {
        self.state().held.remove(portal);
        let key = self.key(portal)?;
        let statement = "UPDATE lease SET until = 0
                         WHERE portal = $1 AND shard = $2 AND shards = $3 AND holder = $4";
        let released: Result<u64, SqlError> =
            sql.transaction(|transaction| transaction.execute(statement, &key));
        Ok(released.map(drop)?)
    }

    /// Checks in the transaction of a write that this process has the lease, and keeps others from taking it until the end of the
    /// transaction.
    pub fn check(
        &self,
        transaction: &mut dyn Transaction,
        portal: &PortalAddress,
    ) -> Result<(), LedgerError> {
        let held = self.state().held.get(portal).copied();
        let held = held.ok_or(LedgerError::NoLease)?;
        let mut values = self.key(portal)?.to_vec();
        values.push(Value::Integer(held.fence));
        let query = format!(
            "SELECT fence FROM lease WHERE portal = $1 AND shard = $2 AND shards = $3
             AND holder = $4 AND fence = $5 AND until > {SERVER_NOW} FOR UPDATE"
        );
        if transaction.query(&query, &values)?.is_empty() {
            return Err(LedgerError::NoLease);
        }
        Ok(())
    }
}
