//! SQLite files.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use crate::sql::error::SqlError;
use crate::sql::record::Row;
use crate::sql::schema::Schema;
use crate::sql::transaction::{Engine, Transaction};

/// An open file. Every commit is synced to disk.
#[derive(Debug)]
pub(crate) struct SqliteFile {
    connection: Connection,
    path: PathBuf,
    /// Device and inode when it was opened: another file may take its name, and then nobody would find what is written to this one.
    identity: (u64, u64),
}

impl SqliteFile {
    /// Opens a file, or makes one with empty tables. A file that cannot be used is never written.
    pub fn open(path: &Path, schema: &Schema) -> Result<Self, SqlError> {
        let has_tables = Self::open_existing(path, false, schema)?.is_some();
        refuse_read_only(path)?;
        let mut file = Self::of(Connection::open(path)?, path)?;
        file.configure()?;
        if !has_tables {
            let transaction = file.connection.transaction()?;
            transaction.execute_batch(&schema.in_sqlite())?;
            transaction.pragma_update(None, "user_version", schema.version)?;
            transaction.commit()?;
        }
        Ok(file)
    }

    /// Opens an existing file, read-only or read-write; `None` if there is no file, or it has no tables yet.
    pub fn open_existing(
        path: &Path,
        write: bool,
        schema: &Schema,
    ) -> Result<Option<Self>, SqlError> {
        let exists = path.try_exists();
        if !exists.map_err(|cause| SqlError::path(path, &cause))? {
            return Ok(None);
        }
        let access = if write {
            refuse_read_only(path)?;
            OpenFlags::SQLITE_OPEN_READ_WRITE
        } else {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        };
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let file = Self::of(Connection::open_with_flags(path, flags)?, path)?;
        if !file.has_tables(path, schema)? {
            return Ok(None);
        }
        if write {
            file.configure()?;
        }
        Ok(Some(file))
    }

    fn of(connection: Connection, path: &Path) -> Result<Self, SqlError> {
        Ok(Self {
            connection,
            path: path.to_owned(),
            identity: identity(path)?,
        })
    }

    /// Fails if the file does not have its name any more.
    fn check_identity(&self) -> Result<(), SqlError> {
        if identity(&self.path).is_ok_and(|found| found == self.identity) {
            return Ok(());
        }
        Err(SqlError::Replaced(self.path.clone()))
    }

    fn has_tables(&self, path: &Path, schema: &Schema) -> Result<bool, SqlError> {
        let found = self.version()?;
        if found > schema.version {
            let known = schema.version;
            return Err(SqlError::Newer { found, known });
        }
        let query = "SELECT count(*) > 0 FROM sqlite_schema";
        let has_tables = self.connection.query_row(query, [], |row| row.get(0))?;
        // A crash may have come between the file and its first tables; anything else without the version is not ours.
        if has_tables && found != schema.version {
            return Err(SqlError::Foreign(path.to_owned()));
        }
        Ok(has_tables)
    }

    fn configure(&self) -> Result<(), SqlError> {
        self.connection.pragma_update(None, "journal_mode", "wal")?;
        self.connection.pragma_update(None, "synchronous", "full")?;
        Ok(self.connection.pragma_update(None, "foreign_keys", true)?)
    }

    fn version(&self) -> Result<i64, SqlError> {
        let version = self
            .connection
            .pragma_query_value(None, "user_version", |row| row.get(0));
        Ok(version?)
    }

    /// Fails if the disk refuses writes: writes the header of the file again as it is. (The write of a row that does not change is
    /// skipped.)
    pub fn check_write(&self) -> Result<(), SqlError> {
        self.check_identity()?;
        let version = self.version()?;
        Ok(self
            .connection
            .pragma_update(None, "user_version", version)?)
    }

    pub fn transaction<T, E: From<SqlError>>(
        &mut self,
        work: impl FnOnce(&mut dyn Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        self.check_identity()?;
        let transaction = self.connection.transaction();
        let mut transaction = SqliteTransaction(transaction.map_err(SqlError::from)?);
        let done = work(&mut transaction)?;
        transaction.0.commit().map_err(SqlError::from)?;
        Ok(done)
    }
}

fn identity(path: &Path) -> Result<(u64, u64), SqlError> {
    let file = fs::metadata(path).map_err(|cause| SqlError::path(path, &cause))?;
    Ok((file.dev(), file.ino()))
}

/// Asked before the database is: a privileged user could write the file all the same.
fn refuse_read_only(path: &Path) -> Result<(), SqlError> {
    let read_only = fs::metadata(path).is_ok_and(|file| file.permissions().readonly());
    if read_only {
        return Err(SqlError::ReadOnly(path.to_owned()));
    }
    Ok(())
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
