//! The tables. Both engines have the same, made by the same statements.
//!
//! In PostgreSQL they are in a schema of their own. Rows are documents (JSON), with columns for what is searched for or compared.

use sqlx::{AnyConnection, AssertSqlSafe, Row as _, raw_sql};

use crate::store::error::StoreError;
use crate::store::place::{Access, Part};

/// The version of the tables. A program leaves tables of a newer version as they are.
const VERSION: i64 = 1;

/// The schema in PostgreSQL.
pub(super) const SCHEMA: &str = "kb_exporter";

/// The time of a PostgreSQL server, in milliseconds since 1970.
pub(super) const SERVER_NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::BIGINT";

/// Keeps processes that make tables at the same time apart: `kb-expor`.
const LOCK: i64 = i64::from_be_bytes(*b"kb-expor");

const SHARED: &str = "
    CREATE TABLE IF NOT EXISTS store (
        part TEXT PRIMARY KEY,
        version BIGINT NOT NULL,
        id TEXT NOT NULL
    );";

const STATE: &str = "
    CREATE TABLE portal (
        portal TEXT NOT NULL,
        document TEXT NOT NULL,
        PRIMARY KEY (portal)
    );
    CREATE TABLE folder (
        portal TEXT NOT NULL,
        folder TEXT NOT NULL,
        number BIGINT NOT NULL,
        token BIGINT NOT NULL,
        written BIGINT NOT NULL,
        document TEXT NOT NULL,
        PRIMARY KEY (portal, folder)
    );
    CREATE TABLE file (
        portal TEXT NOT NULL,
        folder TEXT NOT NULL,
        file TEXT NOT NULL,
        document TEXT NOT NULL,
        PRIMARY KEY (portal, folder, file)
    );
    CREATE TABLE ledger_copy (
        portal TEXT PRIMARY KEY,
        document TEXT NOT NULL
    );";

const LEDGER: &str = "
    CREATE TABLE event (
        portal TEXT NOT NULL,
        number BIGINT NOT NULL,
        token BIGINT NOT NULL,
        event TEXT NOT NULL,
        PRIMARY KEY (portal, number)
    );
    CREATE TABLE process (
        portal TEXT NOT NULL,
        process TEXT NOT NULL,
        document TEXT NOT NULL,
        until BIGINT NOT NULL,
        PRIMARY KEY (portal, process)
    );
    CREATE TABLE lease (
        portal TEXT NOT NULL,
        process TEXT NOT NULL,
        until BIGINT NOT NULL,
        PRIMARY KEY (portal)
    );";

impl Part {
    const fn tables(self) -> &'static str {
        match self {
            Self::State => STATE,
            Self::Ledger => LEDGER,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Engine {
    Sqlite,
    Postgres,
}

/// Checks that the tables of a part can be used. The service makes them where they are missing.
pub(super) async fn check(
    connection: &mut AnyConnection,
    engine: Engine,
    part: Part,
    access: Access,
) -> Result<(), StoreError> {
    match (version(connection, engine, part).await?, access) {
        (Some(found), _) if found > VERSION => {
            let known = VERSION;
            Err(StoreError::Newer { found, known })
        }
        (Some(_), _) => Ok(()),
        (None, Access::Serve) => make(connection, engine, part).await,
        (None, Access::Read | Access::Write) => Err(part.missing()),
    }
}

/// The version of the tables of a part; `None` if there are none.
async fn version(
    connection: &mut AnyConnection,
    engine: Engine,
    part: Part,
) -> Result<Option<i64>, StoreError> {
    let exists = match engine {
        Engine::Sqlite => "SELECT 1 FROM sqlite_schema WHERE name = 'store'".to_owned(),
        Engine::Postgres => format!(
            "SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
             WHERE nspname = '{SCHEMA}' AND relname = 'store'"
        ),
    };
    if rows(connection, exists).await?.is_empty() {
        return Ok(None);
    }
    let table = match engine {
        Engine::Sqlite => "store".to_owned(),
        Engine::Postgres => format!("{SCHEMA}.store"),
    };
    let part = part.as_str();
    let query = format!("SELECT version FROM {table} WHERE part = '{part}'");
    let rows = rows(connection, query).await?;
    Ok(rows.first().map(|row| row.try_get(0)).transpose()?)
}

/// Makes the tables, unless another process has made them meanwhile.
async fn make(
    connection: &mut AnyConnection,
    engine: Engine,
    part: Part,
) -> Result<(), StoreError> {
    let begin = match engine {
        Engine::Sqlite => "BEGIN IMMEDIATE".to_owned(),
        Engine::Postgres => format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})"),
    };
    rows(connection, begin).await?;
    if version(connection, engine, part).await?.is_none() {
        if engine == Engine::Postgres {
            make_schema(connection).await?;
        }
        let (tables, name, id) = (part.tables(), part.as_str(), fastrand::u32(..));
        let insert = format!(
            "INSERT INTO store (part, version, id) VALUES ('{name}', {VERSION}, '{id:08x}')"
        );
        rows(connection, format!("{SHARED} {tables} {insert}")).await?;
    }
    // Without a commit, the end of the connection undoes it all.
    rows(connection, "COMMIT".to_owned()).await.map(drop)
}

async fn make_schema(connection: &mut AnyConnection) -> Result<(), StoreError> {
    // Who may not make schemas may use one that was made for the program.
    let exists = format!("SELECT 1 FROM pg_namespace WHERE nspname = '{SCHEMA}'");
    if rows(connection, exists).await?.is_empty() {
        rows(connection, format!("CREATE SCHEMA {SCHEMA}")).await?;
    }
    rows(connection, format!("SET LOCAL search_path TO {SCHEMA}")).await?;
    Ok(())
}

/// Executes statements that are made of constants, and returns their rows.
pub(super) async fn rows(
    connection: &mut AnyConnection,
    statements: String,
) -> Result<Vec<sqlx::any::AnyRow>, StoreError> {
    let statements = raw_sql(AssertSqlSafe(statements));
    Ok(statements.fetch_all(connection).await?)
}
