//! Copies rows between databases of either engine.

use rusqlite::types::Value;

use crate::sql::error::SqlError;
use crate::sql::record::Row;
use crate::sql::transaction::{Engine, MAX_VALUES, Transaction, insert_statement};

/// A table that both engines have.
#[derive(Debug)]
pub(crate) struct Table {
    pub name: &'static str,
    /// The columns of its key; `None` if it has one row, with which it was made.
    pub key: &'static [&'static str],
    /// Whether the key is a number that the database gives, and never gives again.
    pub numbered: bool,
}

impl Table {
    pub const fn new(name: &'static str, key: &'static [&'static str]) -> Self {
        Self {
            name,
            key,
            numbered: false,
        }
    }

    pub const fn numbered(name: &'static str, key: &'static [&'static str; 1]) -> Self {
        Self {
            numbered: true,
            ..Self::new(name, key)
        }
    }

    pub fn count(&self, transaction: &mut dyn Transaction) -> Result<i64, SqlError> {
        let query = format!("SELECT count(*) AS rows FROM {}", self.name);
        first(&transaction.query(&query, &[])?, "rows")
    }

    /// Copies its rows.
    pub fn copy(
        &self,
        from: &mut dyn Transaction,
        to: &mut dyn Transaction,
    ) -> Result<(), SqlError> {
        let columns = columns(to, self.name)?;
        if self.key.is_empty() {
            to.execute(&format!("DELETE FROM {}", self.name), &[])?;
        }
        let rows = MAX_VALUES / columns.len().max(1);
        let mut last: Option<Vec<Value>> = None;
        loop {
            let page = self.page(from, last.as_deref(), rows)?;
            let Some(end) = page.last() else {
                break;
            };
            insert(to, self.name, &columns, &page)?;
            if page.len() < rows || self.key.is_empty() {
                break;
            }
            last = Some(end.values(self.key)?);
        }
        self.continue_numbers(from, to)
    }

    /// The next rows after a key.
    fn page(
        &self,
        from: &mut dyn Transaction,
        after: Option<&[Value]>,
        rows: usize,
    ) -> Result<Vec<Row>, SqlError> {
        let (name, key) = (self.name, self.key.join(", "));
        if key.is_empty() {
            return from.query(&format!("SELECT * FROM {name}"), &[]);
        }
        let values = after.unwrap_or_default();
        let condition = if values.is_empty() {
            String::new()
        } else {
            let numbers: Vec<_> = (1..=values.len()).map(|n| format!("${n}")).collect();
            format!("WHERE ({key}) > ({}) ", numbers.join(", "))
        };
        let query = format!("SELECT * FROM {name} {condition}ORDER BY {key} LIMIT {rows}");
        from.query(&query, values)
    }

    /// Lets the numbers of new rows come after all that were given on either side.
    fn continue_numbers(
        &self,
        from: &mut dyn Transaction,
        to: &mut dyn Transaction,
    ) -> Result<(), SqlError> {
        let (true, [column]) = (self.numbered, self.key) else {
            return Ok(());
        };
        let last = self.last_number(from, column)?;
        let last = last.max(self.last_number(to, column)?);
        if last == 0 {
            return Ok(());
        }
        match to.engine() {
            Engine::Sqlite => {
                let name = Value::Text(self.name.to_owned());
                let forget = "DELETE FROM sqlite_sequence WHERE name = $1";
                to.execute(forget, std::slice::from_ref(&name))?;
                let note = "INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)";
                to.execute(note, &[name, Value::Integer(last)])?;
            }
            Engine::Postgres => {
                // A rollback does not undo it: then some numbers are never given.
                let (name, last) = (self.name, Value::Integer(last));
                let query =
                    format!("SELECT setval(pg_get_serial_sequence('{name}', '{column}'), $1)");
                to.query(&query, &[last])?;
            }
        }
        Ok(())
    }

    /// The last number that is known to have been given; 0 if none was.
    fn last_number(
        &self,
        transaction: &mut dyn Transaction,
        column: &str,
    ) -> Result<i64, SqlError> {
        let name = self.name;
        let given = match transaction.engine() {
            Engine::Sqlite => {
                format!("SELECT max(seq) FROM sqlite_sequence WHERE name = '{name}'")
            }
            Engine::Postgres => format!(
                "SELECT max(last_value) FROM pg_sequences
                 WHERE format('%I.%I', schemaname, sequencename) = pg_get_serial_sequence('{name}', '{column}')"
            ),
        };
        let query = format!(
            "SELECT coalesce(({given}), 0) AS given, coalesce(max({column}), 0) AS there FROM {name}"
        );
        let rows = transaction.query(&query, &[])?;
        let (given, there): (i64, i64) = (first(&rows, "given")?, first(&rows, "there")?);
        Ok(given.max(there))
    }
}

/// Keeps others from writing to tables until the end of a transaction, which may take its time. Nobody else writes to a SQLite file: its
/// folder is locked.
pub(crate) fn keep_others_from_writing(
    transaction: &mut dyn Transaction,
    tables: &[Table],
) -> Result<(), SqlError> {
    if transaction.engine() == Engine::Sqlite {
        return Ok(());
    }
    transaction.execute("SET LOCAL idle_in_transaction_session_timeout = 0", &[])?;
    let names: Vec<_> = tables.iter().map(|table| table.name).collect();
    let lock = format!(
        "LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE",
        names.join(", ")
    );
    transaction.execute(&lock, &[])?;
    Ok(())
}

fn columns(transaction: &mut dyn Transaction, table: &str) -> Result<Vec<String>, SqlError> {
    let query = match transaction.engine() {
        Engine::Sqlite => "SELECT name FROM pragma_table_info($1)",
        Engine::Postgres => {
            "SELECT column_name::text AS name FROM information_schema.columns
             WHERE table_schema = current_schema() AND table_name = $1"
        }
    };
    let rows = transaction.query(query, &[Value::Text(table.to_owned())])?;
    rows.iter().map(|row| row.get("name")).collect()
}

fn insert(
    to: &mut dyn Transaction,
    table: &str,
    columns: &[String],
    rows: &[Row],
) -> Result<(), SqlError> {
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut values = Vec::with_capacity(rows.len() * columns.len());
    for row in rows {
        values.extend(row.values(&columns)?);
    }
    to.execute(&insert_statement(table, &columns, rows.len()), &values)?;
    Ok(())
}

/// A number in the first row.
fn first(rows: &[Row], column: &str) -> Result<i64, SqlError> {
    let missing = || SqlError::Content(format!("the column {column}"));
    rows.first().ok_or_else(missing)?.get(column)
}
