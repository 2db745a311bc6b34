//! What people forgive while the program runs.

use super::*;

fn ask(folder: &Path, what: &Forgiven) {
    forgive(&state(folder), &portal(), what).unwrap();
}

/// An attempt in the inbox that had no effect.
async fn in_vain(ledger: &PortalLedger) -> AttemptId {
    let id = intend(ledger, intent_now()).await.unwrap();
    let outcome = Outcome::Accepted { updated: 2 };
    ledger.settle(id, now(), outcome).await.unwrap();
    let review = judged(
        &[(1, FileState::Refailed), (2, FileState::Refailed)],
        Some(Verdict::None),
    );
    ledger.review(id, now(), review).await.unwrap();
    id
}

/// What limits see: an attempt in the folder, of the class, in the portal, and the attempts of a file.
fn seen(view: &LedgerView) -> (bool, bool, bool, u32) {
    let track = view.track();
    let class = Class::Text("timeout".into());
    (
        track.of_folder(inbox()).next().is_some(),
        track.of_class(&class).next().is_some(),
        track.newest_first().next().is_some(),
        view.file_attempts(inbox(), key(1)),
    )
}

#[tokio::test]
async fn each_request_passes_over_what_it_names_and_no_more() {
    let class = Class::Text("timeout".into());
    for (what, left) in [
        (Forgiven::Folder(inbox()), (false, true, true, 0)),
        (Forgiven::Class(class), (true, false, true, 1)),
        (Forgiven::Clock, (true, true, true, 1)),
        (Forgiven::Everything, (false, false, false, 0)),
    ] {
        let folder = Folder::new();
        let (ledger, _) = reopen(&folder).await;
        let before = in_vain(&ledger).await;
        assert_eq!(seen(&ledger.view().unwrap()), (true, true, true, 1));
        ask(folder.path(), &what);
        assert_eq!(
            seen(&ledger.view().unwrap()),
            (true, true, true, 1),
            "not taken in yet"
        );
        let read = ledger.follow().await.unwrap();
        assert!(
            matches!(&read[..], [Event::Forgiven(forgiven)] if forgiven.what == what),
            "{read:?}"
        );
        let view = ledger.view().unwrap();
        assert_eq!(seen(&view), left, "{what:?}");
        assert!(view.attempt(before).is_some(), "the facts stay");
        assert_eq!(ledger.follow().await.unwrap(), [], "once");
        assert_eq!(reopen(&folder).await.1, view);

        let later = in_vain(&ledger).await;
        let view = ledger.view().unwrap();
        let last = view.track().of_folder(inbox()).next().unwrap();
        assert_eq!(last.id, later, "what comes later counts");
    }
}

#[tokio::test]
async fn what_is_under_way_is_not_forgiven() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let id = intend(&ledger, intent_now()).await.unwrap();
    ask(folder.path(), &Forgiven::Everything);
    ledger.follow().await.unwrap();
    let again = intend(&ledger, intent_now()).await;
    assert!(matches!(again, Err(LedgerError::Misfit(Misfit::Unjudged(first))) if first == id));
}

#[tokio::test]
async fn a_request_is_stored_for_the_next_start() {
    let folder = Folder::new();
    let ledger = folder.open();
    let main = ledger.portal(&portal());
    main.follow().await.unwrap();
    in_vain(&main).await;
    ledger.close().await;
    ask(folder.path(), &Forgiven::Everything);
    let (_, view) = reopen(&folder).await;
    assert_eq!(seen(&view), (false, false, false, 0));
}

#[tokio::test]
async fn times_in_the_future_can_be_taken_for_now() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let tomorrow = now().moved(86_400_000);
    let id = intend(&ledger, intent(tomorrow)).await.unwrap();
    assert!(ledger.view().unwrap().latest() > now());
    ask(folder.path(), &Forgiven::Clock);
    ledger.follow().await.unwrap();
    let view = ledger.view().unwrap();
    assert!(view.latest() <= now());
    assert!(
        now().since(view.attempt(id).unwrap().intended) < DAY,
        "made just now"
    );
    let again = reopen(&folder).await.1;
    assert_eq!(
        again.attempt(id).unwrap().intended,
        view.attempt(id).unwrap().intended
    );
}

#[test]
fn there_must_be_a_ledger() {
    let folder = Folder::new();
    let asked = forgive(&state(folder.path()), &portal(), &Forgiven::Everything);
    assert!(matches!(
        asked,
        Err(LedgerError::Store(StoreError::Missing(_)))
    ));
}
