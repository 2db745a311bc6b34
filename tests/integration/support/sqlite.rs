//! A SQLite file, as people open it.

use std::path::Path;
use std::thread;

use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _, SqliteConnection, raw_sql,
};

/// A row; null is an empty text.
pub(crate) type Row = Vec<String>;

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
    let rows = raw_sql(AssertSqlSafe(statements));
    let rows = rows.fetch_all(&mut connection).await;
    connection.close().await?;
    Ok(rows?.iter().map(texts).collect())
}

/// An open file, which must be there.
pub(crate) async fn connect(file: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(file);
    options.connect().await.unwrap()
}

fn texts(row: &SqliteRow) -> Row {
    let value = |column| row.try_get_unchecked::<Option<String>, _>(column);
    (0..row.len())
        .map(|column| value(column).unwrap().unwrap_or_default())
        .collect()
}

/// The only value of the only row.
pub(crate) fn value(file: &Path, query: &str) -> String {
    let rows = sql(file, query);
    let [row] = &rows[..] else {
        panic!("{query}: {rows:?}");
    };
    row[0].clone()
}
