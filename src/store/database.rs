//! A database of either engine, whose connection is made anew after it ended.
//!
//! Every transaction is complete in itself: its begin sets what it needs, and statements have no names. So a proxy may give each transaction
//! another connection (`PgBouncer` with `pool_mode = transaction`). After an error of the connection there is a pause that
//! grows, and every request fails at once during it.

use std::time::Duration;

use sqlx::{AnyConnection, Row as _};
use tokio::time::timeout;

use crate::clock::Moment;
use crate::model::Timestamp;
use crate::store::clock::StoreClock;
use crate::store::connection::{Pause, connect_to_server};
use crate::store::error::StoreError;
use crate::store::place::{Access, Part, Place};
use crate::store::sqlite::{self, FileIdentity};
use crate::store::tables::{self, Engine, SCHEMA, SERVER_NOW, rows};

/// A server that does not answer within this time cannot be used.
const PATIENCE: Duration = Duration::from_secs(10);

/// The time that a server told is not known to be the present one if its answer took longer.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Longest time of all statements of a transaction.
const TRANSACTION_TIMEOUT: Duration = Duration::from_secs(30);

/// The server ends a statement after this time: before the client gives up, so that the error is known and the connection is still of use.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(8);

#[derive(Debug)]
pub(super) struct Database {
    place: Place,
    part: Part,
    access: Access,
    clock: StoreClock,
    connection: Option<Connection>,
    /// After an error of the connection to a server.
    pause: Pause,
}

#[derive(Debug)]
struct Connection {
    connection: AnyConnection,
    /// Of a file.
    identity: Option<FileIdentity>,
}

impl Database {
    /// Opens it with the first use.
    pub fn new(place: Place, part: Part, access: Access) -> Self {
        Self {
            place,
            part,
            access,
            clock: StoreClock::default(),
            connection: None,
            pause: Pause::default(),
        }
    }

    /// Whether several processes may use it.
    pub const fn is_shared(&self) -> bool {
        matches!(self.place, Place::Server(_))
    }

    pub fn clock(&self) -> StoreClock {
        self.clock.clone()
    }

    /// A reading of the clock: what a server told last, `None` before it told anything; or the time of this machine.
    pub fn read_clock(&self) -> Option<Moment> {
        if self.is_shared() {
            self.clock.told()
        } else {
            Some(Moment::now())
        }
    }

    /// Does work in one transaction: all of it is stored when this returns, or nothing is.
    pub async fn transaction<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut AnyConnection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let begun = self.begin().await;
        begun.map_err(|error| self.named(error))?;
        let Some(open) = &mut self.connection else {
            return Err(StoreError::Closed);
        };
        let connection = &mut open.connection;
        let work = async {
            let done = work(connection).await?;
            let commit = rows(connection, "COMMIT".to_owned()).await;
            commit.map_err(|error| match error {
                StoreError::Away(why) => StoreError::CommitUnknown(why),
                error => error,
            })?;
            Ok(done)
        };
        let late = || {
            let seconds = TRANSACTION_TIMEOUT.as_secs();
            StoreError::CommitUnknown(format!("no answer within {seconds} seconds"))
        };
        let done = timeout(TRANSACTION_TIMEOUT, work).await;
        let done = done.unwrap_or_else(|_| Err(late()));
        let done = done.map_err(|error| self.named(error));
        match &done {
            Err(error) if error.is_of_connection() => self.lost(error),
            Err(_) => self.undo().await,
            Ok(_) => {}
        }
        done
    }

    /// Fails if nothing can be written.
    pub async fn check_write(&mut self) -> Result<(), StoreError> {
        let part = self.part.as_str();
        let write = match self.engine() {
            Engine::Sqlite => format!("UPDATE store SET version = version WHERE part = '{part}'"),
            // To lock the row is a write, and waits for nobody.
            Engine::Postgres => format!("SELECT part FROM store WHERE part = '{part}' FOR SHARE"),
        };
        self.transaction(async |connection| rows(connection, write).await.map(drop))
            .await
    }

    /// Ends the connection.
    pub async fn close(&mut self) {
        if let Some(open) = self.connection.take() {
            // It ends in any case.
            let _ = sqlx::Connection::close(open.connection).await;
        }
    }

    /// An error, with the path where there is a file.
    fn named(&self, error: StoreError) -> StoreError {
        match &self.place {
            Place::Folder(folder) => error.of_file(&folder.path().join(self.part.file_name())),
            Place::Server(_) => error,
        }
    }

    const fn engine(&self) -> Engine {
        match self.place {
            Place::Folder(_) => Engine::Sqlite,
            Place::Server(_) => Engine::Postgres,
        }
    }

    /// Begins a transaction: with a connection that ended meanwhile, once more with a new one.
    async fn begin(&mut self) -> Result<(), StoreError> {
        if self.connection.is_some() {
            match self.begin_once().await {
                Err(StoreError::Away(_)) => self.connection = None,
                begun => return begun,
            }
        }
        self.connect().await?;
        let begun = self.begin_once().await;
        if let Err(error @ StoreError::Away(_)) = &begun {
            self.lost(error);
        }
        begun
    }

    async fn connect(&mut self) -> Result<(), StoreError> {
        self.pause.check()?;
        match self.open().await {
            Ok(open) => {
                self.connection = Some(open);
                Ok(())
            }
            Err(error) => {
                self.lost(&error);
                Err(error)
            }
        }
    }

    async fn open(&self) -> Result<Connection, StoreError> {
        let (mut connection, identity) = match &self.place {
            Place::Folder(folder) => {
                let folder = match self.access {
                    Access::Serve => folder.hold()?,
                    Access::Read | Access::Write => folder.path(),
                };
                let path = folder.join(self.part.file_name());
                let (connection, identity) = sqlite::open(&path, self.part, self.access).await?;
                (connection, Some(identity))
            }
            Place::Server(url_file) => {
                let needs_writes = self.access != Access::Read;
                (connect_to_server(url_file, needs_writes).await?, None)
            }
        };
        tables::check(&mut connection, self.engine(), self.part, self.access).await?;
        if identity.is_some() && self.access != Access::Read {
            sqlite::configure(&mut connection).await?;
        }
        Ok(Connection {
            connection,
            identity,
        })
    }

    /// Begins, and reads what may have changed since the last transaction: where the data is, and the time of a server.
    async fn begin_once(&mut self) -> Result<(), StoreError> {
        let statements = self.begin_statements();
        let Some(open) = &mut self.connection else {
            return Err(StoreError::Closed);
        };
        if let Some(identity) = &open.identity {
            identity.check()?;
        }
        let asked = Moment::now();
        let begun = timeout(PATIENCE, rows(&mut open.connection, statements)).await;
        let waited = Moment::now().elapsed_since(asked);
        let begun = begun.unwrap_or_else(|_| Err(StoreError::Away("no answer".to_owned())));
        let begun =
            begun.and_then(|rows| Ok(rows.first().map(|row| row.try_get("now")).transpose()?));
        match begun {
            Ok(told) => {
                self.pause.end();
                if let Some(told) = told.filter(|_| waited < MAX_WAIT) {
                    let wall = Timestamp::from_millis(told);
                    self.clock.set(Moment {
                        wall,
                        ..Moment::now()
                    });
                }
                Ok(())
            }
            Err(error) => {
                self.connection = None;
                Err(error)
            }
        }
    }

    fn begin_statements(&self) -> String {
        match (self.engine(), self.access) {
            (Engine::Sqlite, Access::Read) => "BEGIN".to_owned(),
            (Engine::Sqlite, Access::Serve | Access::Write) => "BEGIN IMMEDIATE".to_owned(),
            (Engine::Postgres, _) => {
                let [idle, statement] =
                    [PATIENCE, STATEMENT_TIMEOUT].map(|limit| limit.as_millis());
                format!(
                    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL search_path TO {SCHEMA};
                     SET LOCAL statement_timeout = {statement};
                     SET LOCAL idle_in_transaction_session_timeout = {idle};
                     SELECT {SERVER_NOW} AS now"
                )
            }
        }
    }

    /// Ends a transaction without its changes. A connection that cannot do that is left.
    async fn undo(&mut self) {
        let Some(open) = &mut self.connection else {
            return;
        };
        let undone = rows(&mut open.connection, "ROLLBACK".to_owned());
        let undone = timeout(PATIENCE, undone).await;
        // SQLite ends a transaction by itself after some errors.
        if self.is_shared() && !matches!(undone, Ok(Ok(_))) {
            self.connection = None;
        }
    }

    /// Leaves the connection, and starts the pause where there is a server.
    fn lost(&mut self, error: &StoreError) {
        self.connection = None;
        if self.is_shared() {
            self.pause.start(error);
        }
    }
}
