//! The open file, and the one way to change it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use crate::ledger::Addresses;
use crate::ledger::clock;
use crate::ledger::error::LedgerError;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::load::{self, Views};
use crate::ledger::mode::AttemptId;
use crate::ledger::schema;
use crate::ledger::view::LedgerView;
use crate::ledger::write::Writing;
use crate::model::{Moment, PortalAddress, Timestamp};
use crate::sqlite;

/// The name of the file in the state folder.
pub const FILE_NAME: &str = "ledger.db";

/// The open file.
#[derive(Debug)]
pub(super) struct Database {
    connection: Connection,
    file: OpenFile,
    next: i64,
    /// By how many milliseconds all times were moved forward because the clock was set.
    moved: i64,
}

/// The file as it was opened: another one may take its name, and then nobody would find what is written to this one.
#[derive(Debug)]
struct OpenFile {
    path: PathBuf,
    /// Device and number.
    identity: (u64, u64),
}

impl OpenFile {
    fn of(path: PathBuf) -> Result<Self, LedgerError> {
        let identity = identity(&path)?;
        Ok(Self { path, identity })
    }

    /// Whether the file still has its name.
    fn check(&self) -> Result<(), LedgerError> {
        if identity(&self.path).is_ok_and(|found| found == self.identity) {
            return Ok(());
        }
        Err(LedgerError::Replaced(self.path.clone()))
    }
}

fn identity(path: &Path) -> Result<(u64, u64), LedgerError> {
    let file = fs::metadata(path).map_err(|cause| LedgerError::file(path, &cause))?;
    Ok((file.dev(), file.ino()))
}

impl Database {
    /// Opens the ledger, or makes one where there is none, and reads it. Attempts without an outcome are
    /// interrupted ones: whoever made them is gone.
    pub fn open(folder: &Path, addresses: &Addresses) -> Result<(Self, Views), LedgerError> {
        let path = folder.join(FILE_NAME);
        let now = Moment::now().wall;
        schema::inspect(&path)?;
        let mut connection = Connection::open(&path)?;
        let found = schema::known_version(&connection, &path)?;
        sqlite::configure(&connection)?;
        // Read before anything is committed: what makes no sense stays as it is.
        let transaction = connection.transaction()?;
        schema::upgrade(&transaction, found, addresses, now)?;
        let mut views = load::load(&transaction, schema::VERSION)?;
        let next = load::next_id(&transaction)?;
        transaction.commit()?;
        let mut database = Self {
            connection,
            file: OpenFile::of(path)?,
            next,
            moved: views.ledger.moved.unwrap_or(0),
        };
        for (portal, view) in &mut views.portals {
            let until = now.max(view.latest());
            if view.unanswered(until).next().is_some() {
                let before = LedgerView::clone(view);
                let after = std::sync::Arc::make_mut(view);
                after.interrupt(until)?;
                database.write(portal, &before, after, &[])?;
            }
        }
        Ok((database, views))
    }

    /// A number that no attempt has, nor had.
    pub const fn next_id(&mut self) -> AttemptId {
        let id = AttemptId::new(self.next);
        self.next += 1;
        id
    }

    /// Moves every time with a clock that was set by so many milliseconds, and reads everything again.
    pub fn clock_was_set(&mut self, step: i64, now: Timestamp) -> Result<Views, LedgerError> {
        self.file.check()?;
        let by = clock::follow(step, self.moved);
        let transaction = self.connection.transaction()?;
        for (table, column) in schema::TIMES {
            let sql = format!("UPDATE {table} SET {column} = {column} + ?1");
            transaction.execute(&sql, [by])?;
        }
        let moved = "UPDATE ledger SET moved = moved + ?1, clock_set = ?2";
        transaction.execute(moved, params![by, now])?;
        let views = load::load(&transaction, schema::VERSION)?;
        transaction.commit()?;
        self.moved += by;
        Ok(views)
    }

    /// Fails where the disk refuses writes.
    pub fn check_write(&self) -> Result<(), LedgerError> {
        self.file.check()?;
        Ok(sqlite::check_write(&self.connection)?)
    }

    /// What people forgave in a portal and was not taken in yet, with the number of each request.
    pub fn asked_to_forgive(
        &self,
        portal: &PortalAddress,
    ) -> Result<Vec<(i64, Forgiveness)>, LedgerError> {
        load::asked_to_forgive(&self.connection, portal)
    }

    /// Writes a change of a portal's view, and the requests to forgive that were taken in with it, in one transaction. It is on disk when this
    /// returns.
    pub fn write(
        &mut self,
        portal: &PortalAddress,
        before: &LedgerView,
        after: &LedgerView,
        taken: &[(i64, Forgiveness)],
    ) -> Result<(), LedgerError> {
        self.file.check()?;
        let transaction = self.connection.transaction()?;
        let writing = Writing {
            transaction: &transaction,
            portal,
        };
        writing.difference(before, after)?;
        for (id, forgiveness) in taken {
            let query = "UPDATE forgiven SET at = ?2, taken = ?3 WHERE id = ?1";
            transaction.execute(query, params![id, forgiveness.at, Moment::now().wall])?;
        }
        Ok(transaction.commit()?)
    }
}
