//! Files that are missing, that cannot be used, or that refuse a change.

use super::*;
use crate::store::testing::sql;

/// A file that this program made.
async fn made(folder: &Folder) {
    let ledger = folder.open();
    ledger.portal(&portal()).follow().await.unwrap();
    ledger.close().await;
}

#[tokio::test]
async fn a_file_that_cannot_be_used_stays_as_it_is_and_every_change_is_refused() {
    for (what, says) in [
        ("newer", "newer version (version 99, known 1)"),
        ("foreign", "not one of kb-exporter"),
        ("corrupt", "not a database"),
        ("read-only", "read-only"),
        ("blocked", "I/O error"),
        ("a wrong event", "data that kb-exporter did not write"),
    ] {
        let folder = Folder::new();
        let path = folder.path().join("ledger.db");
        match what {
            "foreign" => sql(&path, "CREATE TABLE other (x BIGINT)").await,
            "corrupt" => {
                fs::write(
                    &path,
                    "not a database, but long enough to be one".repeat(99),
                )
                .unwrap();
            }
            "blocked" => fs::create_dir(path.with_extension("db-wal")).unwrap(),
            _ => made(&folder).await,
        }
        match what {
            "newer" => sql(&path, "UPDATE store SET version = 99").await,
            "a wrong event" => sql(&path, "UPDATE event SET event = '\"wish\"'").await,
            "read-only" => {
                let mut permissions = fs::metadata(&path).unwrap().permissions();
                permissions.set_readonly(true);
                fs::set_permissions(&path, permissions).unwrap();
            }
            _ => {}
        }
        let before = fs::read(&path).ok();
        let ledger = folder.open().portal(&portal());
        let error = ledger.follow().await.unwrap_err().to_string();
        assert!(error.contains(says), "{error:?} does not say {says:?}");
        let is_of_the_file = !matches!(what, "newer" | "a wrong event");
        assert!(!is_of_the_file || error.contains("ledger.db"), "{error}");
        assert_eq!(ledger.view().unwrap_err().to_string(), error);
        assert!(intend(&ledger, intent_now()).await.is_err());
        let unchanged = fs::read(&path).ok() == before;
        assert!(unchanged || before.is_none(), "{says}: written over");
    }
}

#[tokio::test]
async fn a_start_that_was_cut_short_before_the_first_table_is_made_good() {
    for statements in ["", "PRAGMA journal_mode = WAL"] {
        let folder = Folder::new();
        let path = folder.path().join("ledger.db");
        fs::write(&path, "").unwrap();
        sql(&path, statements).await;
        let before = now();
        assert!(reopen(&folder).await.1.met() >= before);
    }
}

#[tokio::test]
async fn a_change_that_the_disk_refuses_is_not_in_the_view() {
    let folder = Folder::new();
    let (ledger, before) = reopen(&folder).await;
    sql(&folder.path().join("ledger.db"), "DROP TABLE event").await;
    assert!(intend(&ledger, intent_now()).await.is_err());
    assert_eq!(ledger.view().unwrap(), before);
}

#[tokio::test]
async fn commands_that_read_make_no_file() {
    let folder = Folder::new();
    let error = history(&state(folder.path())).unwrap_err();
    assert!(
        matches!(error, LedgerError::Store(StoreError::Missing(_))),
        "{error}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let _open = reopen(&folder).await;
    assert_eq!(history(&state(folder.path())).unwrap(), []);
}
