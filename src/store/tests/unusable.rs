//! Databases that cannot be used.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::*;

async fn refused(path: &Path) -> StoreError {
    let opened = Store::open(Place::folder(path), Duration::MAX).await;
    opened.map(drop).unwrap_err()
}

#[tokio::test]
async fn a_file_that_is_no_database_and_one_of_another_program_are_left_as_they_are() {
    let path = tempfile::tempdir().unwrap();
    let file = path.path().join("state.db");
    fs::write(
        &file,
        "no database, but longer than a header of SQLite would be",
    )
    .unwrap();
    assert!(matches!(
        refused(path.path()).await,
        StoreError::Path { .. }
    ));
    assert!(
        fs::read_to_string(&file)
            .unwrap()
            .starts_with("no database")
    );
    fs::remove_file(&file).unwrap();
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

#[tokio::test]
async fn a_file_without_the_right_to_write_and_newer_tables_are_refused() {
    let made = tempfile::tempdir().unwrap();
    let store = store(made.path()).await;
    store.close().await;
    // A folder that was opened stays locked for a moment.
    let copy = || {
        let path = tempfile::tempdir().unwrap();
        let file = path.path().join("state.db");
        fs::copy(made.path().join("state.db"), &file).unwrap();
        (path, file)
    };
    let (path, file) = copy();
    raw(&file, "UPDATE version SET number = 7").await;
    let newer = StoreError::Newer { found: 7, known: 1 };
    assert_eq!(refused(path.path()).await, newer);
    let (path, file) = copy();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o400)).unwrap();
    assert!(matches!(
        refused(path.path()).await,
        StoreError::ReadOnly(_)
    ));
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_refused() {
    let path = tempfile::tempdir().unwrap();
    let file = path.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(
        refused(&file.join("below")).await,
        StoreError::Path { .. }
    ));
}
