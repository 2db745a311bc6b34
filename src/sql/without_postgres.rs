//! Replaces PostgreSQL in a build without it: every use is refused. The configuration refuses it before.

use crate::config::HiddenPath;
use crate::sql::error::SqlError;
use crate::sql::schema::Schema;
use crate::sql::server_clock::ServerClock;
use crate::sql::transaction::Transaction;

/// A server that cannot be used.
#[derive(Debug)]
pub(crate) struct Postgres {
    url_file: HiddenPath,
}

impl Postgres {
    pub fn new(url_file: &HiddenPath, _: &'static Schema) -> Self {
        let url_file = url_file.clone();
        Self { url_file }
    }

    #[expect(clippy::unused_self, reason = "as with PostgreSQL")]
    pub fn clock(&self) -> ServerClock {
        ServerClock::default()
    }

    pub fn connect(&mut self) -> Result<(), SqlError> {
        Err(self.refused())
    }

    pub fn has_tables(&self) -> Result<bool, SqlError> {
        Err(self.refused())
    }

    pub fn check_write(&mut self) -> Result<(), SqlError> {
        Err(self.refused())
    }

    pub(super) fn transaction<T, E: From<SqlError>>(
        &mut self,
        _: impl FnOnce(&mut dyn Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        Err(self.refused().into())
    }

    fn refused(&self) -> SqlError {
        let file = &self.url_file;
        SqlError::Away(format!(
            "this build of kb-exporter has no PostgreSQL client for {file}"
        ))
    }
}
