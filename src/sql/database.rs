//! A database of either engine.

use crate::sql::error::SqlError;
use crate::sql::postgres::Postgres;
use crate::sql::server_clock::ServerClock;
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

    /// The clock of the server, if there is one. It is known in each transaction.
    pub fn clock(&self) -> Option<ServerClock> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(server) => Some(server.clock()),
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
