//! Statements with parameters, as both engines understand them, and what tells the writes to a row apart.

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::{AnyConnection, Arguments as _, AssertSqlSafe, Database as _, Row as _, Sqlite};

use crate::model::PortalAddress;
use crate::store::error::StoreError;

/// Parameters of a statement, at most; either engine takes more. `SQLite` compares each name with all others, so a large statement takes its
/// square of time. On a server, each statement costs a round trip.
pub(super) fn max_parameters(connection: &AnyConnection) -> usize {
    if is_file(connection) { 1_000 } else { 30_000 }
}

/// Whether it is a file, which locks all rows at once.
pub(super) fn is_file(connection: &AnyConnection) -> bool {
    connection.backend_name() == Sqlite::NAME
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    Text(String),
    Integer(i64),
}

impl Value {
    fn add_to(self, arguments: &mut AnyArguments) {
        // Texts and numbers can always be encoded.
        let _ = match self {
            Self::Text(text) => arguments.add(text),
            Self::Integer(number) => arguments.add(number),
        };
    }
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

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

/// A statement that is put together of constant text and values.
#[derive(Default)]
pub(super) struct Statement {
    text: String,
    arguments: AnyArguments,
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
        value.into().add_to(&mut self.arguments);
        self.text.push('$');
        self.text.push_str(&self.arguments.len().to_string());
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

    /// `WHERE portal = 1 AND folder IN (2, 3)`
    pub fn where_folder_in(
        self,
        portal: &PortalAddress,
        folders: impl IntoIterator<Item = impl Into<Value>>,
    ) -> Self {
        self.text(" WHERE portal = ")
            .value(portal.as_str())
            .text(" AND folder IN (")
            .list(folders)
            .text(")")
    }

    /// Executes it, and returns its rows.
    pub async fn fetch(self, connection: &mut AnyConnection) -> Result<Vec<AnyRow>, StoreError> {
        fetch(connection, self.text, self.arguments).await
    }
}

/// Executes a statement with the parameters `$1`, `$2`, …, and returns its rows.
pub(super) async fn query<const N: usize>(
    connection: &mut AnyConnection,
    text: impl Into<String>,
    values: [Value; N],
) -> Result<Vec<AnyRow>, StoreError> {
    let values = values.into_iter();
    let arguments = values.fold(AnyArguments::default(), |mut arguments, value| {
        value.add_to(&mut arguments);
        arguments
    });
    fetch(connection, text.into(), arguments).await
}

/// The statement gets no name in the connection: a name would stay in the server, and a proxy may give the next transaction another connection.
async fn fetch(
    connection: &mut AnyConnection,
    text: String,
    arguments: AnyArguments,
) -> Result<Vec<AnyRow>, StoreError> {
    let query = sqlx::query_with(AssertSqlSafe(text), arguments);
    Ok(query.persistent(false).fetch_all(connection).await?)
}

/// A row's, or a log's, last write. The number grows by one with each write; the token is random, and tells the writes to a database apart from
/// those with the same numbers to a copy of it that lost some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision {
    pub number: i64,
    pub token: i64,
}

impl Revision {
    /// The revision in the columns of a row.
    pub(super) fn of(row: &AnyRow) -> Result<Self, StoreError> {
        Ok(Self {
            number: row.try_get("number")?,
            token: row.try_get("token")?,
        })
    }

    /// The write after a known one, or after none.
    pub fn after(known: Option<Self>) -> Self {
        Self {
            number: known.map_or(0, |known| known.number).saturating_add(1),
            token: fastrand::i64(..),
        }
    }
}
