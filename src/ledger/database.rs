//! The open file, and the one way to change it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::ledger::Addresses;
use crate::ledger::change::Change;
use crate::ledger::clock;
use crate::ledger::error::LedgerError;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::load::{self, Loaded};
use crate::ledger::mode::AttemptId;
use crate::ledger::schema;
use crate::ledger::view::LedgerView;
use crate::ledger::write::Write;
use crate::model::{Moment, PortalAddress, Timestamp};

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
        Err(LedgerError::Replaced {
            path: self.path.clone(),
        })
    }
}

fn identity(path: &Path) -> Result<(u64, u64), LedgerError> {
    let file = fs::metadata(path).map_err(|cause| LedgerError::File {
        path: path.to_owned(),
        cause: cause.to_string(),
    })?;
    Ok((file.dev(), file.ino()))
}

/// Where the ledger of a state folder is.
pub(super) fn path_in(folder: &Path) -> PathBuf {
    folder.join(FILE_NAME)
}

impl Database {
    /// Opens the ledger, or makes one where there is none, and reads it. Attempts without an outcome are
    /// interrupted ones: whoever made them is gone.
    pub fn open(folder: &Path, addresses: &Addresses) -> Result<(Self, Loaded), LedgerError> {
        let path = path_in(folder);
        let now = Moment::now().wall;
        schema::inspect(&path)?;
        let mut connection = Connection::open(&path)?;
        let found = schema::known_version(&connection, &path)?;
        schema::configure(&connection)?;
        // Read before anything is committed: what makes no sense stays as it is.
        let transaction = connection.transaction()?;
        schema::upgrade(&transaction, found, addresses, now)?;
        let mut loaded = load::load(&transaction, schema::VERSION)?;
        let next = load::next_id(&transaction)?;
        transaction.commit()?;
        let mut database = Self {
            connection,
            file: OpenFile::of(path)?,
            next,
            moved: loaded.moved,
        };
        for (portal, view) in &mut loaded.views {
            for change in view.interrupted(now.max(view.latest())) {
                database.make(portal, view, change)?;
            }
        }
        Ok((database, loaded))
    }

    /// A number that no attempt has, nor had.
    pub fn next_id(&mut self) -> AttemptId {
        let id = AttemptId::new(self.next);
        self.next += 1;
        id
    }

    /// Writes when a portal was first met.
    pub fn meet(&mut self, portal: &PortalAddress, view: &LedgerView) -> Result<(), LedgerError> {
        let transaction = self.connection.transaction()?;
        let write = Write {
            transaction: &transaction,
            portal,
            view,
        };
        write.portal()?;
        Ok(transaction.commit()?)
    }

    /// Moves every time with a clock that was set by so many milliseconds; tells by how much.
    pub fn clock_was_set(&mut self, step: i64, now: Timestamp) -> Result<i64, LedgerError> {
        self.file.check()?;
        let by = clock::follow(step, self.moved);
        let transaction = self.connection.transaction()?;
        for (table, column) in schema::TIMES {
            let sql = format!("UPDATE {table} SET {column} = {column} + ?1");
            transaction.execute(&sql, [by])?;
        }
        transaction.execute(
            "UPDATE ledger SET moved = moved + ?1, clock_set = ?2",
            [by, now.as_millis()],
        )?;
        transaction.commit()?;
        self.moved += by;
        Ok(by)
    }

    /// What people took back in a portal and was not taken in yet.
    pub fn asked_to_forgive(
        &self,
        portal: &PortalAddress,
    ) -> Result<Vec<(i64, Forgiveness)>, LedgerError> {
        load::asked_to_forgive(&self.connection, portal)
    }

    /// Makes one change: on disk when this returns, and then in the view. Where it fails, neither is changed.
    pub fn make(
        &mut self,
        portal: &PortalAddress,
        view: &mut LedgerView,
        change: Change,
    ) -> Result<(), LedgerError> {
        self.file.check()?;
        let mut next = view.clone();
        let touched = next.change(change)?;
        let transaction = self.connection.transaction()?;
        let write = Write {
            transaction: &transaction,
            portal,
            view: &next,
        };
        write.all(&touched)?;
        transaction.commit()?;
        *view = next;
        Ok(())
    }
}
