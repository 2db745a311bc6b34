//! The tables in PostgreSQL and their versions. A newer version is left as it is.

use tokio_postgres::SimpleQueryMessage;

use crate::sql::error::SqlError;
use crate::sql::postgres::connection::Connection;
use crate::sql::server::Server;

/// The key of the lock of those who bring tables up to date: `kb-expor`.
const LOCK: i64 = i64::from_be_bytes(*b"kb-expor");

/// Makes the tables, or brings them up to date. One process does so at a time; where nothing is to be done, nothing is written.
pub(super) fn migrate(connection: &Connection, server: &Server) -> Result<(), SqlError> {
    let known = i64::try_from(server.steps.len()).unwrap_or(i64::MAX);
    if check(found(connection, server)?, known)? == known {
        return Ok(());
    }
    connection.batch("BEGIN")?;
    let done = take_steps(connection, server, known);
    // Without a commit, the end of the connection undoes it all.
    done.and_then(|()| connection.batch("COMMIT"))
}

fn take_steps(connection: &Connection, server: &Server, known: i64) -> Result<(), SqlError> {
    connection.batch(&format!("SELECT pg_advisory_xact_lock({LOCK})"))?;
    // Somebody else may have done it meanwhile.
    let found = check(found(connection, server)?, known)?;
    let schema = server.schema;
    if found == 0 {
        let exists = format!("SELECT 1 FROM pg_namespace WHERE nspname = '{schema}'");
        if number(connection, &exists)?.is_none() {
            connection.batch(&format!("CREATE SCHEMA {schema}"))?;
        }
        connection.batch(&format!(
            "CREATE TABLE IF NOT EXISTS {schema}.schema_version (version BIGINT NOT NULL)"
        ))?;
    }
    connection.batch(&format!("SET LOCAL search_path TO {schema}"))?;
    for (version, step) in (1_i64..)
        .zip(server.steps)
        .filter(|(version, _)| *version > found)
    {
        connection.batch(step)?;
        connection.batch(&format!(
            "DELETE FROM schema_version; INSERT INTO schema_version VALUES ({version})"
        ))?;
    }
    Ok(())
}

/// The version of the tables: 0 where there are none.
pub(super) fn found(connection: &Connection, server: &Server) -> Result<i64, SqlError> {
    let schema = server.schema;
    // Not by `to_regclass`: what another process has just committed, it may not see in a transaction that looked before.
    let exists = format!(
        "SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
         WHERE nspname = '{schema}' AND relname = 'schema_version'"
    );
    if number(connection, &exists)?.is_none() {
        return Ok(0);
    }
    let version = format!("SELECT max(version) FROM {schema}.schema_version");
    Ok(number(connection, &version)?.unwrap_or(0))
}

fn check(found: i64, known: i64) -> Result<i64, SqlError> {
    if found > known {
        return Err(SqlError::Newer { found, known });
    }
    Ok(found)
}

/// The number in the only row of a query.
fn number(connection: &Connection, query: &str) -> Result<Option<i64>, SqlError> {
    let messages = connection.wait(connection.client.simple_query(query))?;
    Ok(messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
        _ => None,
    }))
}
