//! A PostgreSQL server.
//!
//! Every transaction is complete in itself: `BEGIN` sets what it needs, and statements have no names. So a proxy may give each transaction
//! another connection (`PgBouncer` with `pool_mode = transaction`). After an error of the connection there is a pause that
//! grows, and every request fails at once during it.

mod connect;
mod connection;
mod tables;
mod transaction;

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;
use tokio_postgres::SimpleQueryMessage;

use crate::clock::Moment;
use crate::config::HiddenPath;
use crate::model::Timestamp;
use crate::sql::error::SqlError;
use crate::sql::schema::{SERVER_NOW, Schema};
use crate::sql::server_clock::ServerClock;
use crate::sql::transaction::Transaction;
use connection::{Connection, PATIENCE, STATEMENT_TIMEOUT};
use transaction::PostgresTransaction;

/// The shortest and longest pause after an error of the connection.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];

/// A connection to a server, made anew if it ended.
pub(crate) struct Postgres {
    /// The file that has the URL of the database. It is read at each connect.
    url_file: HiddenPath,
    schema: &'static Schema,
    clock: ServerClock,
    connection: Option<Connection>,
    away: Option<Away>,
}

/// Why there is a pause.
#[derive(Debug)]
struct Away {
    error: SqlError,
    until: Instant,
    pause: Duration,
}

impl Postgres {
    /// Connects with the first use.
    pub fn new(url_file: &HiddenPath, schema: &'static Schema) -> Self {
        Self {
            url_file: url_file.clone(),
            schema,
            clock: ServerClock::default(),
            connection: None,
            away: None,
        }
    }

    /// The clock of the server, if it is known.
    pub fn clock(&self) -> ServerClock {
        self.clock.clone()
    }

    /// Connects, if that is not so, and makes the tables if they are missing.
    pub fn connect(&mut self) -> Result<(), SqlError> {
        if self.connection.is_some() {
            return Ok(());
        }
        if let Some(away) = &self.away
            && Moment::now().steady < away.until
        {
            return Err(away.error.clone());
        }
        let connection = connect::connect(&self.url_file)
            .and_then(|connection| tables::make(&connection, self.schema).map(|()| connection));
        match connection {
            Ok(connection) => {
                self.connection = Some(connection);
                self.away = None;
                Ok(())
            }
            Err(error) => {
                self.lost(&error);
                Err(error)
            }
        }
    }

    /// Whether the database has the tables. Makes none.
    pub fn has_tables(&self) -> Result<bool, SqlError> {
        let connection = connect::connect(&self.url_file)?;
        tables::exist(&connection, self.schema)
    }

    /// Starts the pause.
    fn lost(&mut self, error: &SqlError) {
        let [first, longest] = PAUSES;
        let pause = self.away.as_ref().map_or(first, |away| away.pause * 2);
        let pause = pause.min(longest);
        self.connection = None;
        self.away = Some(Away {
            error: error.clone(),
            until: Moment::now().steady + pause,
            pause,
        });
    }

    /// Fails if nothing can be written: a commit with a transaction id of its own is written to disk.
    pub fn check_write(&mut self) -> Result<(), SqlError> {
        self.transaction(|transaction| {
            transaction.query("SELECT pg_current_xact_id()::text AS id", &[])?;
            Ok(())
        })
    }

    pub(super) fn transaction<T, E: From<SqlError>>(
        &mut self,
        work: impl FnOnce(&mut dyn Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        self.begin()?;
        let Some(connection) = &self.connection else {
            return Err(SqlError::Away("not connected".to_owned()).into());
        };
        let mut transaction = PostgresTransaction::new(connection);
        let done = work(&mut transaction);
        let lost = transaction.lost;
        let end = match (&done, lost) {
            (_, Some(lost)) => Err(lost),
            (Ok(_), None) => connection.batch("COMMIT").map_err(|error| match error {
                SqlError::Away(why) => SqlError::CommitUnknown(why),
                error => error,
            }),
            (Err(_), None) => connection.batch("ROLLBACK"),
        };
        if let Err(error) = end {
            self.lost(&error);
            done?;
            return Err(error.into());
        }
        done
    }

    /// Begins a transaction: with a connection that ended meanwhile, once more with a new one.
    fn begin(&mut self) -> Result<(), SqlError> {
        self.connect()?;
        match self.begin_once() {
            Err(SqlError::Away(_)) => {
                self.connection = None;
                self.connect()?;
                self.begin_once().inspect_err(|error| self.lost(error))
            }
            begun => begun,
        }
    }

    fn begin_once(&self) -> Result<(), SqlError> {
        let Some(connection) = &self.connection else {
            return Err(SqlError::Away("not connected".to_owned()));
        };
        let [idle, statement] = [PATIENCE, STATEMENT_TIMEOUT].map(|limit| limit.as_millis());
        let begin = format!(
            "BEGIN; SET LOCAL search_path TO {}; SET LOCAL statement_timeout = {statement}; \
             SET LOCAL idle_in_transaction_session_timeout = {idle}; \
             SELECT {SERVER_NOW}, current_setting('transaction_read_only')",
            self.schema.name
        );
        let messages = connection.wait(connection.client.simple_query(&begin))?;
        let row = messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        let value = |column| row.and_then(|row| row.get(column));
        // The server became a standby, or was told to take no writes: another connection may lead to one that takes them.
        if value(1) == Some("on") {
            return Err(SqlError::Away("the server is read-only".to_owned()));
        }
        if let Some(now) = value(0).and_then(|now| now.parse().ok()) {
            self.clock.set(Timestamp::from_millis(now));
        }
        Ok(())
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres")
            .field("url_file", &self.url_file)
            .field("connected", &self.connection.is_some())
            .field("away", &self.away)
            .finish_non_exhaustive()
    }
}
