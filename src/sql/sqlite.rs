//! SQLite files.

use std::path::Path;
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use crate::sql::error::SqlError;
use crate::sql::record::Row;
use crate::sql::transaction::{Engine, Transaction};

/// An open file. Every commit is synced to disk.
#[derive(Debug)]
pub(crate) struct SqliteFile(Connection);

impl SqliteFile {
    /// Opens a file, or creates one.
    pub fn open(path: &Path) -> Result<Self, SqlError> {
        Ok(Self(Connection::open(path)?))
    }

    /// Opens a file that exists. `write`: not only for reading.
    pub fn open_existing(path: &Path, write: bool) -> Result<Self, SqlError> {
        let access = if write {
            OpenFlags::SQLITE_OPEN_READ_WRITE
        } else {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        };
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Ok(Self(Connection::open_with_flags(path, flags)?))
    }

    /// A copy in memory.
    pub fn copy(&mut self) -> Result<Self, SqlError> {
        let mut copy = Connection::open_in_memory()?;
        let mut bytes = self.0.serialize("main")?.to_vec();
        // A database in memory has no write-ahead log (https://sqlite.org/c3ref/deserialize.html).
        if let Some(versions) = bytes.get_mut(18..20) {
            versions.fill(1);
        }
        copy.deserialize_read_exact("main", &*bytes, bytes.len(), false)?;
        Ok(Self(copy))
    }

    /// Waits for other processes that write.
    pub fn wait_for_others(&self, patience: std::time::Duration) -> Result<(), SqlError> {
        Ok(self.0.busy_timeout(patience)?)
    }

    /// Prepares the file for writing.
    pub fn configure(&self) -> Result<(), SqlError> {
        self.0.pragma_update(None, "journal_mode", "wal")?;
        self.0.pragma_update(None, "synchronous", "full")?;
        Ok(self.0.pragma_update(None, "foreign_keys", true)?)
    }

    /// The schema version: 0 where there are no tables.
    pub fn version(&self) -> Result<i64, SqlError> {
        let version = self
            .0
            .pragma_query_value(None, "user_version", |row| row.get(0));
        Ok(version?)
    }

    /// Whether there is any table.
    pub fn has_tables(&self) -> Result<bool, SqlError> {
        let query = "SELECT count(*) > 0 FROM sqlite_schema";
        Ok(self.0.query_row(query, [], |row| row.get(0))?)
    }

    /// Fails where the disk refuses writes: writes the header of the file again as it is. (The write of a row that does not change is
    /// skipped.)
    pub fn check_write(&self) -> Result<(), SqlError> {
        let version = self.version()?;
        Ok(self.0.pragma_update(None, "user_version", version)?)
    }

    pub(super) fn transaction<T, E: From<SqlError>>(
        &mut self,
        work: impl FnOnce(&mut dyn Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut transaction = SqliteTransaction(self.0.transaction().map_err(SqlError::from)?);
        let done = work(&mut transaction)?;
        transaction.0.commit().map_err(SqlError::from)?;
        Ok(done)
    }

    /// Takes every step from a version to the last one, and then does work, in one transaction. Each step brings the tables to a version
    /// from the one before.
    pub fn upgrade<T, E: From<SqlError>>(
        &mut self,
        found: i64,
        steps: &[&str],
        work: impl FnOnce(&mut dyn Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        let take = |transaction: &rusqlite::Transaction<'_>| -> Result<(), SqlError> {
            let new = (1_i64..).zip(steps).filter(|(version, _)| *version > found);
            for (version, step) in new {
                transaction.execute_batch(step)?;
                transaction.pragma_update(None, "user_version", version)?;
            }
            Ok(())
        };
        let transaction = self.0.transaction().map_err(SqlError::from)?;
        take(&transaction)?;
        let mut transaction = SqliteTransaction(transaction);
        let done = work(&mut transaction)?;
        transaction.0.commit().map_err(SqlError::from)?;
        Ok(done)
    }
}

struct SqliteTransaction<'a>(rusqlite::Transaction<'a>);

impl Transaction for SqliteTransaction<'_> {
    fn engine(&self) -> Engine {
        Engine::Sqlite
    }

    fn execute(&mut self, statement: &str, values: &[Value]) -> Result<u64, SqlError> {
        let mut statement = self.0.prepare(&numbered(statement))?;
        Ok(statement.execute(params_from_iter(values))? as u64)
    }

    fn query(&mut self, query: &str, values: &[Value]) -> Result<Vec<Row>, SqlError> {
        let mut statement = self.0.prepare(&numbered(query))?;
        let names = statement.column_names();
        let names: Arc<[String]> = names.into_iter().map(str::to_owned).collect();
        let mut rows = statement.query(params_from_iter(values))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let values = (0..names.len()).map(|column| row.get::<_, Value>(column));
            found.push(Row::new(
                Arc::clone(&names),
                values.collect::<Result<_, _>>()?,
            ));
        }
        Ok(found)
    }
}

/// The statement with parameters as SQLite numbers them. (`$1` would be a name there.)
fn numbered(statement: &str) -> String {
    statement.replace('$', "?")
}
