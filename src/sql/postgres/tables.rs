//! The tables in PostgreSQL. Those of a newer version are left as they are.

use tokio_postgres::SimpleQueryMessage;

use crate::sql::error::SqlError;
use crate::sql::postgres::connection::Connection;
use crate::sql::schema::Schema;

/// The key of the lock of those who make tables: `kb-expor`.
const LOCK: i64 = i64::from_be_bytes(*b"kb-expor");

/// Makes the tables. One process does so at a time; if they are there, nothing is written.
pub(super) fn make(connection: &Connection, schema: &Schema) -> Result<(), SqlError> {
    if exist(connection, schema)? {
        return Ok(());
    }
    connection.batch("BEGIN")?;
    let done = make_alone(connection, schema);
    // Without a commit, the end of the connection undoes it all.
    done.and_then(|()| connection.batch("COMMIT"))
}

fn make_alone(connection: &Connection, schema: &Schema) -> Result<(), SqlError> {
    connection.batch(&format!("SELECT pg_advisory_xact_lock({LOCK})"))?;
    // Another process may have made them meanwhile.
    if exist(connection, schema)? {
        return Ok(());
    }
    let Schema { name, version, .. } = schema;
    let exists = format!("SELECT 1 FROM pg_namespace WHERE nspname = '{name}'");
    if number(connection, &exists)?.is_none() {
        connection.batch(&format!("CREATE SCHEMA {name}"))?;
    }
    connection.batch(&format!("SET LOCAL search_path TO {name}"))?;
    connection.batch(&schema.in_postgres())?;
    connection.batch(&format!(
        "CREATE TABLE schema_version (version BIGINT NOT NULL);
         INSERT INTO schema_version VALUES ({version})"
    ))
}

/// Whether the tables are there. Fails if they are of a newer version.
pub(super) fn exist(connection: &Connection, schema: &Schema) -> Result<bool, SqlError> {
    let (name, known) = (schema.name, schema.version);
    // Not by `to_regclass`: what another process has just committed, it may not see in a transaction that looked before.
    let exists = format!(
        "SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
         WHERE nspname = '{name}' AND relname = 'schema_version'"
    );
    if number(connection, &exists)?.is_none() {
        return Ok(false);
    }
    let version = format!("SELECT max(version) FROM {name}.schema_version");
    let found = number(connection, &version)?.unwrap_or(0);
    if found > known {
        return Err(SqlError::Newer { found, known });
    }
    Ok(true)
}

/// The number in the only row of a query.
fn number(connection: &Connection, query: &str) -> Result<Option<i64>, SqlError> {
    let messages = connection.wait(connection.client.simple_query(query))?;
    Ok(messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
        _ => None,
    }))
}
