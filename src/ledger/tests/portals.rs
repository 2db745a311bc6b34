//! When each portal was first met, also in files of versions that did not store it.

use super::*;

#[tokio::test]
async fn a_ledger_keeps_the_time_at_which_it_met_a_portal() {
    let folder = tempfile::tempdir().unwrap();
    let before = now();
    let (ledger, _) = Ledger::open(folder.path(), Addresses::default());
    let met = |ledger: &Ledger, address| ledger.portal(&address).view().unwrap().met();
    let first = met(&ledger, portal());
    assert!((before..=now()).contains(&first));
    written(&ledger).await;
    assert_eq!(reopen(folder.path()).1.met(), first);

    let (again, _) = Ledger::open(folder.path(), Addresses::default());
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
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = Ledger::open(folder.path(), Addresses::default());
    let other = rusqlite::Connection::open(folder.path().join(FILE_NAME)).unwrap();
    other
        .execute_batch("ALTER TABLE portal RENAME TO hidden")
        .unwrap();
    let before = now();
    let main = ledger.portal(&portal());
    written(&ledger).await;
    let met = main.view().unwrap().met();
    assert!(met >= before);
    assert!(intend(&main, enforce()).await.is_err());
    other
        .execute_batch("ALTER TABLE hidden RENAME TO portal")
        .unwrap();
    intend(&main, enforce()).await.unwrap();
    assert_eq!(reopen(folder.path()).1.met(), met);
}

#[tokio::test]
async fn a_ledger_of_version_1_is_read_and_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(schema::STEPS[0]).unwrap();
    old.execute_batch(&format!(
        "PRAGMA user_version = 1;
         INSERT INTO ledger VALUES (1000, 2000);
         INSERT INTO folder VALUES (1, 'main', '{}', 'Inbox', NULL, 1, 0, 0, 2, 1, 0, 0, 0, 2, 0);
         INSERT INTO attempt VALUES
             (5, 1, 'enforce', 3000, 2, 'accepted', 3001, 2, NULL, NULL, 'recovered', 4000, '[0,0,2,0,0,0]');",
        inbox()
    ))
    .unwrap();
    drop(old);
    let bytes = fs::read(&path).unwrap();
    let before = history(&state(folder.path())).unwrap();
    assert_eq!(before.len(), 1);
    assert_eq!(
        fs::read(&path).unwrap(),
        bytes,
        "whoever reads writes nothing"
    );

    let started = now();
    for _ in 0..2 {
        let (ledger, error) = Ledger::open(folder.path(), [(name(), portal())].into());
        assert!(error.is_none(), "{error:?}");
        let met = |address| ledger.portal(&address).view().unwrap().met();
        assert_eq!(met(portal()), Timestamp::from_millis(1_000));
        assert!(met(PortalAddress::from("https://other.example")) >= started);
        let view = ledger.portal(&portal()).view().unwrap();
        assert_eq!(view.totals(inbox()).files_recovered, 2);
        written(&ledger).await;
        assert_eq!(history(&state(folder.path())).unwrap(), before);
    }
    let (_, view) = reopen(folder.path());
    assert_eq!(view.track(ActiveMode::Enforce).iter().count(), 1);
}

#[tokio::test]
async fn attempts_of_version_2_have_no_classes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(schema::STEPS[0]).unwrap();
    old.execute_batch(schema::STEPS[1]).unwrap();
    let one = [0_u8; 16].map(|byte| format!("{byte:02x}")).concat();
    old.execute_batch(&format!(
        "PRAGMA user_version = 2;
         INSERT INTO ledger VALUES (1000, 2000);
         INSERT INTO portal VALUES ('main', 1500);
         INSERT INTO folder VALUES (1, 'main', '{}', 'Inbox', NULL, 1, 1, 0, 2, 0, 0, 0, 0, 0, 0);
         INSERT INTO attempt VALUES
             (4, 1, 'enforce', 2000, 1, 'refused', 2001, NULL, 404, NULL, NULL, NULL, NULL),
             (5, 1, 'enforce', 3000, 1, 'accepted', 3001, 1, NULL, NULL, NULL, NULL, NULL);
         INSERT INTO sent VALUES (5, x'{one}', x'{one}', 'sent');",
        inbox()
    ))
    .unwrap();
    drop(old);
    assert_eq!(
        history(&state(folder.path())).unwrap().len(),
        2,
        "read as it is"
    );
    let (_ledger, error) = Ledger::open(folder.path(), [(name(), portal())].into());
    assert!(error.is_none(), "{error:?}");
    let (_, view) = reopen(folder.path());
    let attempt = view.track(ActiveMode::Enforce).last_of(inbox()).unwrap();
    assert_eq!((attempt.files, attempt.classes.len()), (1, 0));
    let files = attempt.watched.as_ref().unwrap().values();
    let classes: Vec<_> = files.map(|file| file.class.clone()).collect();
    assert_eq!(classes, [None]);
    assert_eq!(reopen(folder.path()).1, view);
}

#[tokio::test]
async fn what_two_names_of_one_address_did_is_added_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(schema::STEPS[0]).unwrap();
    old.execute_batch(schema::STEPS[1]).unwrap();
    old.execute_batch(schema::STEPS[2]).unwrap();
    let one = "00".repeat(16);
    let inbox_id = inbox();
    old.execute_batch(&format!(
        "PRAGMA user_version = 3;
         INSERT INTO ledger VALUES (1000, 2000);
         INSERT INTO portal VALUES ('main', 1500), ('again', 1200);
         INSERT INTO folder VALUES
             (1, 'main', '{inbox_id}', 'Inbox', NULL, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0),
             (2, 'again', '{inbox_id}', 'Inbox', NULL, 3, 0, 0, 4, 0, 0, 0, 0, 0, 0);
         INSERT INTO attempt VALUES
             (4, 1, 'enforce', 2000, 1, 'accepted', 2001, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             (5, 2, 'enforce', 3000, 1, 'accepted', 3001, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
         INSERT INTO tries VALUES (1, x'{one}', x'{one}', 1), (2, x'{one}', x'{one}', 2);
         INSERT INTO class VALUES ('main', 'timeout', 1, 0), ('again', 'timeout', 2, 5);"
    ))
    .unwrap();
    drop(old);
    let again = PortalName::new("again").unwrap();
    let addresses: Addresses = [(name(), portal()), (again.clone(), portal())].into();
    let (ledger, error) = Ledger::open(folder.path(), addresses);
    assert!(error.is_none(), "{error:?}");
    let view = ledger.portal(&portal()).view().unwrap();
    assert_eq!(view.met(), Timestamp::from_millis(1_200));
    let totals = view.totals(inbox());
    assert_eq!((totals.accepted, totals.requeued), (4, 6));
    let file = FileKey { link: 0, id: 0 };
    assert_eq!(view.file_attempts(inbox(), file), 3);
    let timeout = view.classes()[&Class::Text("timeout".into())];
    assert_eq!((timeout.recovered, timeout.refailed), (3, 5));
    let attempts = view.track(ActiveMode::Enforce).of_folder(inbox());
    let names: Vec<_> = attempts.map(|attempt| attempt.portal.clone()).collect();
    assert_eq!(names, [again, name()]);
    assert_eq!(reopen(folder.path()).1, view);
}

#[tokio::test]
async fn a_ledger_that_could_not_be_opened_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join(FILE_NAME).with_extension("db-wal");
    fs::create_dir(&blocked).unwrap();
    let (ledger, error) = Ledger::open(folder.path(), Addresses::default());
    assert!(error.is_some());
    let main = ledger.portal(&portal());
    assert!(main.follow().await.is_err(), "it still cannot be opened");
    fs::remove_dir(&blocked).unwrap();
    let before = now();
    main.follow().await.unwrap();
    assert!(main.view().unwrap().met() >= before, "held from now");
    intend(&main, enforce()).await.unwrap();
    assert_eq!(
        ledger.portal(&portal()).view().unwrap(),
        main.view().unwrap()
    );
}

#[tokio::test]
async fn a_ledger_that_was_closed_leaves_one_file_and_refuses_changes() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = Ledger::open(folder.path(), Addresses::default());
    let main = ledger.portal(&portal());
    intend(&main, enforce()).await.unwrap();
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        3,
        "with its log"
    );
    ledger.close().await;
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(matches!(
        intend(&main, enforce()).await,
        Err(LedgerError::Closed)
    ));
    assert_eq!(history(&state(folder.path())).unwrap().len(), 1);
}
