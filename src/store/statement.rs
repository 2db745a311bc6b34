//! Statements with parameters, which both engines understand, and their rows.

use std::time::Duration;

use futures_util::StreamExt as _;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments, AssertSqlSafe, PgConnection, Row as _, SqliteConnection, raw_sql};
use tokio::time::timeout;

use crate::model::{FileKey, FolderId, PortalAddress};
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
    pub const fn max_parameters(&self) -> usize {
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

    pub async fn close(self) {
        // It ends in any case.
        let _ = match self {
            Self::Sqlite(connection) => sqlx::Connection::close(connection).await,
            Self::Postgres(connection) => sqlx::Connection::close(connection).await,
        };
    }
}

/// A row that a statement found.
pub(super) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    pub fn text(&self, column: &str) -> Result<&str, StoreError> {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
        })
    }

    pub fn text_if_any(&self, column: &str) -> Result<Option<&str>, StoreError> {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
        })
    }

    pub fn number(&self, column: &str) -> Result<i64, StoreError> {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
        })
    }

    pub fn number_if_any(&self, column: &str) -> Result<Option<i64>, StoreError> {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
        })
    }

    pub fn bytes(&self, column: &str) -> Result<&[u8], StoreError> {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
        })
    }

    /// The id in the column `folder`.
    pub fn folder(&self) -> Result<FolderId, StoreError> {
        let text = self.text("folder")?;
        let content = || StoreError::Content(format!("the id of a folder {text:?}"));
        FolderId::parse(text).ok_or_else(content)
    }

    /// The key in the column `file`.
    pub fn file(&self) -> Result<FileKey, StoreError> {
        let text = self.text("file")?;
        let content = |_| StoreError::Content(format!("the key of a file {text:?}"));
        text.parse().map_err(content)
    }
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    Integer(i64),
    Bytes(Vec<u8>),
    NoText,
    NoInteger,
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<bool> for Value {
    fn from(is: bool) -> Self {
        Self::Integer(is.into())
    }
}

impl From<Option<String>> for Value {
    fn from(text: Option<String>) -> Self {
        text.map_or(Self::NoText, Self::Text)
    }
}

impl From<Option<i64>> for Value {
    fn from(number: Option<i64>) -> Self {
        number.map_or(Self::NoInteger, Self::Integer)
    }
}

impl From<&PortalAddress> for Value {
    fn from(portal: &PortalAddress) -> Self {
        portal.as_str().into()
    }
}

impl From<FolderId> for Value {
    fn from(folder: FolderId) -> Self {
        folder.to_string().into()
    }
}

impl From<FileKey> for Value {
    fn from(file: FileKey) -> Self {
        file.to_string().into()
    }
}

/// A statement that is put together of constant text and values.
#[derive(Debug, Clone, Default)]
pub(super) struct Statement {
    text: String,
    values: Vec<Value>,
}

impl Statement {
    pub fn new(text: &str) -> Self {
        Self::default().text(text)
    }

    pub fn text(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }

    pub fn value(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self.text.push('$');
        self.text.push_str(&self.values.len().to_string());
        self
    }

    /// `(1, 2), (3, 4)`
    pub fn rows<R: IntoIterator<Item = Value>>(self, rows: impl IntoIterator<Item = R>) -> Self {
        let rows = rows.into_iter().enumerate();
        rows.fold(self, |statement, (at, row)| {
            let begin = if at == 0 { "" } else { ", " };
            statement.text(begin).text("(").list(row).text(")")
        })
    }

    /// `1, 2, 3`
    pub fn list(self, values: impl IntoIterator<Item = impl Into<Value>>) -> Self {
        let values = values.into_iter().enumerate();
        values.fold(self, |statement, (at, value)| {
            statement.text(if at == 0 { "" } else { ", " }).value(value)
        })
    }

    /// Executes it, and returns its rows.
    pub async fn fetch(self, connection: &mut Connection) -> Result<Vec<Row>, StoreError> {
        let mut rows = Vec::new();
        self.each(connection, |row| {
            rows.push(row);
            Ok(())
        })
        .await?;
        Ok(rows)
    }

    /// Executes it, and hands out its rows one by one.
    ///
    /// The statement gets no name in the connection: a name would stay in the server, and a proxy may give the next transaction another
    /// connection.
    pub async fn each(
        self,
        connection: &mut Connection,
        mut row: impl FnMut(Row) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let text = AssertSqlSafe(self.text);
        match connection {
            Connection::Sqlite(connection) => {
                let arguments: SqliteArguments = arguments(self.values);
                let query = sqlx::query_with(text, arguments).persistent(false);
                let mut rows = query.fetch(connection);
                while let Some(next) = rows.next().await {
                    row(Row::Sqlite(next?))?;
                }
            }
            Connection::Postgres(connection) => {
                let arguments: PgArguments = arguments(self.values);
                let query = sqlx::query_with(text, arguments).persistent(false);
                let mut rows = query.fetch(connection);
                while let Some(next) = timeout(ROW_PATIENCE, rows.next()).await? {
                    row(Row::Postgres(next?))?;
                }
            }
        }
        Ok(())
    }
}

/// Texts, numbers and bytes can always be encoded.
fn arguments<A: Arguments>(values: Vec<Value>) -> A
where
    String: for<'q> sqlx::Encode<'q, A::Database> + sqlx::Type<A::Database>,
    i64: for<'q> sqlx::Encode<'q, A::Database> + sqlx::Type<A::Database>,
    Vec<u8>: for<'q> sqlx::Encode<'q, A::Database> + sqlx::Type<A::Database>,
    Option<String>: for<'q> sqlx::Encode<'q, A::Database> + sqlx::Type<A::Database>,
    Option<i64>: for<'q> sqlx::Encode<'q, A::Database> + sqlx::Type<A::Database>,
{
    values.into_iter().fold(A::default(), |mut all, value| {
        let _ = match value {
            Value::Text(text) => all.add(text),
            Value::Integer(number) => all.add(number),
            Value::Bytes(bytes) => all.add(bytes),
            Value::NoText => all.add(None::<String>),
            Value::NoInteger => all.add(None::<i64>),
        };
        all
    })
}

/// Writes rows to a table, as many in a statement as it takes. `ending`: what becomes of rows that are there.
pub(super) async fn insert<const N: usize>(
    connection: &mut Connection,
    into: &str,
    rows: Vec<[Value; N]>,
    ending: &str,
) -> Result<(), StoreError> {
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let some = rows.by_ref().take(connection.max_parameters() / N);
        let insert = Statement::new("INSERT INTO ").text(into).text(" VALUES ");
        insert.rows(some).text(ending).fetch(connection).await?;
    }
    Ok(())
}
