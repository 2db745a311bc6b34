//! A database of either engine.

use crate::sql::error::SqlError;
use crate::sql::postgres::Postgres;
use crate::sql::sqlite::SqliteFile;
use crate::sql::transaction::Transaction;

/// An open database. Belongs to one thread, and blocks.
#[derive(Debug)]
pub(crate) enum Database {
    Sqlite(SqliteFile),
    Postgres(Box<Postgres>),
}

impl Database {
    /// Does work in one transaction: all of it is stored when this returns, or nothing is.
    pub fn transaction<T, E: From<SqlError>>(
        &mut self,
        work: impl FnOnce(&mut dyn Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        match self {
            Self::Sqlite(file) => file.transaction(work),
            Self::Postgres(server) => server.transaction(work),
        }
    }

    /// Fails where nothing can be written.
    pub fn check_write(&mut self) -> Result<(), SqlError> {
        match self {
            Self::Sqlite(file) => file.check_write(),
            Self::Postgres(server) => server.check_write(),
        }
    }
}
