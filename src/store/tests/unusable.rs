//! Databases that cannot be used.

use std::fs;

use super::*;

async fn refused(path: &Path) -> StoreError {
    let opened = Store::open(Place::folder(path), Duration::MAX).await;
    opened.map(drop).unwrap_err()
}

#[tokio::test]
async fn a_database_of_another_program_is_left_as_it_is() {
    let path = tempfile::tempdir().unwrap();
    let file = path.path().join("state.db");
    raw(&file, "CREATE TABLE other (id BIGINT)").await;
    let before = fs::read(&file).unwrap();
    assert!(matches!(refused(path.path()).await, StoreError::Foreign(_)));
    assert_eq!(fs::read(&file).unwrap(), before);
}

/// Executes a statement beside the program, in a database that is made if there is none.
async fn raw(file: &Path, statement: &'static str) {
    use sqlx::{ConnectOptions as _, Connection as _, Executor as _};
    let options = sqlx::sqlite::SqliteConnectOptions::new();
    let options = options.filename(file).create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    connection.execute(statement).await.unwrap();
    connection.close().await.unwrap();
}
