//! Statements with many rows.

use sqlx::{AnyConnection, AssertSqlSafe, query};

use crate::store::error::StoreError;

/// How many values one statement has at most: SQLite takes 32,766, PostgreSQL 65,535.
const MAX_VALUES: usize = 8_000;

#[derive(Debug, Clone)]
pub(super) enum Value {
    Text(String),
    Number(i64),
}

/// Inserts rows with as many statements as they need: `start VALUES (…), (…) end`. Returns how many rows were inserted or changed.
pub(super) async fn insert(
    connection: &mut AnyConnection,
    start: &str,
    rows: Vec<Vec<Value>>,
    end: &str,
) -> Result<u64, StoreError> {
    let mut inserted = 0;
    let columns = rows.first().map_or(1, Vec::len);
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let some: Vec<_> = rows.by_ref().take(MAX_VALUES / columns).collect();
        let tuples: Vec<String> = (0..some.len()).map(|row| tuple(row, columns)).collect();
        let statement = format!("{start} VALUES {} {end}", tuples.join(", "));
        let mut insert = query(AssertSqlSafe(statement));
        for value in some.into_iter().flatten() {
            insert = match value {
                Value::Text(text) => insert.bind(text),
                Value::Number(number) => insert.bind(number),
            };
        }
        inserted += insert.execute(&mut *connection).await?.rows_affected();
    }
    Ok(inserted)
}

/// The parameters of a row: `($4, $5, $6)`.
fn tuple(row: usize, columns: usize) -> String {
    let first = row * columns + 1;
    let numbers: Vec<String> = (first..first + columns)
        .map(|number| format!("${number}"))
        .collect();
    format!("({})", numbers.join(", "))
}
