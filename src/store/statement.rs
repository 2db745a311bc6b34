//! Statements with parameters, which both engines understand, and their rows.

use std::time::Duration;

use futures_util::StreamExt as _;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{
    Arguments, AssertSqlSafe, Decode, Encode, PgConnection, Postgres, Row as _, Sqlite,
    SqliteConnection, Type, raw_sql,
};
use tokio::time::timeout;

use crate::model::{FolderId, PortalAddress};
use crate::store::error::StoreError;

/// An open connection.
#[derive(Debug)]
pub(super) enum Connection {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

/// The next row comes within this time.
const ROW_PATIENCE: Duration = Duration::from_secs(10);

impl Connection {
    /// Parameters of a statement, at most; either engine takes more. `SQLite` compares each name with all others, so a large statement takes its
    /// square of time. On a server, each statement costs a round trip.
    const fn max_parameters(&self) -> usize {
        match self {
            Self::Sqlite(_) => 1_000,
            Self::Postgres(_) => 30_000,
        }
    }

    /// Executes statements that are made of constants, and returns their rows.
    pub async fn execute(&mut self, statements: String) -> Result<Vec<Row>, StoreError> {
        let statements = raw_sql(AssertSqlSafe(statements));
        Ok(match self {
            Self::Sqlite(connection) => {
                let rows = statements.fetch_all(connection).await?;
                rows.into_iter().map(Row::Sqlite).collect()
            }
            Self::Postgres(connection) => {
                let rows = statements.fetch_all(connection).await?;
                rows.into_iter().map(Row::Postgres).collect()
            }
        })
    }

    /// Executes a statement with the values of `$1`, `$2` and so on, and returns its rows.
    pub async fn query(
        &mut self,
        statement: &str,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, StoreError> {
        let mut rows = Vec::new();
        self.each(statement, values, |row| {
            rows.push(row);
            Ok(())
        })
        .await?;
        Ok(rows)
    }

    /// Executes a statement, and hands out its rows one by one.
    ///
    /// The statement gets no name in the connection: a name would stay in the server, and a proxy may give the next transaction another
    /// connection.
    pub async fn each(
        &mut self,
        statement: &str,
        values: Vec<Value>,
        mut row: impl FnMut(Row) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let text = AssertSqlSafe(statement.to_owned());
        match self {
            Self::Sqlite(connection) => {
                let arguments: SqliteArguments = arguments(values);
                let query = sqlx::query_with(text, arguments).persistent(false);
                let mut rows = query.fetch(connection);
                while let Some(next) = rows.next().await {
                    row(Row::Sqlite(next?))?;
                }
            }
            Self::Postgres(connection) => {
                let arguments: PgArguments = arguments(values);
                let query = sqlx::query_with(text, arguments).persistent(false);
                let mut rows = query.fetch(connection);
                while let Some(next) = timeout(ROW_PATIENCE, rows.next()).await? {
                    row(Row::Postgres(next?))?;
                }
            }
        }
        Ok(())
    }

    /// Deletes the rows of a portal that have one of these values in a column.
    pub async fn delete_rows(
        &mut self,
        table: &str,
        portal: &Value,
        column: &str,
        values: Vec<Value>,
    ) -> Result<(), StoreError> {
        for some in values.chunks(self.max_parameters() - 1) {
            let list = placeholders(2, some.len());
            let delete = format!("DELETE FROM {table} WHERE portal = $1 AND {column} IN ({list})");
            let values = [portal.clone()].into_iter().chain(some.iter().cloned());
            self.query(&delete, values.collect()).await?;
        }
        Ok(())
    }

    /// Writes rows to a table, as many in a statement as it takes. `ending`: what becomes of rows that are there.
    pub async fn insert<const N: usize>(
        &mut self,
        into: &str,
        rows: Vec<[Value; N]>,
        ending: &str,
    ) -> Result<(), StoreError> {
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            let some: Vec<_> = rows.by_ref().take(self.max_parameters() / N).collect();
            let lists = (0..some.len()).map(|at| format!("({})", placeholders(1 + at * N, N)));
            let lists: Vec<_> = lists.collect();
            let insert = format!("INSERT INTO {into} VALUES {} {ending}", lists.join(", "));
            self.query(&insert, some.into_iter().flatten().collect())
                .await?;
        }
        Ok(())
    }

    pub async fn close(self) {
        // It ends in any case.
        let _ = match self {
            Self::Sqlite(connection) => sqlx::Connection::close(connection).await,
            Self::Postgres(connection) => sqlx::Connection::close(connection).await,
        };
    }
}

/// `$3, $4, $5`
fn placeholders(first: usize, number: usize) -> String {
    let names = (first..first + number).map(|at| format!("${at}"));
    names.collect::<Vec<_>>().join(", ")
}

/// A row that a statement found.
pub(super) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    pub fn get<'r, T>(&'r self, column: &str) -> Result<T, StoreError>
    where
        T: Decode<'r, Sqlite> + Type<Sqlite> + Decode<'r, Postgres> + Type<Postgres>,
    {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
        })
    }

    /// The id in the column `folder`.
    pub fn folder(&self) -> Result<FolderId, StoreError> {
        let text: &str = self.get("folder")?;
        let content = || StoreError::Content(format!("the id of a folder {text:?}"));
        FolderId::parse(text).ok_or_else(content)
    }
}

/// A value of a row, or null.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(Option<String>),
    Integer(Option<i64>),
    Bytes(Option<Vec<u8>>),
}

/// The values of a statement, in the order of their numbers.
macro_rules! values {
    ($($value:expr),*) => { vec![$($crate::store::statement::Value::from($value)),*] };
}

pub(super) use values;

macro_rules! from {
    ($($type:ty: |$it:ident| $value:expr;)*) => {
        $(impl From<$type> for Value {
            fn from($it: $type) -> Self {
                $value
            }
        })*
    };
}

from! {
    Option<String>: |text| Self::Text(text);
    String: |text| Self::Text(Some(text));
    &str: |text| text.to_owned().into();
    Option<i64>: |number| Self::Integer(number);
    i64: |number| Self::Integer(Some(number));
    bool: |is| i64::from(is).into();
    Option<Vec<u8>>: |bytes| Self::Bytes(bytes);
    Vec<u8>: |bytes| Self::Bytes(Some(bytes));
    &PortalAddress: |portal| portal.as_str().into();
    FolderId: |folder| folder.to_string().into();
}

/// Texts, numbers and bytes can always be encoded.
fn arguments<A: Arguments>(values: Vec<Value>) -> A
where
    Option<String>: for<'q> Encode<'q, A::Database> + Type<A::Database>,
    Option<i64>: for<'q> Encode<'q, A::Database> + Type<A::Database>,
    Option<Vec<u8>>: for<'q> Encode<'q, A::Database> + Type<A::Database>,
{
    values.into_iter().fold(A::default(), |mut all, value| {
        let _ = match value {
            Value::Text(text) => all.add(text),
            Value::Integer(number) => all.add(number),
            Value::Bytes(bytes) => all.add(bytes),
        };
        all
    })
}
