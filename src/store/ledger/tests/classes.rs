//! The results of the files of each class.

use super::*;

#[tokio::test]
async fn the_results_of_each_class_are_known_also_after_a_restart() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let files = [("timeout", 1), ("timeout", 2), ("password", 3)];
    let file = |(class, number): (&str, u128)| {
        let file = SentFile {
            name: Some("a.pdf".into()),
            ..SentFile::new(Class::Text(class.into()))
        };
        (key(number), file)
    };
    let intent = Intent {
        files: files.map(file).to_vec(),
        ..intent_now()
    };
    let id = intend(&ledger, intent).await.unwrap();
    let fates = |view: &LedgerView| {
        let attempt = view.attempt(id).unwrap();
        let fates = attempt.classes.iter();
        let numbers = fates.map(|fate| {
            let class = fate.class.to_string();
            (class, fate.sent, fate.recovered, fate.refailed)
        });
        numbers.collect::<Vec<_>>()
    };
    let row =
        |class: &str, sent, recovered, refailed| (class.to_owned(), sent, recovered, refailed);
    let before = [row("password", 1, 0, 0), row("timeout", 2, 0, 0)];
    assert_eq!(fates(&ledger.view().unwrap()), before);
    let accepted = Outcome::Accepted { updated: 3 };
    ledger.settle(id, now(), accepted).await.unwrap();
    let review = judged(&[(1, FileState::Done), (3, FileState::Refailed)], None);
    ledger.review(id, now(), review).await.unwrap();
    let after = [row("password", 1, 0, 1), row("timeout", 2, 1, 0)];
    let (again, view) = reopen(&folder).await;
    assert_eq!(view, ledger.view().unwrap(), "also before the verdict");
    assert_eq!(fates(&view), after);
    let review = judged(&[(2, FileState::Done)], Some(Verdict::Partial));
    again.review(id, now(), review).await.unwrap();
    let (_, view) = reopen(&folder).await;
    assert_eq!(view, again.view().unwrap());
    assert_eq!(
        fates(&view),
        [row("password", 1, 0, 1), row("timeout", 2, 2, 0)]
    );
    let totals = |class: &str| view.classes()[&Class::Text(class.into())];
    assert_eq!(
        (totals("timeout").recovered, totals("timeout").refailed),
        (2, 0)
    );
    assert_eq!(
        (totals("password").recovered, totals("password").refailed),
        (0, 1)
    );
}

#[tokio::test]
async fn a_class_gets_counters_of_its_own_as_it_is_sent_while_there_are_few_and_keeps_them() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let send = async |classes: &[&str], max_classes| {
        let files = (1..).zip(classes);
        let intent = Intent {
            files: files
                .map(|(number, class)| (key(number), SentFile::new(Class::from_label(class))))
                .collect(),
            max_classes,
            ..intent_now()
        };
        let id = intend(&ledger, intent).await.unwrap();
        let updated = classes.len() as u64;
        let outcome = Outcome::Accepted { updated };
        ledger.settle(id, now(), outcome).await.unwrap();
        let done: Vec<_> = (1..=u128::from(updated))
            .map(|number| (number, FileState::Done))
            .collect();
        let review = judged(&done, Some(Verdict::Recovered));
        ledger.review(id, now(), review).await.unwrap();
    };
    let counted = async || {
        let view = reopen(&folder).await.1;
        let totals = view.classes().iter();
        let totals = totals.map(|(class, totals)| (class.to_string(), totals.recovered));
        totals.collect::<Vec<_>>()
    };
    let is = |counts: &[(&str, u64)]| {
        let counts = counts
            .iter()
            .map(|(class, files)| ((*class).to_owned(), *files));
        counts.collect::<Vec<_>>()
    };
    send(&["timeout", "password"], 1).await;
    assert_eq!(counted().await, is(&[("password", 1), ("other", 1)]));
    send(&["timeout", "network"], 2).await;
    assert_eq!(
        counted().await,
        is(&[("network", 1), ("password", 1), ("other", 2)])
    );
    send(&["password", "network", "timeout"], 1).await;
    assert_eq!(
        counted().await,
        is(&[("network", 2), ("password", 2), ("other", 3)])
    );
    let many: Vec<_> = (b'a'..=b'z')
        .chain(b'A'..=b'Z')
        .map(|letter| format!("broken {}", letter as char))
        .collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    send(&many, 1_000).await;
    assert_eq!(
        counted().await.len(),
        51,
        "the ledger's own bound, and other"
    );
}

#[tokio::test]
async fn what_files_did_is_counted_whatever_the_portal_says_that_it_queued() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let id = intend(&ledger, intent_now()).await.unwrap();
    let accepted = Outcome::Accepted { updated: 0 };
    ledger.settle(id, now(), accepted).await.unwrap();
    let states = [(1, FileState::Done), (2, FileState::Refailed)];
    ledger
        .review(id, now(), judged(&states, None))
        .await
        .unwrap();
    let view = ledger.view().unwrap();
    let totals = view.totals(inbox());
    assert_eq!((totals.files_recovered, totals.files_refailed), (1, 1));
    assert_eq!(
        (totals.requeued, view.attempt(id).unwrap().charge()),
        (0, 2)
    );
    assert_eq!(view.file_attempts(inbox(), key(2)), 1);
}
