//! When each portal was first met, and how the ledger is opened and closed.

use super::*;

async fn met(ledger: &Ledger, address: &PortalAddress) -> Timestamp {
    let portal = ledger.portal(address);
    portal.follow().await.unwrap();
    portal.view().unwrap().met()
}

#[tokio::test]
async fn a_ledger_keeps_the_time_at_which_it_met_a_portal() {
    let folder = Folder::new();
    let before = now();
    let first = met(&folder.open(), &portal()).await;
    assert!((before..=now()).contains(&first));
    assert_eq!(reopen(&folder).await.1.met(), first);

    let again = folder.open();
    let before = now();
    let moved = PortalAddress::from("https://portal.example/moved");
    let second = met(&again, &moved).await;
    assert!(second >= before, "another address is another portal");
    assert_eq!(met(&again, &moved).await, second);
    assert_eq!(met(&again, &portal()).await, first);
}

#[tokio::test]
async fn a_ledger_that_could_not_be_opened_is_tried_again() {
    let folder = Folder::new();
    let blocked = folder.path().join("ledger.db-wal");
    fs::create_dir(&blocked).unwrap();
    let ledger = folder.open();
    let main = ledger.portal(&portal());
    assert!(main.follow().await.is_err());
    assert!(main.follow().await.is_err(), "it still cannot be opened");
    assert!(intend(&main, intent_now()).await.is_err());
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
async fn a_ledger_that_was_closed_leaves_no_log_and_refuses_changes() {
    let folder = Folder::new();
    let ledger = folder.open();
    let main = ledger.portal(&portal());
    main.follow().await.unwrap();
    intend(&main, intent_now()).await.unwrap();
    let files = || fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files(), 7, "with its copy, the log of each, and the lock");
    ledger.close().await;
    assert_eq!(files(), 3);
    assert!(matches!(
        intend(&main, intent_now()).await,
        Err(LedgerError::Store(StoreError::Closed))
    ));
    assert_eq!(history(&state(folder.path())).unwrap().len(), 1);
}
