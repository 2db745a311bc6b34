//! Who gets a place, who keeps it, and who goes.

use std::sync::Arc;

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::classify::{Classifier, ErrorTally, Rule};

const LIMITS: ClassLimits = ClassLimits {
    portal: 3,
    folder: 2,
};

fn folder(number: u128) -> FolderId {
    Uuid::from_u128(number).into()
}

fn hour(hours: i64) -> Timestamp {
    Timestamp::from_millis(hours * 3_600_000)
}

fn counts(reasons: &[(&str, u64)]) -> ClassCounts {
    let mut tally = ErrorTally::new(Arc::default());
    for (reason, files) in reasons {
        for _ in 0..*files {
            tally.add(Status::Failed, Some(reason));
        }
    }
    tally.finish()
}

fn seat(
    places: &mut Places,
    number: u128,
    reasons: &[(&str, u64)],
    at: Timestamp,
) -> Vec<(String, u64)> {
    labels(places.seat(folder(number), &counts(reasons), LIMITS, at))
}

fn labels(rows: Vec<ErrorRow>) -> Vec<(String, u64)> {
    let rows = rows.into_iter();
    rows.map(|row| (row.class.to_string(), row.files)).collect()
}

fn shown(labels: &[(&str, u64)]) -> Vec<(String, u64)> {
    labels
        .iter()
        .map(|(label, files)| ((*label).to_owned(), *files))
        .collect()
}

#[test]
fn the_largest_classes_get_the_places_and_the_rest_is_other() {
    let mut places = Places::default();
    let rows = seat(
        &mut places,
        1,
        &[("a", 1), ("b", 3), ("c", 5), ("", 2)],
        hour(0),
    );
    assert_eq!(
        rows,
        shown(&[("b", 3), ("c", 5), ("unspecified", 2), ("other", 1)])
    );
}

#[test]
fn an_example_shows_what_the_largest_class_without_a_place_is() {
    let mut places = Places::default();
    let counted = counts(&[("a", 1), ("b", 3), ("c", 5), ("d 7", 2)]);
    let rows = places.seat(folder(1), &counted, LIMITS, hour(0));
    let examples = rows
        .iter()
        .map(|row| (row.class.as_str(), row.example.as_deref()));
    let expected = [("b", None), ("c", None), ("other", Some("d 7"))];
    assert_eq!(examples.collect::<Vec<_>>(), expected);
}

#[test]
fn among_equals_the_text_decides() {
    for reasons in [
        [("b", 1), ("c", 1), ("a", 1)],
        [("c", 1), ("a", 1), ("b", 1)],
    ] {
        let rows = seat(&mut Places::default(), 1, &reasons, hour(0));
        assert_eq!(rows, shown(&[("a", 1), ("b", 1), ("other", 1)]));
    }
}

#[test]
fn the_limit_of_the_portal_holds_over_its_folders() {
    let mut places = Places::default();
    seat(&mut places, 1, &[("a", 1), ("b", 1)], hour(0));
    let rows = seat(&mut places, 2, &[("c", 2), ("d", 3), ("a", 1)], hour(0));
    assert_eq!(rows, shown(&[("d", 3), ("other", 3)]));
    assert_eq!(places.classes().len(), LIMITS.portal);
}

#[test]
fn at_the_end_of_a_collection_the_largest_new_classes_have_the_places_whichever_folder_was_read_first()
 {
    let looks: [(u128, &[(&str, u64)]); 3] = [
        (1, &[("a", 1), ("b", 2)]),
        (2, &[("c", 2), ("d", 3), ("e", 1)]),
        (3, &[("b", 1), ("f", 9)]),
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
        let mut places = Places::default();
        let mut folders: BTreeMap<_, _> = order
            .map(|look| looks[look])
            .map(|(number, reasons)| {
                let rows = seat(&mut places, number, reasons, hour(0));
                (folder(number), rows)
            })
            .into();
        for (id, rows) in places.choose(LIMITS) {
            folders.insert(id, labels(rows));
        }
        assert_eq!(
            folders[&folder(1)],
            shown(&[("b", 2), ("other", 1)]),
            "{order:?}"
        );
        assert_eq!(
            folders[&folder(2)],
            shown(&[("d", 3), ("other", 3)]),
            "{order:?}"
        );
        assert_eq!(
            folders[&folder(3)],
            shown(&[("b", 1), ("f", 9)]),
            "{order:?}"
        );
        let classes: Vec<_> = places.classes().into_keys().collect();
        assert_eq!(classes, ["b", "d", "f"].map(Arc::from), "{order:?}");
        assert_eq!(places.choose(LIMITS), [], "it is over");
    }
}

#[test]
fn with_other_rules_the_largest_classes_of_all_folders_have_the_places_whichever_is_read_first() {
    let rule = |word: &str| Rule {
        pattern: word.parse().unwrap(),
        class: format!("rule {word}").parse().unwrap(),
    };
    let words = ["a", "b", "c", "d"];
    let classifier = Arc::new(Classifier::new(words.map(rule).into()));
    let looks: [(u128, &[(&str, u64)]); 2] = [
        (1, &[("a", 9), ("b", 9)]),
        (2, &[("c", 5), ("d", 5), ("a", 1)]),
    ];
    for order in [[0, 1], [1, 0]] {
        let mut places = Places::default();
        for (number, reasons) in looks {
            seat(&mut places, number, reasons, hour(0));
        }
        places.choose(LIMITS);
        places.renew();
        for (number, reasons) in order.map(|look| looks[look]) {
            let mut tally = ErrorTally::new(Arc::clone(&classifier));
            for (reason, files) in reasons {
                for _ in 0..*files {
                    tally.add(Status::Failed, Some(reason));
                }
            }
            places.seat(folder(number), &tally.finish(), LIMITS, hour(1));
        }
        places.choose(LIMITS);
        let classes: Vec<_> = places.classes().into_keys().collect();
        assert_eq!(
            classes,
            ["rule a", "rule b", "rule c"].map(Arc::from),
            "{order:?}"
        );
    }
}

#[test]
fn a_folder_that_is_read_again_before_the_choice_counts_once() {
    let mut places = Places::default();
    for _ in 0..3 {
        seat(&mut places, 1, &[("a", 2), ("b", 1)], hour(0));
    }
    seat(&mut places, 2, &[("c", 3), ("d", 3)], hour(0));
    places.choose(LIMITS);
    let classes: Vec<_> = places.classes().into_keys().collect();
    assert_eq!(classes, ["a", "c", "d"].map(Arc::from));
}

#[test]
fn a_class_that_had_a_place_before_the_collection_keeps_it() {
    let mut places = Places::default();
    seat(&mut places, 1, &[("a", 1), ("b", 1)], hour(0));
    places.choose(LIMITS);
    seat(&mut places, 1, &[("a", 1), ("b", 1)], hour(1));
    seat(&mut places, 2, &[("c", 2)], hour(1));
    seat(&mut places, 3, &[("d", 5)], hour(1));
    let changed = places.choose(LIMITS).into_iter();
    let changed: Vec<_> = changed.map(|(id, rows)| (id, labels(rows))).collect();
    let expected = [
        (folder(2), shown(&[("other", 2)])),
        (folder(3), shown(&[("d", 5)])),
    ];
    assert_eq!(changed, expected);
    let classes: Vec<_> = places.classes().into_keys().collect();
    assert_eq!(classes, ["a", "b", "d"].map(Arc::from));
}

#[test]
fn who_has_a_place_keeps_it_however_many_files_others_have() {
    let mut places = Places::default();
    seat(&mut places, 1, &[("a", 1), ("b", 1)], hour(0));
    for at in 1..100 {
        let rows = seat(
            &mut places,
            1,
            &[("a", 1), ("b", 1), ("flood", 500)],
            hour(at),
        );
        assert_eq!(rows, shown(&[("a", 1), ("b", 1), ("other", 500)]));
    }
}

#[test]
fn a_place_is_free_again_when_looks_have_not_shown_it_for_a_day() {
    let mut places = Places::default();
    seat(&mut places, 1, &[("a", 1), ("b", 1)], hour(0));
    let crowd = [("b", 1), ("c", 9)];
    for at in [1, 24] {
        let rows = seat(&mut places, 1, &crowd, hour(at));
        assert_eq!(rows, shown(&[("b", 1), ("other", 9)]), "{at}");
    }
    let rows = seat(&mut places, 1, &crowd, hour(25));
    assert_eq!(rows, shown(&[("b", 1), ("c", 9)]));
}

#[test]
fn days_without_a_look_cost_nobody_a_place_unless_the_folder_is_not_looked_at_any_more() {
    let mut places = Places::default();
    seat(&mut places, 1, &[("x", 1), ("y", 1)], hour(0));
    seat(&mut places, 2, &[("z", 1)], hour(0));
    places.expire_in(hour(200), |id| id == folder(2));
    let rows = seat(&mut places, 1, &[("a", 9), ("x", 1), ("y", 1)], hour(200));
    assert_eq!(rows, shown(&[("x", 1), ("y", 1), ("other", 9)]));
    let classes = places.classes();
    assert_eq!(classes["x"].first_seen, hour(0));
    assert!(!classes.contains_key("z"));
}

#[test]
fn what_other_rules_call_otherwise_leaves_its_place_at_the_next_look() {
    let mut places = Places::default();
    let before = [
        ("reading a timed out", 2),
        ("lost", 1),
        ("reading b timed out", 1),
    ];
    let rows = seat(&mut places, 1, &before, hour(0));
    let expected = [("lost", 1), ("reading a timed out", 2), ("other", 1)];
    assert_eq!(rows, shown(&expected));
    let rule = Rule {
        pattern: "timed out".parse().unwrap(),
        class: "timeout".parse().unwrap(),
    };
    let mut tally = ErrorTally::new(Arc::new(Classifier::new(vec![rule])));
    for (reason, files) in before {
        for _ in 0..files {
            tally.add(Status::Failed, Some(reason));
        }
    }
    let rows = labels(places.seat(folder(1), &tally.finish(), LIMITS, hour(1)));
    assert_eq!(rows, shown(&[("lost", 1), ("timeout", 3)]));
}

#[test]
fn a_class_that_was_counted_without_a_file_gets_no_place() {
    let mut tally = ErrorTally::new(Arc::default());
    tally.classify(Some("ghost"));
    tally.add(Status::Failed, Some("real"));
    let mut places = Places::default();
    places.seat(folder(1), &tally.finish(), LIMITS, hour(0));
    let classes: Vec<_> = places.classes().into_keys().collect();
    assert_eq!(classes, ["real"].map(Arc::from));
}

#[test]
fn what_was_restored_shows_the_same_classes() {
    let mut before = Places::default();
    seat(&mut before, 1, &[("x", 1), ("y", 1)], hour(0));
    before.choose(LIMITS);
    let mut after = Places::default();
    after.restore(folder(1), before.of(folder(1)).cloned().collect());
    after.choose(LIMITS);
    assert_eq!(after, before);
    let now = [("a", 9), ("x", 1), ("y", 1)];
    assert_eq!(
        seat(&mut after, 1, &now, hour(1)),
        seat(&mut before, 1, &now, hour(1))
    );
}

#[test]
fn a_class_is_as_old_as_in_the_folder_that_had_it_first() {
    let mut places = Places::default();
    seat(&mut places, 1, &[("a", 1)], hour(1));
    seat(&mut places, 2, &[("a", 1)], hour(2));
    let classes = places.classes();
    assert_eq!(
        (classes["a"].first_seen, classes["a"].last_seen),
        (hour(1), hour(2))
    );
}

#[test]
fn fewer_places_go_to_the_classes_that_were_seen_last() {
    let mut places = Places::default();
    seat(&mut places, 1, &[("a", 1), ("b", 1)], hour(0));
    seat(&mut places, 2, &[("c", 1)], hour(0));
    seat(&mut places, 1, &[("b", 1)], hour(1));
    places.limit(ClassLimits {
        portal: 2,
        folder: 1,
    });
    let classes: Vec<_> = places.classes().into_keys().collect();
    assert_eq!(classes, ["b", "c"].map(Arc::from));
}

#[test]
fn a_folder_that_goes_leaves_its_places() {
    let mut places = Places::default();
    seat(&mut places, 1, &[("a", 1)], hour(0));
    places.retain_folders(|id| id != folder(1));
    assert_eq!(places, Places::default());
}

/// Texts without end, of any script, and a tenth of the files for one reason of their own.
fn random_texts(seed: u64, files: usize) -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut text = || -> String {
        match random.u8(..10) {
            0 => "no text layer".to_owned(),
            _ => (0..20).map(|_| random.char('!'..'\u{3000}')).collect(),
        }
    };
    (0..files).map(|_| text()).collect()
}

#[test]
fn a_hundred_thousand_random_texts_give_the_same_few_labels_in_any_order() {
    let limits = ClassLimits {
        portal: 50,
        folder: 10,
    };
    let mut texts = random_texts(7, 100_000);
    let mut labels = Vec::new();
    for _ in 0..2 {
        let mut tally = ErrorTally::new(Arc::default());
        for text in &texts {
            tally.add(Status::Failed, Some(text));
        }
        let rows = Places::default().seat(folder(1), &tally.finish(), limits, hour(0));
        assert_eq!(rows.len(), limits.folder + 1);
        assert_eq!(rows.iter().map(|row| row.files).sum::<u64>(), 100_000);
        assert!(rows.iter().any(|row| row.class.as_str() == "no text layer"));
        labels.push(rows);
        fastrand::Rng::with_seed(8).shuffle(&mut texts);
    }
    assert_eq!(labels[0], labels[1]);
}

fn looks() -> impl Strategy<Value = Vec<(u128, Vec<(String, u64)>)>> {
    let reasons = prop::collection::vec(("[a-j]{0,1}", 1_u64..4), 0..12);
    prop::collection::vec((0_u128..4, reasons), 1..12)
}

proptest! {
    #[test]
    fn no_file_is_lost_no_limit_exceeded_and_no_order_matters(looks in looks()) {
        let (mut places, mut mirrored) = (Places::default(), Places::default());
        let mut failed = BTreeMap::new();
        for (at, (number, reasons)) in (0..).zip(&looks) {
            let reasons: Vec<_> = reasons.iter().map(|(text, files)| (text.as_str(), *files)).collect();
            let backwards: Vec<_> = reasons.iter().rev().copied().collect();
            let rows = seat(&mut places, *number, &reasons, hour(at));
            prop_assert_eq!(&rows, &seat(&mut mirrored, *number, &backwards, hour(at)));
            let files: u64 = reasons.iter().map(|(_, files)| files).sum();
            prop_assert_eq!(rows.iter().map(|(_, files)| files).sum::<u64>(), files);
            failed.insert(folder(*number), files);
            prop_assert!(rows.len() <= LIMITS.folder + 2);
            prop_assert!(places.classes().len() <= LIMITS.portal);
            if at % 3 == 0 {
                let changed = places.choose(LIMITS);
                prop_assert_eq!(&changed, &mirrored.choose(LIMITS));
                for (id, rows) in changed {
                    prop_assert!(rows.len() <= LIMITS.folder + 2);
                    prop_assert_eq!(rows.iter().map(|row| row.files).sum::<u64>(), failed[&id]);
                }
                prop_assert!(places.classes().len() <= LIMITS.portal);
            }
        }
    }
}
