//! A SQLite file, beside the program that has it open.

use std::path::Path;
use std::thread;

use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _, SqliteConnection, raw_sql,
};

/// A row; null is an empty text.
pub(crate) type Row = Vec<String>;

/// A connection of its own.
pub(crate) struct Sqlite(SqliteConnection);

impl Sqlite {
    /// Opens a file, which is made if there is none.
    pub(crate) async fn open(file: &Path) -> Self {
        let options = SqliteConnectOptions::new().filename(file);
        Self(options.create_if_missing(true).connect().await.unwrap())
    }

    /// The rows of statements that must succeed.
    pub(crate) async fn sql(&mut self, statements: &str) -> Vec<Row> {
        let rows = rows(&mut self.0, statements).await;
        rows.unwrap_or_else(|error| panic!("{statements}: {error}"))
    }
}

/// The rows of statements that must succeed. The file must be there.
pub(crate) fn sql(file: &Path, statements: &str) -> Vec<Row> {
    try_sql(file, statements).unwrap_or_else(|error| panic!("{statements}: {error}"))
}

/// The rows of statements, or why there are none.
pub(crate) fn try_sql(file: &Path, statements: &str) -> sqlx::Result<Vec<Row>> {
    thread::scope(|scope| scope.spawn(|| read(file, statements)).join().unwrap())
}

#[tokio::main(flavor = "current_thread")]
async fn read(file: &Path, statements: &str) -> sqlx::Result<Vec<Row>> {
    let options = SqliteConnectOptions::new().filename(file);
    let mut connection = options.connect().await?;
    let rows = rows(&mut connection, statements).await;
    connection.close().await?;
    rows
}

async fn rows(connection: &mut SqliteConnection, statements: &str) -> sqlx::Result<Vec<Row>> {
    let rows = raw_sql(AssertSqlSafe(statements));
    let rows = rows.fetch_all(connection).await?;
    Ok(rows.iter().map(texts).collect())
}

fn texts(row: &SqliteRow) -> Row {
    let value = |column| row.try_get_unchecked::<Option<String>, _>(column);
    (0..row.len())
        .map(|column| value(column).unwrap().unwrap_or_default())
        .collect()
}
