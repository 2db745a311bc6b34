//! The open database, and the one way to change it.

use rusqlite::types::Value;

use crate::clock::Moment;
use crate::config::HiddenPath;
use crate::ledger::attempt_id::AttemptId;
use crate::ledger::change::Misfit;
use crate::ledger::error::LedgerError;
use crate::ledger::file;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::lease::Leases;
use crate::ledger::load::{self, Views};
use crate::ledger::schema::SCHEMA;
use crate::ledger::tables::{PortalRow, VersionRow};
use crate::ledger::view::LedgerView;
use crate::ledger::write::Writing;
use crate::model::{PortalAddress, Timestamp};
use crate::sql::{Database, Transaction, to_value};

#[derive(Debug)]
pub(super) struct LedgerDatabase {
    sql: Database,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// `moved`: by how many milliseconds all times were moved forward because the clock was set. `next`: the number of the next attempt.
    File {
        moved: i64,
        next: i64,
    },
    Server {
        leases: Leases,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    Lease,
    None,
}

impl LedgerDatabase {
    pub fn of_file(sql: Database, moved: i64, next: i64) -> Self {
        Self {
            sql,
            kind: Kind::File { moved, next },
        }
    }

    /// Connects to PostgreSQL, and reads everything.
    pub fn connect(url_file: &HiddenPath, leases: Leases) -> Result<(Self, Views), LedgerError> {
        let mut sql = Database::on_server(url_file, &SCHEMA);
        let views = sql.transaction(load::load)?;
        if let Some(clock) = sql.clock() {
            leases.use_clock(clock);
        }
        let kind = Kind::Server { leases };
        Ok((Self { sql, kind }, views))
    }

    /// Writes when a portal was first met, unless that is written.
    pub fn meet(&mut self, portal: &PortalAddress, view: &LedgerView) -> Result<(), LedgerError> {
        self.sql
            .transaction(|transaction| meet(transaction, portal, view))
    }

    /// A number that no attempt has, nor had.
    pub fn next_id(&mut self) -> Result<AttemptId, LedgerError> {
        if let Kind::File { next, .. } = &mut self.kind {
            let id = AttemptId::new(*next);
            *next += 1;
            return Ok(id);
        }
        self.sql.transaction(|transaction| {
            let query = "SELECT nextval(pg_get_serial_sequence('attempt', 'id')) AS next";
            let rows = transaction.query(query, &[])?;
            let missing = || LedgerError::content("the numbers of attempts");
            let next = rows.first().ok_or_else(missing)?.get("next")?;
            Ok(AttemptId::new(next))
        })
    }

    /// The time by the clock that all who use the ledger share.
    pub fn now(&self) -> Timestamp {
        match &self.kind {
            Kind::File { .. } => Moment::now().wall,
            Kind::Server { leases } => leases.now().wall,
        }
    }

    /// Moves every time with a clock that was set by this number of milliseconds, and reads everything again. The clock of a server goes its own
    /// way: nothing then.
    pub fn clock_was_set(
        &mut self,
        step: i64,
        now: Timestamp,
    ) -> Result<Option<Views>, LedgerError> {
        match &mut self.kind {
            Kind::File { moved, .. } => {
                file::clock_was_set(&mut self.sql, moved, step, now).map(Some)
            }
            Kind::Server { .. } => Ok(None),
        }
    }

    /// Fails where nothing can be written.
    pub fn check_write(&mut self) -> Result<(), LedgerError> {
        Ok(self.sql.check_write()?)
    }

    /// What others wrote of a portal since a view of it; `None` where nobody did. Waits for a write that is under way.
    pub fn newer(
        &mut self,
        portal: &PortalAddress,
        known: &LedgerView,
    ) -> Result<Option<LedgerView>, LedgerError> {
        if let Kind::File { .. } = self.kind {
            return Ok(None);
        }
        self.sql.transaction(|transaction| {
            // What wrote that it was met may have failed, as while the server was away.
            if version(transaction, portal)?.is_none() {
                meet(transaction, portal, known)?;
            }
            load::load_newer(transaction, portal, known)
        })
    }

    /// Takes or renews the lease of a portal, or finds that another process has it.
    pub fn renew_lease(&mut self, portal: &PortalAddress) -> Result<(), LedgerError> {
        match &self.kind {
            Kind::File { .. } => Ok(()),
            Kind::Server { leases } => leases.renew(&mut self.sql, portal),
        }
    }

    /// Ends the lease of a portal, so that other processes need not wait for it.
    pub fn release_lease(&mut self, portal: &PortalAddress) -> Result<(), LedgerError> {
        match &self.kind {
            Kind::File { .. } => Ok(()),
            Kind::Server { leases } => leases.release(&mut self.sql, portal),
        }
    }

    /// What people forgave in a portal and was not taken in yet, with the number of each request.
    pub fn asked_to_forgive(
        &mut self,
        portal: &PortalAddress,
    ) -> Result<Vec<(i64, Forgiveness)>, LedgerError> {
        self.sql
            .transaction(|transaction| load::asked_to_forgive(transaction, portal))
    }

    /// Writes a change of a portal's view, and the requests to forgive that were taken in with it, in one transaction. It is on disk when this
    /// returns, and `after` has its version.
    ///
    /// Where another process wrote since `before`, nothing is written: [`Misfit::Changed`].
    pub fn write(
        &mut self,
        portal: &PortalAddress,
        before: &LedgerView,
        after: &mut LedgerView,
        taken: &[(i64, Forgiveness)],
        guard: Guard,
    ) -> Result<(), LedgerError> {
        let now = self.now();
        let kind = &self.kind;
        self.sql.transaction(|transaction| {
            if before.version == 0 {
                meet(transaction, portal, before)?;
            }
            if version(transaction, portal)? != Some(before.version) {
                return Err(Misfit::Changed.into());
            }
            if let (Kind::Server { leases }, Guard::Lease) = (kind, guard) {
                leases.check(transaction, portal)?;
            }
            let mut writing = Writing {
                transaction,
                portal,
                version: VersionRow {
                    version: before.version + 1,
                },
            };
            writing.difference(before, after)?;
            for (id, forgiveness) in taken {
                let query = "UPDATE forgiven SET at = $2, taken = $3 WHERE id = $1";
                let values = [
                    Value::Integer(*id),
                    to_value(&forgiveness.at)?,
                    to_value(&now)?,
                ];
                transaction.execute(query, &values)?;
            }
            Ok(())
        })
    }
}

/// Adds a portal, unless another process did.
fn meet(
    transaction: &mut dyn Transaction,
    portal: &PortalAddress,
    view: &LedgerView,
) -> Result<(), LedgerError> {
    use crate::sql::Record as _;
    let values = PortalRow::new(portal, view).values()?;
    let insert = "INSERT INTO portal (address, met, version, removed) VALUES ($1, $2, $3, $4)
                  ON CONFLICT (address) DO NOTHING";
    transaction.execute(insert, &values)?;
    Ok(())
}

/// The version of a portal, which stays until the end of the transaction.
fn version(
    transaction: &mut dyn Transaction,
    portal: &PortalAddress,
) -> Result<Option<i64>, LedgerError> {
    let query = "SELECT version FROM portal WHERE address = $1";
    let query = format!("{query}{}", transaction.for_update());
    let rows = transaction.query(&query, &[to_value(portal)?])?;
    Ok(rows.first().map(|row| row.get("version")).transpose()?)
}
