//! A database of either engine, whose connection is made anew after it ended.
//!
//! Every transaction is complete in itself: its begin sets what it needs, and statements have no names. So a proxy may give each transaction
//! another connection (`PgBouncer` with `pool_mode = transaction`). After an error of the connection there is a pause that
//! grows, and every request fails at once during it.

use std::time::Duration;

use tokio::time::timeout;

use crate::store::connection::{Pause, connect_to_server, open_file};
use crate::store::error::StoreError;
use crate::store::place::{Access, FileIdentity, Place};
use crate::store::statement::Connection;
use crate::store::tables::{self, SCHEMA};

/// A server that does not answer within this time cannot be used.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longest time of all statements of a transaction that writes.
const TRANSACTION_TIMEOUT: Duration = Duration::from_secs(30);

/// The server ends a statement that writes after this time: before the client gives up, so that the error is known and the connection is still of use.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(8);

#[derive(Debug)]
pub(super) struct Database {
    place: Place,
    access: Access,
    connection: Option<Open>,
    /// After an error of the connection to a server.
    pause: Pause,
}

#[derive(Debug)]
struct Open {
    connection: Connection,
    /// Of a file.
    identity: Option<FileIdentity>,
}

impl Database {
    /// Opens it with the first use.
    pub fn new(place: Place, access: Access) -> Self {
        Self {
            place,
            access,
            connection: None,
            pause: Pause::default(),
        }
    }

    /// Does work in one transaction: all of it is stored when this returns, or nothing is.
    pub async fn transaction<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let connection = self.begin(STATEMENT_TIMEOUT).await?;
        let work = async {
            let done = work(connection).await?;
            let commit = connection.execute("COMMIT".to_owned()).await;
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
        self.end(done).await
    }

    /// Reads in one transaction. It may take long as a whole, but each row must come soon.
    pub async fn read<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let connection = self.begin(Duration::ZERO).await?;
        let done = work(connection).await;
        let done = match done {
            Ok(done) => connection.execute("COMMIT".to_owned()).await.map(|_| done),
            Err(error) => Err(error),
        };
        self.end(done).await
    }

    /// Ends the connection.
    pub async fn close(&mut self) {
        if let Some(open) = self.connection.take() {
            open.connection.close().await;
        }
    }

    /// Leaves a connection that may be of no use any more, and undoes what was not committed.
    async fn end<T>(&mut self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        match &done {
            Err(error) if error.is_of_connection() => self.lost(error),
            Err(_) => self.undo().await,
            Ok(_) => {}
        }
        done.map_err(|error| self.named(error))
    }

    /// An error, with the path where there is a file.
    fn named(&self, error: StoreError) -> StoreError {
        match &self.place {
            Place::Folder(folder) => error.of_file(&folder.database()),
            Place::Server(_) => error,
        }
    }

    /// Begins a transaction: with a connection that ended meanwhile, once more with a new one.
    async fn begin(&mut self, statement: Duration) -> Result<&mut Connection, StoreError> {
        if self.connection.is_none() {
            self.pause.check()?;
        }
        let begun = match self.try_to_begin(statement).await {
            Err(StoreError::Away(_) | StoreError::Replaced) if self.connection.is_some() => {
                self.connection = None;
                self.try_to_begin(statement).await
            }
            begun => begun,
        };
        match begun {
            Ok(()) => self.pause.end(),
            Err(error) => {
                self.lost(&error);
                return Err(self.named(error));
            }
        }
        let open = self.connection.as_mut().ok_or(StoreError::Closed)?;
        Ok(&mut open.connection)
    }

    async fn try_to_begin(&mut self, statement: Duration) -> Result<(), StoreError> {
        if let (Place::Folder(folder), Access::Serve) = (&self.place, self.access) {
            folder.hold()?;
        }
        if self.connection.is_none() {
            self.connection = Some(self.open().await?);
        }
        let statements = self.begin_statements(statement);
        let open = self.connection.as_mut().ok_or(StoreError::Closed)?;
        if let Some(identity) = &open.identity {
            identity.check()?;
        }
        let executed = timeout(PATIENCE, open.connection.execute(statements)).await;
        let no_answer = |_| Err(StoreError::Away("no answer".to_owned()));
        executed.unwrap_or_else(no_answer).map(drop)
    }

    async fn open(&self) -> Result<Open, StoreError> {
        let (mut connection, identity) = match &self.place {
            Place::Folder(folder) => {
                let path = folder.database();
                let connection = open_file(&path, self.access).await?;
                (connection, Some(FileIdentity::of(&path)?))
            }
            Place::Server(url_file) => {
                let needs_writes = self.access != Access::Read;
                (connect_to_server(url_file, needs_writes).await?, None)
            }
        };
        tables::check(&mut connection, self.access).await?;
        Ok(Open {
            connection,
            identity,
        })
    }

    /// `statement`: how long a statement may take on a server; as long as it takes if zero.
    fn begin_statements(&self, statement: Duration) -> String {
        match (&self.place, self.access) {
            (Place::Folder(_), Access::Read) => "BEGIN".to_owned(),
            (Place::Folder(_), Access::Serve | Access::Write) => "BEGIN IMMEDIATE".to_owned(),
            (Place::Server(_), _) => {
                let [idle, statement] = [PATIENCE, statement].map(|limit| limit.as_millis());
                format!(
                    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL search_path TO {SCHEMA};
                     SET LOCAL statement_timeout = {statement};
                     SET LOCAL idle_in_transaction_session_timeout = {idle}"
                )
            }
        }
    }

    /// Ends a transaction without its changes. A connection that cannot do that is left; SQLite ends a transaction by itself after some errors.
    async fn undo(&mut self) {
        let Some(open) = &mut self.connection else {
            return;
        };
        let undone = open.connection.execute("ROLLBACK".to_owned());
        if !matches!(timeout(PATIENCE, undone).await, Ok(Ok(_))) {
            self.connection = None;
        }
    }

    /// Leaves the connection, and starts the pause where there is a server.
    fn lost(&mut self, error: &StoreError) {
        self.connection = None;
        if self.place.is_server() {
            self.pause.start(error);
        }
    }
}
