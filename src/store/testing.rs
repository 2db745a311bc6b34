//! For tests: what is in a file.

use std::path::Path;

use crate::store::connection::connect;
use crate::store::tables::rows;

/// Does what statements say with a SQLite file, which is made if there is none.
pub(crate) async fn sql(path: &Path, statements: &str) {
    let url = format!("sqlite://{}?mode=rwc", path.display());
    let mut connection = connect(&::url::Url::parse(&url).unwrap()).await.unwrap();
    rows(&mut connection, statements.to_owned()).await.unwrap();
    sqlx::Connection::close(connection).await.unwrap();
}
