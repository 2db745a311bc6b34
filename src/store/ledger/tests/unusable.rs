//! Files that are missing, that cannot be used, or that refuse a change.

use super::*;

#[tokio::test]
async fn a_file_that_cannot_be_used_stays_as_it_is_and_every_change_is_refused() {
    type Make = fn(&Path);
    let newer: Make = |path| {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
    };
    let foreign: Make = |path| {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.execute_batch("CREATE TABLE other (x)").unwrap();
    };
    let corrupt: Make = |path| {
        fs::write(path, "not a database, but long enough to be one".repeat(99)).unwrap();
    };
    let read_only: Make = |path| {
        drop(open::open_file(&StateFolder::new(path.parent().unwrap())).unwrap());
        let mut permissions = fs::metadata(path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(path, permissions).unwrap();
    };
    let blocked: Make = |path| {
        fs::create_dir(path.with_extension("db-wal")).unwrap();
    };
    let emptied: Make = |path| {
        drop(open::open_file(&StateFolder::new(path.parent().unwrap())).unwrap());
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.execute_batch("DELETE FROM ledger").unwrap();
    };
    for (make, says) in [
        (newer, "newer version (schema 99, known 1)"),
        (foreign, "not one of kb-exporter"),
        (corrupt, "not a database"),
        (read_only, "read-only"),
        (blocked, "cannot be used"),
        (emptied, "the time of its creation is missing"),
    ] {
        let folder = Folder::new();
        let path = folder.path().join(FILE_NAME);
        make(&path);
        let before = fs::read(&path).ok();
        let (ledger, error) = folder.open();
        let error = error.expect(says).to_string();
        assert!(error.contains(says), "{error:?} does not say {says:?}");
        let ledger = ledger.portal(&portal());
        assert_eq!(ledger.view().unwrap_err().to_string(), error);
        assert_eq!(
            intend(&ledger, intent_now()).await.unwrap_err().to_string(),
            error
        );
        let unchanged = fs::read(&path).ok() == before;
        assert!(unchanged || before.is_none(), "{says}: written over");
    }
}

#[test]
fn a_start_that_was_cut_short_before_the_first_table_is_made_good() {
    type Make = fn(&Path);
    let empty: Make = |path| fs::write(path, "").unwrap();
    let without_tables: Make = |path| {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection
            .pragma_update(None, "journal_mode", "wal")
            .unwrap();
    };
    for make in [empty, without_tables] {
        let folder = Folder::new();
        make(&folder.path().join(FILE_NAME));
        let before = now();
        assert!(reopen(&folder).1.met() >= before);
    }
}

#[tokio::test]
async fn a_change_that_the_disk_refuses_is_not_in_the_view() {
    let folder = Folder::new();
    let (ledger, before) = reopen(&folder);
    let other = rusqlite::Connection::open(folder.path().join(FILE_NAME)).unwrap();
    other.execute_batch("DROP TABLE tries").unwrap();
    assert!(intend(&ledger, intent_now()).await.is_err());
    assert_eq!(ledger.view().unwrap(), before);
}

#[test]
fn the_history_says_when_there_is_no_ledger() {
    let folder = Folder::new();
    let error = history(&state(folder.path())).unwrap_err();
    assert!(matches!(error, LedgerError::Missing { .. }), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let _open = folder.open();
    assert_eq!(history(&state(folder.path())).unwrap(), []);
}
