//! When each portal was first met, and how the ledger is opened and closed.

use super::*;

#[tokio::test]
async fn a_ledger_keeps_the_time_at_which_it_met_a_portal() {
    let folder = Folder::new();
    let before = now();
    let (ledger, _) = folder.open();
    let met = |ledger: &Ledger, address| ledger.portal(&address).view().unwrap().met();
    let first = met(&ledger, portal());
    assert!((before..=now()).contains(&first));
    written(&ledger).await;
    assert_eq!(reopen(&folder).1.met(), first);

    let (again, _) = folder.open();
    let before = now();
    let moved = PortalAddress::from("https://portal.example/moved");
    let second = met(&again, moved.clone());
    assert!(second >= before, "another address is another portal");
    assert_eq!(met(&again, moved), second);
    assert_eq!(met(&again, portal()), first);
}

/// Waits until everything that was asked of the ledger before is done.
async fn written(ledger: &Ledger) {
    ledger.writer.run(|_| ()).await.unwrap();
}

#[tokio::test]
async fn a_portal_whose_meeting_the_disk_refuses_is_held_from_now_and_written_later() {
    let folder = Folder::new();
    let (ledger, _) = folder.open();
    let other = rusqlite::Connection::open(folder.path().join(FILE_NAME)).unwrap();
    other
        .execute_batch("ALTER TABLE portal RENAME TO hidden")
        .unwrap();
    let before = now();
    let main = ledger.portal(&portal());
    written(&ledger).await;
    let met = main.view().unwrap().met();
    assert!(met >= before);
    assert!(intend(&main, intent_now()).await.is_err());
    other
        .execute_batch("ALTER TABLE hidden RENAME TO portal")
        .unwrap();
    intend(&main, intent_now()).await.unwrap();
    assert_eq!(reopen(&folder).1.met(), met);
}

#[tokio::test]
async fn a_ledger_that_could_not_be_opened_is_tried_again() {
    let folder = Folder::new();
    let blocked = folder.path().join(FILE_NAME).with_extension("db-wal");
    fs::create_dir(&blocked).unwrap();
    let (ledger, error) = folder.open();
    assert!(error.is_some());
    let main = ledger.portal(&portal());
    assert!(main.follow().await.is_err(), "it still cannot be opened");
    fs::remove_dir(&blocked).unwrap();
    let before = now();
    main.follow().await.unwrap();
    assert!(main.view().unwrap().met() >= before, "held from now");
    intend(&main, intent_now()).await.unwrap();
    assert_eq!(
        ledger.portal(&portal()).view().unwrap(),
        main.view().unwrap()
    );
}

#[tokio::test]
async fn a_ledger_that_was_closed_leaves_one_file_and_refuses_changes() {
    let folder = Folder::new();
    let (ledger, _) = folder.open();
    let main = ledger.portal(&portal());
    intend(&main, intent_now()).await.unwrap();
    let files = || fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files(), 4, "with its log, and the lock");
    ledger.close().await;
    assert_eq!(files(), 2);
    assert!(matches!(
        intend(&main, intent_now()).await,
        Err(LedgerError::Sql(SqlError::Closed))
    ));
    assert_eq!(history(&state(folder.path())).unwrap().len(), 1);
}
