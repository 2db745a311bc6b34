//! How each engine is connected to, and the pause after a server could not be used.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use tokio::time::timeout;

use crate::clock::UpTime;
use crate::config::HiddenPath;
use crate::store::error::StoreError;
use crate::store::place::Access;
use crate::store::statement::Connection;
use crate::store::{tables, url};

/// A server that takes longer to accept a connection cannot be used.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens a file. The service makes one where there is none. A file that cannot be used is never written.
pub(super) async fn open_file(path: &Path, access: Access) -> Result<Connection, StoreError> {
    let file = SqliteConnectOptions::new().filename(path);
    let writes = |file: SqliteConnectOptions| {
        // Every commit is synced to disk.
        file.journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
    };
    let options = match (fs::metadata(path), access) {
        (Err(cause), _) if cause.kind() != ErrorKind::NotFound => {
            return Err(StoreError::path(path, &cause));
        }
        (Err(_), Access::Serve) => {
            make(path)?;
            writes(file)
        }
        (Err(_), Access::Read | Access::Write) => return Err(StoreError::Missing),
        // A database that no process uses can be read without a file for shared memory, which not every reader may make.
        (Ok(_), Access::Read) if !path.with_extension("db-wal").exists() => {
            file.read_only(true).immutable(true)
        }
        (Ok(_), Access::Read) => file.read_only(true),
        // Asked before the database is: a privileged user could write the file all the same.
        (Ok(found), _) if found.permissions().readonly() => {
            return Err(StoreError::ReadOnly(path.to_owned()));
        }
        (Ok(_), Access::Serve | Access::Write) => {
            // Nothing is changed of a file that is none of the program's, or of a newer one.
            check_file(file.clone().read_only(true), path).await?;
            writes(file)
        }
    };
    let connection = options.disable_statement_logging().connect().await;
    Ok(Connection::Sqlite(connection?))
}

/// Makes an empty file that nobody else may read. The files that SQLite adds have the same permissions.
fn make(path: &Path) -> Result<(), StoreError> {
    let mut new = File::options();
    let made = new.create_new(true).write(true).mode(0o600).open(path);
    made.map(drop)
        .map_err(|cause| StoreError::path(path, &cause))
}

/// Fails for a database with other tables than those of this program. A crash may have come between a file and its first tables.
async fn check_file(look: SqliteConnectOptions, path: &Path) -> Result<(), StoreError> {
    let foreign = "SELECT 1 FROM sqlite_schema
                   WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'lease')";
    let mut connection = Connection::Sqlite(look.disable_statement_logging().connect().await?);
    let found = connection.execute(foreign.to_owned()).await;
    let checked = tables::check(&mut connection, Access::Read).await;
    connection.close().await;
    match checked {
        _ if !found?.is_empty() => Err(StoreError::Foreign(path.to_owned())),
        Err(StoreError::Missing) => Ok(()),
        checked => checked,
    }
}

/// Connects to the first host that takes writes, of those in the URL that a file has.
pub(super) async fn connect_to_server(
    url_file: &HiddenPath,
    needs_writes: bool,
) -> Result<Connection, StoreError> {
    let mut refused = StoreError::NotOpened;
    for host in hosts(url_file)? {
        let connected = timeout(PATIENCE, connect_to_host(&host, needs_writes)).await;
        let late = || {
            let seconds = PATIENCE.as_secs();
            StoreError::Away(format!("no connection within {seconds} seconds"))
        };
        match connected.unwrap_or_else(|_| Err(late())) {
            Ok(connection) => return Ok(connection),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

/// The file is read at each connect.
fn hosts(url_file: &HiddenPath) -> Result<Vec<PgConnectOptions>, StoreError> {
    let text = url_file.read();
    let text = text.map_err(|error| StoreError::Away(error.to_string()))?;
    let hosts = url::parse(String::from_utf8_lossy(&text).trim());
    hosts.map_err(|why| StoreError::Away(format!("{url_file} cannot be used: {why}")))
}

/// Fails if a file cannot be read or has no URL of a database.
pub(crate) fn wrong_url(url_file: &HiddenPath) -> Result<(), String> {
    hosts(url_file).map(drop).map_err(|error| error.to_string())
}

async fn connect_to_host(
    host: &PgConnectOptions,
    needs_writes: bool,
) -> Result<Connection, StoreError> {
    let mut connection = Connection::Postgres(host.connect().await?);
    let standby = "SELECT 1 WHERE current_setting('transaction_read_only') = 'on'";
    if needs_writes && !connection.execute(standby.to_owned()).await?.is_empty() {
        return Err(StoreError::Away("the server is read-only".to_owned()));
    }
    Ok(connection)
}

/// The first pause after a server could not be used; the longer it is away, the less often it is asked.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Why there is a pause, if there is one.
#[derive(Debug, Default)]
pub(super) struct Pause(Option<Away>);

#[derive(Debug)]
struct Away {
    error: StoreError,
    until: UpTime,
    length: Duration,
}

impl Pause {
    /// Fails while it lasts, for the reason of it.
    pub fn check(&self) -> Result<(), StoreError> {
        match &self.0 {
            // Nothing was sent now, whatever became of what was sent before.
            Some(away) if UpTime::now() < away.until => Err(match &away.error {
                StoreError::CommitUnknown(why) => StoreError::Away(why.clone()),
                error => error.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Starts, or starts again and lasts twice as long.
    pub fn start(&mut self, error: &StoreError) {
        let length = self.0.as_ref().map_or(FIRST_PAUSE, |away| away.length * 2);
        let length = length.min(LONGEST_PAUSE);
        self.0 = Some(Away {
            error: error.clone(),
            until: UpTime::now().after(length),
            length,
        });
    }

    /// The server can be used.
    pub fn end(&mut self) {
        self.0 = None;
    }
}
