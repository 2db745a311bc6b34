//! A database of either engine.

use crate::config::{HiddenPath, State};
use crate::sql::error::SqlError;
use crate::sql::postgres::Postgres;
use crate::sql::schema::Schema;
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
    /// Tables in PostgreSQL. Connects with the first use.
    pub fn on_server(url_file: &HiddenPath, schema: &'static Schema) -> Self {
        Self::Postgres(Box::new(Postgres::new(url_file, schema)))
    }

    /// Opens an existing database, read-only or read-write; `None` if there is none. Needs no lock of a folder.
    pub fn open_existing(
        state: &State,
        file_name: &str,
        write: bool,
        schema: &'static Schema,
    ) -> Result<Option<Self>, SqlError> {
        match state {
            State::Path(folder) => {
                let file = SqliteFile::open_existing(&folder.join(file_name), write, schema)?;
                Ok(file.map(Self::Sqlite))
            }
            State::Postgres(shared) => Ok(Some(Self::on_server(&shared.url_file, schema))),
            State::Temporary => Ok(None),
        }
    }

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

    /// Fails if nothing can be written.
    pub fn check_write(&mut self) -> Result<(), SqlError> {
        match self {
            Self::Sqlite(file) => file.check_write(),
            Self::Postgres(server) => server.check_write(),
        }
    }
}
