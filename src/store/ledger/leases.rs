//! Who may act where several processes share a ledger.
//!
//! Each process has a row that it renews. One of those that have a folder to act on has the lease: a row with its holder, and when it
//! ends by the clock of the server. Another process takes it when the holder gave it
//! up, or when it has seen the row unchanged for the length of a lease by its own monotonic clock: so neither a step of the server's clock nor an
//! older copy of the database ends a lease early. Each intent is written in a transaction that checks the lease. Before the request is sent,
//! the process checks once more, by its own monotonic clock, that the lease has not ended: it may have been paused after the commit.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sqlx::{AnyConnection, Row as _};
use tokio::time::Instant;

use crate::clock::Moment;
use crate::model::{PortalAddress, PortalName};
use crate::store::error::StoreError;
use crate::store::statement::{Value, query};
use crate::store::tables::SERVER_NOW;

/// The row of a process that renews it no more goes after so many lengths of a lease.
const FORGOTTEN_AFTER: u32 = 100;

/// A process, for people and for other processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    pub host: String,
    pub pid: u32,
}

impl std::fmt::Display for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "process {} on {}", self.pid, self.host)
    }
}

/// What a process knows of the others that watch a portal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Peers {
    /// The one that may act, if another one may.
    pub acting: Option<Standing>,
}

/// The leases of this process. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Leases(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Identifies this process, also after a restart on the same machine.
    process: String,
    length: Duration,
    state: Mutex<HashMap<PortalAddress, State>>,
}

#[derive(Debug, Default)]
struct State {
    renewed: Renewed,
    /// The lease of another process, and since when it was seen like that.
    seen: Option<(Lease, Instant)>,
    /// What the entries of the configuration with this address claim.
    claims: BTreeMap<PortalName, Claim>,
}

/// A row of the table `lease`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Lease {
    process: String,
    /// 0: the holder gave it up.
    until: i64,
}

/// What is known since the last renewal.
#[derive(Debug, Clone, Default)]
pub(super) struct Renewed {
    /// Until when this process has the lease, by its own monotonic clock; `None` if it has none.
    held: Option<Instant>,
    peers: Peers,
}

/// How a process stands in a portal, by one entry of its configuration.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    /// The name of the portal in the configuration. Entries with one address share a lease.
    pub entry: PortalName,
    pub standing: Standing,
    /// Whether it has a folder to act on.
    pub acts: bool,
}

impl Leases {
    pub fn new(length: Duration) -> Self {
        Self(Arc::new(Shared {
            process: uuid::Uuid::from_u128(fastrand::u128(..)).to_string(),
            length,
            state: Mutex::default(),
        }))
    }

    pub fn length(&self) -> Duration {
        self.0.length
    }

    /// Whether this process has the lease of a portal now.
    pub fn is_held(&self, portal: &PortalAddress) -> bool {
        let held = self.renewed(portal).held;
        held.is_some_and(|until| Moment::now().steady < until)
    }

    pub fn peers(&self, portal: &PortalAddress) -> Peers {
        self.renewed(portal).peers
    }

    fn renewed(&self, portal: &PortalAddress) -> Renewed {
        let states = self.state();
        let state = states.get(portal);
        state.map_or_else(Renewed::default, |state| state.renewed.clone())
    }

    fn state(&self) -> MutexGuard<'_, HashMap<PortalAddress, State>> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn millis(&self) -> i64 {
        i64::try_from(self.0.length.as_millis()).unwrap_or(i64::MAX)
    }

    /// Shows this process to the others, reads who they are, and takes or renews the lease of a portal if it is free; gives it up if this
    /// process has nothing to act on. What came of it is to be noted after the commit.
    pub async fn renew(
        &self,
        connection: &mut AnyConnection,
        portal: &PortalAddress,
        claim: &Claim,
    ) -> Result<Renewed, StoreError> {
        let claim = &self.of_all_entries(portal, claim);
        // Measured from before the server counts.
        let until = Moment::now().steady + self.0.length;
        self.show(connection, portal, &claim.standing).await?;
        let is_taken = if claim.acts {
            self.take(connection, portal).await?
        } else {
            self.give_up(connection, portal).await?;
            false
        };
        Ok(Renewed {
            held: is_taken.then_some(until),
            peers: self.read_peers(connection, portal).await?,
        })
    }

    /// Notes a renewal that was committed, or that there was none.
    pub fn note(&self, portal: &PortalAddress, renewed: Renewed) {
        let mut states = self.state();
        states.entry(portal.clone()).or_default().renewed = renewed;
    }

    /// The claim of all entries of the configuration with an address.
    fn of_all_entries(&self, portal: &PortalAddress, claim: &Claim) -> Claim {
        let mut states = self.state();
        let claims = &mut states.entry(portal.clone()).or_default().claims;
        claims.insert(claim.entry.clone(), claim.clone());
        Claim {
            entry: claim.entry.clone(),
            standing: claim.standing.clone(),
            acts: claims.values().any(|claim| claim.acts),
        }
    }

    /// Of the rows of this process: portal, process.
    fn key(&self, portal: &PortalAddress) -> [Value; 2] {
        [portal.as_str().into(), self.0.process.as_str().into()]
    }

    async fn show(
        &self,
        connection: &mut AnyConnection,
        portal: &PortalAddress,
        standing: &Standing,
    ) -> Result<(), StoreError> {
        let forgotten = self.millis().saturating_mul(FORGOTTEN_AFTER.into());
        let forget = format!("DELETE FROM process WHERE until < {SERVER_NOW} - $1");
        query(connection, forget, [forgotten.into()]).await?;
        let show = format!(
            "INSERT INTO process (portal, process, document, until)
             VALUES ($1, $2, $3, {SERVER_NOW} + $4)
             ON CONFLICT (portal, process)
             DO UPDATE SET document = excluded.document, until = excluded.until"
        );
        let document = serde_json::to_string(standing)?;
        let [portal, process] = self.key(portal);
        let row = [portal, process, document.into(), self.millis().into()];
        query(connection, show, row).await.map(drop)
    }

    /// Takes the lease if nobody has it, or renews it. Returns whether this process has it.
    async fn take(
        &self,
        connection: &mut AnyConnection,
        portal: &PortalAddress,
    ) -> Result<bool, StoreError> {
        let conflict = match self.read(connection, portal).await? {
            // Another process may have made the row meanwhile.
            None => "NOTHING",
            Some(known) if known.process == self.0.process || self.is_over(portal, &known) => {
                "UPDATE SET process = excluded.process, until = excluded.until"
            }
            Some(_) => return Ok(false),
        };
        let take = format!(
            "INSERT INTO lease (portal, process, until)
             VALUES ($1, $2, {SERVER_NOW} + $3)
             ON CONFLICT (portal) DO {conflict} RETURNING until"
        );
        let [portal, process] = self.key(portal);
        let row = [portal, process, self.millis().into()];
        Ok(!query(connection, take, row).await?.is_empty())
    }

    /// Reads the lease of a portal, which stays until the end of the transaction.
    async fn read(
        &self,
        connection: &mut AnyConnection,
        portal: &PortalAddress,
    ) -> Result<Option<Lease>, StoreError> {
        let read = "SELECT process, until FROM lease WHERE portal = $1 FOR UPDATE";
        let rows = query(connection, read, [portal.as_str().into()]).await?;
        let lease = rows.first().map(|row| {
            Ok(Lease {
                process: row.try_get("process")?,
                until: row.try_get("until")?,
            })
        });
        lease.transpose()
    }

    /// Whether the lease of another process is over. Notes since when it is as it is.
    fn is_over(&self, portal: &PortalAddress, lease: &Lease) -> bool {
        let now = Moment::now().steady;
        let mut states = self.state();
        let state = states.entry(portal.clone()).or_default();
        let since = match &state.seen {
            Some((seen, since)) if seen == lease => *since,
            _ => now,
        };
        state.seen = Some((lease.clone(), since));
        lease.until == 0 || now.saturating_duration_since(since) >= self.0.length
    }

    /// Ends the lease of a portal, so that other processes need not wait for its end.
    async fn give_up(
        &self,
        connection: &mut AnyConnection,
        portal: &PortalAddress,
    ) -> Result<(), StoreError> {
        let end = "UPDATE lease SET until = 0
                   WHERE portal = $1 AND process = $2 AND until > 0";
        query(connection, end, self.key(portal)).await.map(drop)
    }

    /// Withdraws the claim of an entry of the configuration. With the last one, the lease and the row of this process end.
    pub async fn leave(
        &self,
        connection: &mut AnyConnection,
        portal: &PortalAddress,
        entry: &PortalName,
    ) -> Result<(), StoreError> {
        {
            let mut states = self.state();
            let claims = &mut states.entry(portal.clone()).or_default().claims;
            claims.remove(entry);
            if !claims.is_empty() {
                return Ok(());
            }
            states.remove(portal);
        }
        self.give_up(connection, portal).await?;
        let leave = "DELETE FROM process WHERE portal = $1 AND process = $2";
        query(connection, leave, self.key(portal)).await.map(drop)
    }

    async fn read_peers(
        &self,
        connection: &mut AnyConnection,
        portal: &PortalAddress,
    ) -> Result<Peers, StoreError> {
        let others = format!(
            "SELECT process.document AS document,
                    CASE WHEN lease.until > {SERVER_NOW} THEN 1 ELSE 0 END AS acts
             FROM process LEFT JOIN lease
             ON lease.portal = process.portal AND lease.process = process.process
             WHERE process.portal = $1 AND process.process <> $2 AND process.until > {SERVER_NOW}
             ORDER BY process.process"
        );
        let mut peers = Peers::default();
        for row in query(connection, others, self.key(portal)).await? {
            let other: Standing = serde_json::from_str(row.try_get("document")?)?;
            if row.try_get::<i32, _>("acts")? == 1 {
                peers.acting = Some(other);
            }
        }
        Ok(peers)
    }

    /// Checks in the transaction of a write that this process has the lease, and keeps others from taking it until the end of the
    /// transaction.
    pub async fn check(
        &self,
        connection: &mut AnyConnection,
        portal: &PortalAddress,
    ) -> Result<(), StoreError> {
        self.renewed(portal).held.ok_or(StoreError::NoLease)?;
        let check = format!(
            "SELECT until FROM lease WHERE portal = $1
             AND process = $2 AND until > {SERVER_NOW} FOR UPDATE"
        );
        let found = query(connection, check, self.key(portal)).await?;
        found.first().map(drop).ok_or(StoreError::NoLease)
    }
}
