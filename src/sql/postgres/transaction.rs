//! A transaction in PostgreSQL.

use std::sync::Arc;

use bytes::BytesMut;
use rusqlite::types::Value;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::sql::error::SqlError;
use crate::sql::postgres::connection::Connection;
use crate::sql::record::Row;
use crate::sql::transaction::{Engine, Transaction};

pub(super) struct PostgresTransaction<'a> {
    connection: &'a Connection,
    /// Why the connection cannot be used any more, if it cannot.
    pub lost: Option<SqlError>,
}

impl<'a> PostgresTransaction<'a> {
    pub fn new(connection: &'a Connection) -> Self {
        Self {
            connection,
            lost: None,
        }
    }

    fn noted<T>(&mut self, result: Result<T, SqlError>) -> Result<T, SqlError> {
        if let Err(error @ SqlError::Away(_)) = &result {
            self.lost = Some(error.clone());
        }
        result
    }
}

impl Transaction for PostgresTransaction<'_> {
    fn engine(&self) -> Engine {
        Engine::Postgres
    }

    fn execute(&mut self, statement: &str, values: &[Value]) -> Result<u64, SqlError> {
        let values: Vec<Parameter> = values.iter().map(Parameter).collect();
        let values = typed(&values);
        let done = self.connection.client.execute_typed(statement, &values);
        let done = self.connection.wait(done);
        self.noted(done)
    }

    fn query(&mut self, query: &str, values: &[Value]) -> Result<Vec<Row>, SqlError> {
        let values: Vec<Parameter> = values.iter().map(Parameter).collect();
        let values = typed(&values);
        let found = self.connection.client.query_typed(query, &values);
        let found = self.connection.wait(found);
        let found = self.noted(found)?;
        let Some(first) = found.first() else {
            return Ok(Vec::new());
        };
        let columns = first.columns().iter();
        let columns: Arc<[String]> = columns.map(|column| column.name().to_owned()).collect();
        let read = |row| Ok(Row::new(Arc::clone(&columns), read(row)?));
        found.iter().map(read).collect()
    }
}

/// A value and how it is sent.
#[derive(Debug)]
struct Parameter<'a>(&'a Value);

fn typed<'a>(values: &'a [Parameter<'_>]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    let typed = values.iter().map(|value| {
        let kind = match value.0 {
            Value::Integer(_) => Type::INT8,
            Value::Real(_) => Type::FLOAT8,
            Value::Text(_) => Type::TEXT,
            Value::Blob(_) => Type::BYTEA,
            // The server finds it out by where the value is used.
            Value::Null => Type::UNKNOWN,
        };
        (value as &(dyn ToSql + Sync), kind)
    });
    typed.collect()
}

impl ToSql for Parameter<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self.0 {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(number) => number.to_sql(kind, out),
            Value::Real(number) => number.to_sql(kind, out),
            Value::Text(text) => text.to_sql(kind, out),
            Value::Blob(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn read(row: &tokio_postgres::Row) -> Result<Vec<Value>, SqlError> {
    let columns = row.columns().iter().enumerate();
    let values = columns.map(|(index, column)| {
        let value = match *column.type_() {
            Type::INT8 => row
                .try_get::<_, Option<i64>>(index)
                .map(|found| found.map(Value::Integer)),
            Type::BYTEA => row
                .try_get::<_, Option<Vec<u8>>>(index)
                .map(|found| found.map(Value::Blob)),
            _ => row
                .try_get::<_, Option<String>>(index)
                .map(|found| found.map(Value::Text)),
        };
        let value =
            value.map_err(|_| SqlError::Content(format!("the column {}", column.name())))?;
        Ok(value.unwrap_or(Value::Null))
    });
    values.collect()
}
