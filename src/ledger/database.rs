//! The open file, and the one way to change it.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::Connection;

use crate::ledger::attempt::AttemptId;
use crate::ledger::change::Change;
use crate::ledger::error::LedgerError;
use crate::ledger::load::{self, Views};
use crate::ledger::schema;
use crate::ledger::view::LedgerView;
use crate::ledger::write::Write;
use crate::model::{PortalName, Timestamp};

/// The name of the file in the state folder.
pub const FILE_NAME: &str = "ledger.db";

/// The open file.
#[derive(Debug)]
pub(super) struct Database {
    connection: Connection,
    next: i64,
}

/// Where the ledger of a state folder is.
pub(super) fn path_in(folder: &Path) -> PathBuf {
    folder.join(FILE_NAME)
}

impl Database {
    /// Opens the ledger, or makes one where there is none, and reads it. Attempts without an outcome are
    /// interrupted ones: whoever made them is gone.
    pub fn open(folder: &Path) -> Result<(Self, Timestamp, Views), LedgerError> {
        let path = path_in(folder);
        let now = SystemTime::now().into();
        schema::inspect(&path)?;
        let mut connection = Connection::open(&path)?;
        let found = schema::known_version(&connection, &path)?;
        schema::configure(&connection)?;
        // Read before anything is committed: what makes no sense stays as it is.
        let transaction = connection.transaction()?;
        schema::upgrade(&transaction, found, now)?;
        let (created, mut views) = load::load(&transaction)?;
        let next = load::next_id(&transaction)?;
        transaction.commit()?;
        let mut database = Self { connection, next };
        for (portal, view) in &mut views {
            for change in view.interrupted(now) {
                database.make(portal, view, change)?;
            }
        }
        Ok((database, created, views))
    }

    /// A number that no attempt has, nor had.
    pub fn next_id(&mut self) -> AttemptId {
        let id = AttemptId::new(self.next);
        self.next += 1;
        id
    }

    /// Makes one change: on disk when this returns, and then in the view. Where it fails, neither is changed.
    pub fn make(
        &mut self,
        portal: &PortalName,
        view: &mut LedgerView,
        change: Change,
    ) -> Result<(), LedgerError> {
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
