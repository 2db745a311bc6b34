//! The tables. Both engines have the same, made by the same statements.
//!
//! In PostgreSQL they are in a schema of their own. Documents are JSON, and those that may be large are compressed with zlib; what is searched for
//! or compared has a column. Times are milliseconds since 1970.

use crate::store::error::StoreError;
use crate::store::place::Access;
use crate::store::statement::Connection;

/// The version of the tables. A program leaves tables of another version as they are.
const VERSION: i64 = 2;

/// The schema in PostgreSQL.
pub(super) const SCHEMA: &str = "kb_exporter";

/// Keeps processes that make tables at the same time apart: `kb-expor`.
const LOCK: i64 = i64::from_be_bytes(*b"kb-expor");

/// `lease.doubted`: limits of reindexing may have ended early before this; 0 if people forgave that. `attempt.watched`: its files, while it waits
/// for its verdict. `reindexed.tried`: how often files were sent since they were done last. `forgiven.until`: the newest attempt that limits
/// ignore.
const TABLES: &str = "
    CREATE TABLE lease (
        portal TEXT PRIMARY KEY,
        epoch BIGINT NOT NULL,
        beat BIGINT NOT NULL,
        holder TEXT NOT NULL,
        doubted BIGINT NOT NULL
    );
    CREATE TABLE portal (portal TEXT PRIMARY KEY, document TEXT NOT NULL);
    CREATE TABLE folder (
        portal TEXT NOT NULL,
        folder TEXT NOT NULL,
        written BIGINT NOT NULL,
        document TEXT NOT NULL,
        PRIMARY KEY (portal, folder)
    );
    CREATE TABLE files (
        portal TEXT NOT NULL,
        folder TEXT NOT NULL,
        part BIGINT NOT NULL,
        document BYTEA NOT NULL,
        PRIMARY KEY (portal, folder, part)
    );
    CREATE TABLE attempt (
        portal TEXT NOT NULL,
        id BIGINT NOT NULL,
        entry TEXT NOT NULL,
        folder TEXT NOT NULL,
        name TEXT NOT NULL,
        is_trial BIGINT NOT NULL,
        intended BIGINT NOT NULL,
        files BIGINT NOT NULL,
        outcome TEXT,
        answered BIGINT,
        verdict TEXT,
        judged BIGINT,
        results TEXT NOT NULL,
        watched BYTEA,
        PRIMARY KEY (portal, id)
    );
    CREATE UNIQUE INDEX one_open ON attempt (portal, folder) WHERE watched IS NOT NULL;
    CREATE TABLE reindexed (
        portal TEXT NOT NULL,
        folder TEXT NOT NULL,
        totals TEXT NOT NULL,
        tried BYTEA,
        PRIMARY KEY (portal, folder)
    );
    CREATE TABLE forgiven (
        portal TEXT NOT NULL,
        what TEXT NOT NULL,
        until BIGINT NOT NULL,
        PRIMARY KEY (portal, what)
    );
    CREATE TABLE version (number BIGINT NOT NULL);";

/// Checks that the tables can be used. The service makes them where they are missing.
pub(super) async fn check(connection: &mut Connection, access: Access) -> Result<(), StoreError> {
    match (version(connection).await?, access) {
        (Some(found), _) if found != VERSION => {
            let known = VERSION;
            Err(StoreError::OtherVersion { found, known })
        }
        (Some(_), _) => Ok(()),
        (None, Access::Serve) => make(connection).await,
        (None, Access::Read | Access::Write) => Err(StoreError::Missing),
    }
}

/// The version of the tables; `None` if there are none.
async fn version(connection: &mut Connection) -> Result<Option<i64>, StoreError> {
    let (exists, table) = match connection {
        Connection::Sqlite(_) => (
            "SELECT 1 FROM sqlite_schema WHERE name = 'version'".to_owned(),
            "version".to_owned(),
        ),
        Connection::Postgres(_) => (
            format!(
                "SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                 WHERE nspname = '{SCHEMA}' AND relname = 'version'"
            ),
            format!("{SCHEMA}.version"),
        ),
    };
    if connection.execute(exists).await?.is_empty() {
        return Ok(None);
    }
    let rows = connection.execute(format!("SELECT number FROM {table}"));
    let rows = rows.await?;
    rows.first().map(|row| row.get("number")).transpose()
}

/// Makes the tables, unless another process has made them meanwhile.
async fn make(connection: &mut Connection) -> Result<(), StoreError> {
    let begin = match connection {
        Connection::Sqlite(_) => "BEGIN IMMEDIATE".to_owned(),
        Connection::Postgres(_) => format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})"),
    };
    connection.execute(begin).await?;
    if version(connection).await?.is_none() {
        if matches!(connection, Connection::Postgres(_)) {
            make_schema(connection).await?;
        }
        let insert = format!("INSERT INTO version (number) VALUES ({VERSION})");
        connection.execute(format!("{TABLES} {insert}")).await?;
    }
    // Without a commit, the end of the connection undoes it all.
    connection.execute("COMMIT".to_owned()).await.map(drop)
}

async fn make_schema(connection: &mut Connection) -> Result<(), StoreError> {
    // Who may not make schemas may use one that was made for the program.
    let exists = format!("SELECT 1 FROM pg_namespace WHERE nspname = '{SCHEMA}'");
    if connection.execute(exists).await?.is_empty() {
        let create = format!("CREATE SCHEMA {SCHEMA}");
        connection.execute(create).await?;
    }
    let search = format!("SET LOCAL search_path TO {SCHEMA}");
    connection.execute(search).await.map(drop)
}
