//! Statements with parameters, as both engines understand them.

use sqlx::any::AnyArguments;
use sqlx::query::Query;
use sqlx::{Any, AnyConnection, Arguments as _, AssertSqlSafe};

use crate::model::PortalAddress;
use crate::store::error::StoreError;

/// Fewer than either engine takes in a statement. `SQLite` compares each name with all others, so a large statement takes its square of time.
pub(super) const MAX_PARAMETERS: usize = 1_000;

/// A statement with the parameters `$1`, `$2`, …, which gets no name in the connection: a name would stay in the server, and a proxy may give the next
/// transaction another connection.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(super) fn unnamed(text: impl Into<String>) -> Query<'static, Any, AnyArguments> {
    sqlx::query(AssertSqlSafe(text.into())).persistent(false)
}

/// A value of a row.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Text(String),
    Integer(i64),
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
        // Texts and numbers can always be encoded.
        let _ = match value.into() {
            Value::Text(text) => self.arguments.add(text),
            Value::Integer(number) => self.arguments.add(number),
        };
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

    /// Executes it, and returns its rows. The statement gets no name in the connection.
    pub async fn fetch(
        self,
        connection: &mut AnyConnection,
    ) -> Result<Vec<sqlx::any::AnyRow>, StoreError> {
        let query = sqlx::query_with(AssertSqlSafe(self.text), self.arguments);
        Ok(query.persistent(false).fetch_all(connection).await?)
    }
}
