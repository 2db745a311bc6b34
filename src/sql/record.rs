//! Rows whose columns are the fields of types.

use std::sync::Arc;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Value, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::classify::Class;
use crate::model::{FileKey, FolderId, FolderName, PortalAddress, Status, Timestamp};
use crate::sql::SqlError;

#[derive(Debug)]
pub(crate) struct Row {
    columns: Arc<[String]>,
    values: Vec<Value>,
}

impl Row {
    pub(super) fn new(columns: Arc<[String]>, values: Vec<Value>) -> Self {
        Self { columns, values }
    }

    pub fn get<T: FromSql>(&self, name: &str) -> Result<T, SqlError> {
        let column = self.columns.iter().position(|column| column == name);
        let value = column.and_then(|column| self.values.get(column));
        let value = value.map(|value| T::column_result(ValueRef::from(value)));
        let value = value.and_then(Result::ok);
        value.ok_or_else(|| SqlError::Content(format!("the column {name}")))
    }

    /// The values of columns as they are.
    pub(super) fn values(&self, names: &[&str]) -> Result<Vec<Value>, SqlError> {
        names.iter().map(|name| self.get(name)).collect()
    }
}

pub(crate) trait Record: Sized {
    fn columns() -> Vec<&'static str>;
    /// Their values, in the order of the names.
    fn values(&self) -> Result<Vec<Value>, SqlError>;
    fn read(row: &Row) -> Result<Self, SqlError>;
}

pub(crate) fn to_value(value: &impl ToSql) -> Result<Value, SqlError> {
    match value.to_sql()? {
        ToSqlOutput::Owned(value) => Ok(value),
        ToSqlOutput::Borrowed(value) => value
            .try_into()
            .map_err(|_| SqlError::Content("a text".to_owned())),
        _ => Err(SqlError::Content("a value".to_owned())),
    }
}

/// Makes a struct a [`Record`]: its fields have the names of the columns.
macro_rules! columns {
    ($name:ident { $($column:ident),+ }) => {
        impl $crate::sql::Record for $name {
            fn columns() -> Vec<&'static str> {
                vec![$(stringify!($column)),+]
            }

            fn values(&self) -> Result<Vec<rusqlite::types::Value>, $crate::sql::SqlError> {
                Ok(vec![$($crate::sql::to_value(&self.$column)?),+])
            }

            fn read(row: &$crate::sql::Row) -> Result<Self, $crate::sql::SqlError> {
                Ok(Self {
                    $($column: row.get(stringify!($column))?,)+
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

        $crate::sql::columns!($name { $($column),+ });
    };
}
pub(crate) use record;

impl<A: Record, B: Record> Record for (A, B) {
    fn columns() -> Vec<&'static str> {
        [A::columns(), B::columns()].concat()
    }

    fn values(&self) -> Result<Vec<Value>, SqlError> {
        let mut values = self.0.values()?;
        values.extend(self.1.values()?);
        Ok(values)
    }

    fn read(row: &Row) -> Result<Self, SqlError> {
        Ok((A::read(row)?, B::read(row)?))
    }
}

/// Columns that are all null if there is nothing. Of something, the first is not null.
impl<R: Record> Record for Option<R> {
    fn columns() -> Vec<&'static str> {
        R::columns()
    }

    fn values(&self) -> Result<Vec<Value>, SqlError> {
        let nothing = || Ok(vec![Value::Null; R::columns().len()]);
        self.as_ref().map_or_else(nothing, Record::values)
    }

    fn read(row: &Row) -> Result<Self, SqlError> {
        let first: Option<Value> = row.get(R::columns()[0])?;
        first.map(|_| R::read(row)).transpose()
    }
}

impl Record for FileKey {
    fn columns() -> Vec<&'static str> {
        vec!["link", "id"]
    }

    fn values(&self) -> Result<Vec<Value>, SqlError> {
        let blob = |number: u128| Value::Blob(number.to_be_bytes().to_vec());
        Ok(vec![blob(self.link), blob(self.id)])
    }

    fn read(row: &Row) -> Result<Self, SqlError> {
        Ok(Self {
            link: u128::from_be_bytes(row.get("link")?),
            id: u128::from_be_bytes(row.get("id")?),
        })
    }
}

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
        $crate::sql::text_column!($type, |value| value.as_str().to_owned(), |text| {
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
text_column!(Class, |class| class.as_str().to_owned(), |label| Some(
    Class::from_label(label)
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
