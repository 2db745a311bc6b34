//! A SQLite file, beside the program that has it open.

use std::path::Path;

use sqlx::{AnyConnection, AssertSqlSafe, Connection as _, Row as _, raw_sql};

/// A connection of its own.
pub(crate) struct Sqlite(AnyConnection);

impl Sqlite {
    pub(crate) async fn open(file: &Path) -> Self {
        sqlx::any::install_default_drivers();
        let url = format!("sqlite:{}?mode=rwc", file.display());
        Self(AnyConnection::connect(&url).await.unwrap())
    }

    /// The rows of statements, whose columns are texts.
    pub(crate) async fn sql(&mut self, statements: &str) -> Vec<Vec<String>> {
        let rows = raw_sql(AssertSqlSafe(statements.to_owned()));
        let rows = rows.fetch_all(&mut self.0).await.unwrap();
        let row = |row: &sqlx::any::AnyRow| (0..row.len()).map(|at| row.get(at)).collect();
        rows.iter().map(row).collect()
    }
}
