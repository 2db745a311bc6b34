//! What the SQLite files of the program share: connections, schema versions, records whose fields are columns, and the thread that writes.

mod worker;

use std::path::Path;

use rusqlite::types::{
    FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Type, Value, ValueRef,
};
use rusqlite::{Connection, OpenFlags, Params, Row, Transaction, params_from_iter};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::model::{FileKey, FolderId, FolderName, PortalAddress, Status, Timestamp};

pub(crate) use worker::Worker;

/// Opens a file that exists, without creating one. `write`: not only for reading.
pub(crate) fn open_existing(path: &Path, write: bool) -> rusqlite::Result<Connection> {
    let access = if write {
        OpenFlags::SQLITE_OPEN_READ_WRITE
    } else {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    };
    Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

/// Prepares a connection for writing: every commit is synced to disk.
pub(crate) fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// Fails where the disk refuses writes: writes the header of the file again as it is. (The write of a row that does not change is skipped.)
pub(crate) fn check_write(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", version(connection)?)
}

/// The schema version: 0 where there are no tables.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Takes every step from a version to the last one. Each brings the tables to a version from the one before.
pub(crate) fn upgrade(
    transaction: &Transaction<'_>,
    found: i64,
    steps: &[&str],
) -> rusqlite::Result<()> {
    for (version, step) in (1_i64..).zip(steps).filter(|(version, _)| *version > found) {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", version)?;
    }
    Ok(())
}

/// Reads every row of a query.
pub(crate) fn select<T, E: From<rusqlite::Error>>(
    connection: &Connection,
    query: &str,
    values: impl Params,
    mut read: impl FnMut(&Row<'_>) -> Result<T, E>,
) -> Result<Vec<T>, E> {
    let mut statement = connection.prepare(query)?;
    let mut rows = statement.query(values)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

/// Inserts rows, or updates those with the same key. (`INSERT OR REPLACE` would delete those first, and all that refers to them.)
pub(crate) fn upsert<R: Record>(
    connection: &Connection,
    table: &str,
    key: &[&str],
    records: impl IntoIterator<Item = R>,
) -> rusqlite::Result<()> {
    let columns = R::columns();
    let updates: Vec<String> = columns
        .iter()
        .filter(|column| !key.contains(column))
        .map(|column| format!("{column} = excluded.{column}"))
        .collect();
    let mut statement = connection.prepare(&format!(
        "INSERT INTO {table} ({}) VALUES ({}) ON CONFLICT ({}) DO UPDATE SET {}",
        columns.join(", "),
        vec!["?"; columns.len()].join(", "),
        key.join(", "),
        updates.join(", "),
    ))?;
    for record in records {
        statement.execute(params_from_iter(record.values()?))?;
    }
    Ok(())
}

/// Columns of a row.
pub(crate) trait Record: Sized {
    /// Their names.
    fn columns() -> Vec<&'static str>;
    /// Their values, in the order of the names.
    fn values(&self) -> rusqlite::Result<Vec<ToSqlOutput<'_>>>;
    /// Reads them.
    fn read(row: &Row<'_>) -> rusqlite::Result<Self>;
}

/// Makes a struct a [`Record`]: its fields have the names of the columns.
macro_rules! columns {
    ($name:ident { $($column:ident),+ }) => {
        impl $crate::sqlite::Record for $name {
            fn columns() -> Vec<&'static str> {
                vec![$(stringify!($column)),+]
            }

            fn values(&self) -> rusqlite::Result<Vec<rusqlite::types::ToSqlOutput<'_>>> {
                Ok(vec![$(rusqlite::types::ToSql::to_sql(&self.$column)?),+])
            }

            fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
                Ok(Self {
                    $($column: $crate::sqlite::column(row, stringify!($column))?,)+
                })
            }
        }
    };
}
pub(crate) use columns;

/// Defines a struct that is a [`Record`].
macro_rules! record {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident {
        $($(#[$doc:meta])* $column:ident: $type:ty,)+
    }) => {
        $(#[$meta])*
        $visibility struct $name {
            $($(#[$doc])* pub $column: $type,)+
        }

        $crate::sqlite::columns!($name { $($column),+ });
    };
}
pub(crate) use record;

/// Two parts of one row.
impl<A: Record, B: Record> Record for (A, B) {
    fn columns() -> Vec<&'static str> {
        [A::columns(), B::columns()].concat()
    }

    fn values(&self) -> rusqlite::Result<Vec<ToSqlOutput<'_>>> {
        let mut values = self.0.values()?;
        values.extend(self.1.values()?);
        Ok(values)
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok((A::read(row)?, B::read(row)?))
    }
}

impl Record for FileKey {
    fn columns() -> Vec<&'static str> {
        vec!["link", "id"]
    }

    fn values(&self) -> rusqlite::Result<Vec<ToSqlOutput<'_>>> {
        let blob = |number: u128| ToSqlOutput::Owned(Value::Blob(number.to_be_bytes().to_vec()));
        Ok(vec![blob(self.link), blob(self.id)])
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            link: u128::from_be_bytes(column(row, "link")?),
            id: u128::from_be_bytes(column(row, "id")?),
        })
    }
}

/// Reads a column. One that tables of an older version do not have is null.
pub(crate) fn column<T: FromSql>(row: &Row<'_>, name: &str) -> rusqlite::Result<T> {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnName, InvalidColumnType,
    };
    match row.get(name) {
        Err(missing @ InvalidColumnName(_)) => {
            T::column_result(ValueRef::Null).map_err(|_| missing)
        }
        Err(
            FromSqlConversionFailure(index, ..)
            | IntegralValueOutOfRange(index, _)
            | InvalidColumnType(index, ..),
        ) => {
            let what = format!("the column {name}");
            Err(FromSqlConversionFailure(index, Type::Null, what.into()))
        }
        value => value,
    }
}

/// What holds a value that makes no sense, where that is the error.
pub(crate) fn invalid_value(error: &rusqlite::Error) -> Option<String> {
    match error {
        rusqlite::Error::FromSqlConversionFailure(_, _, what) => Some(what.to_string()),
        _ => None,
    }
}

/// Stores a type as text.
macro_rules! text_column {
    ($type:ty, $text:expr, $parse:expr) => {
        impl rusqlite::types::ToSql for $type {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                let text: fn(&Self) -> String = $text;
                Ok(text(self).into())
            }
        }

        impl rusqlite::types::FromSql for $type {
            fn column_result(
                value: rusqlite::types::ValueRef<'_>,
            ) -> rusqlite::types::FromSqlResult<Self> {
                let parse: fn(&str) -> Option<Self> = $parse;
                parse(value.as_str()?).ok_or(rusqlite::types::FromSqlError::InvalidType)
            }
        }
    };
}
pub(crate) use text_column;

/// Stores the value of a label as its text.
macro_rules! label_column {
    ($type:ident) => {
        $crate::sqlite::text_column!($type, |value| value.as_str().to_owned(), |text| {
            $type::ALL.into_iter().find(|value| value.as_str() == text)
        });
    };
}
pub(crate) use label_column;

text_column!(FolderId, ToString::to_string, FolderId::parse);
text_column!(PortalAddress, ToString::to_string, |address| Some(
    address.into()
));
text_column!(FolderName, |name| name.label().to_owned(), |name| Some(
    FolderName::new(name)
));
text_column!(Status, |status| status.as_str().to_owned(), |word| Some(
    Status::from_word(word)
));

impl ToSql for Timestamp {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_millis().into())
    }
}

impl FromSql for Timestamp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self::from_millis)
    }
}

/// A value that is stored as JSON.
#[derive(Debug)]
pub(crate) struct Json<T>(pub T);

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = serde_json::to_string(&self.0);
        let text = text.map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        Ok(text.into())
    }
}

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let value = serde_json::from_str(value.as_str()?);
        value.map(Self).map_err(FromSqlError::other)
    }
}
