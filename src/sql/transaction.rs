//! Transactions.

use rusqlite::types::Value;

use crate::sql::error::SqlError;
use crate::sql::record::{Record, Row};

/// How many values one statement has at most: SQLite takes 32,766, PostgreSQL 65,535.
pub(super) const MAX_VALUES: usize = 8_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "postgres"),
    expect(dead_code, reason = "only the client for PostgreSQL makes one of them")
)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// A transaction that is under way.
pub(crate) trait Transaction {
    fn engine(&self) -> Engine;

    /// Executes a statement with the parameters `$1`, `$2`, …, and returns the number of rows that it changed.
    fn execute(&mut self, statement: &str, values: &[Value]) -> Result<u64, SqlError>;

    /// Reads the rows of a query.
    fn query(&mut self, query: &str, values: &[Value]) -> Result<Vec<Row>, SqlError>;
}

impl dyn Transaction + '_ {
    /// The end of a query that locks its rows until the end of the transaction. A SQLite file has one writer.
    pub fn for_update(&self) -> &'static str {
        match self.engine() {
            Engine::Sqlite => "",
            Engine::Postgres => " FOR UPDATE",
        }
    }
}

/// Reads every row of a query.
pub(crate) fn select<T, E: From<SqlError>>(
    transaction: &mut dyn Transaction,
    query: &str,
    values: &[Value],
    read: impl FnMut(&Row) -> Result<T, E>,
) -> Result<Vec<T>, E> {
    transaction.query(query, values)?.iter().map(read).collect()
}

/// Inserts rows, or updates those with the same key. (`INSERT OR REPLACE` would delete those first, and all that refers to them.)
pub(crate) fn upsert<R: Record>(
    transaction: &mut dyn Transaction,
    table: &str,
    key: &[&str],
    records: impl IntoIterator<Item = R>,
) -> Result<(), SqlError> {
    let columns = R::columns();
    let rows = MAX_VALUES / columns.len();
    let mut values = Vec::new();
    for record in records {
        values.extend(record.values()?);
        if values.len() >= rows * columns.len() {
            insert(
                transaction,
                table,
                key,
                &columns,
                &std::mem::take(&mut values),
            )?;
        }
    }
    if values.is_empty() {
        return Ok(());
    }
    insert(transaction, table, key, &columns, &values)
}

fn insert(
    transaction: &mut dyn Transaction,
    table: &str,
    key: &[&str],
    columns: &[&str],
    values: &[Value],
) -> Result<(), SqlError> {
    let statement = upsert_statement(table, key, columns, values.len() / columns.len());
    transaction.execute(&statement, values)?;
    Ok(())
}

/// The statement that inserts this number of rows, or updates those with the same key.
pub(crate) fn upsert_statement(table: &str, key: &[&str], columns: &[&str], rows: usize) -> String {
    let updates: Vec<String> = columns
        .iter()
        .filter(|column| !key.contains(column))
        .map(|column| format!("{column} = excluded.{column}"))
        .collect();
    format!(
        "{} ON CONFLICT ({}) DO UPDATE SET {}",
        insert_statement(table, columns, rows),
        key.join(", "),
        updates.join(", "),
    )
}

/// The statement that inserts this number of rows.
pub(super) fn insert_statement(table: &str, columns: &[&str], rows: usize) -> String {
    let row = |row: usize| {
        let first = row * columns.len() + 1;
        let numbers: Vec<String> = (first..first + columns.len())
            .map(|number| format!("${number}"))
            .collect();
        format!("({})", numbers.join(", "))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    let (columns, rows) = (columns.join(", "), rows.join(", "));
    format!("INSERT INTO {table} ({columns}) VALUES {rows}")
}
