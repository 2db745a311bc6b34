//! Which classes get, keep and lose a slot.

mod random;

use std::sync::Arc;

use uuid::Uuid;

use super::*;
use crate::classify::{Classifier, Rule, count_classes};

const PORTAL: usize = 3;
const FOLDER: usize = 2;

fn limits(classifier: &Classifier) -> ClassLimits {
    ClassLimits {
        portal: PORTAL,
        folder: FOLDER,
        rule_classes: classifier.rule_classes(),
    }
}

fn empty() -> ClassSlots {
    ClassSlots::new(limits(&Classifier::default()))
}

fn folder(number: u128) -> FolderId {
    Uuid::from_u128(number).into()
}

fn hour(hours: i64) -> Timestamp {
    Timestamp::from_millis(hours * 3_600_000)
}

fn with_rule(pattern: &str, class: &str) -> Arc<Classifier> {
    let (pattern, class) = (pattern.parse().unwrap(), class.parse().unwrap());
    Arc::new(Classifier::new(vec![Rule { pattern, class }], Vec::new()))
}

fn tally(classifier: &Arc<Classifier>, reasons: &[(&str, u64)]) -> ClassCounts {
    let reasons = reasons.iter().flat_map(|(text, files)| {
        let files = usize::try_from(*files).unwrap();
        std::iter::repeat_n(*text, files)
    });
    tally_of(classifier, reasons)
}

/// Failed files with these reasons.
fn tally_of<'a>(
    classifier: &Arc<Classifier>,
    reasons: impl Iterator<Item = &'a str>,
) -> ClassCounts {
    let classes: Vec<_> = reasons
        .map(|text| classifier.classify(Some(text)))
        .collect();
    let mut counted = ByStatus::default();
    counted[Status::Failed] = classes.len() as u64;
    let files = classes.iter().map(|class| (Status::Failed, class));
    count_classes(files, &counted)
}

fn count(
    slots: &mut ClassSlots,
    number: u128,
    reasons: &[(&str, u64)],
    at: Timestamp,
) -> Vec<(String, u64)> {
    let counts = tally(&Arc::default(), reasons);
    labels(slots.count(folder(number), &counts, &Reasons::default(), at, true))
}

fn labels(rows: Vec<ErrorRow>) -> Vec<(String, u64)> {
    let rows = rows.into_iter();
    rows.map(|row| (row.class.to_string(), row.files)).collect()
}

fn shown(labels: &[(&str, u64)]) -> Vec<(String, u64)> {
    let labels = labels.iter();
    let labels = labels.map(|(label, files)| ((*label).to_owned(), *files));
    labels.collect()
}

fn classes(slots: &ClassSlots) -> Vec<String> {
    let classes = slots.classes();
    classes.keys().map(ToString::to_string).collect()
}

#[test]
fn at_the_end_of_a_collection_the_largest_classes_have_the_slots_whichever_folder_was_read_first() {
    let counts: [(u128, &[(&str, u64)]); 3] = [
        (1, &[("a", 1), ("b", 2)]),
        (2, &[("c", 2), ("d", 3), ("e", 1)]),
        (3, &[("b", 1), ("f", 9)]),
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
        let mut slots = empty();
        let mut folders = BTreeMap::new();
        for (number, reasons) in order.map(|index| counts[index]) {
            let rows = count(&mut slots, number, reasons, hour(0));
            folders.insert(folder(number), rows);
        }
        for (id, rows) in slots.settle() {
            folders.insert(id, labels(rows));
        }
        let expected: [&[(&str, u64)]; 3] = [
            &[("b", 2), ("other", 1)],
            &[("d", 3), ("other", 3)],
            &[("b", 1), ("f", 9)],
        ];
        for (number, expected) in (1..).zip(expected) {
            assert_eq!(folders[&folder(number)], shown(expected), "{order:?}");
        }
        assert_eq!(classes(&slots), ["b", "d", "f"], "{order:?}");
        assert_eq!(slots.settle(), [], "it is over");
    }
}

#[test]
fn the_class_of_a_rule_is_shown_at_once_and_another_loses_its_slot_at_the_end_of_the_collection() {
    let classifier = with_rule("timed out", "timeout");
    let mut slots = ClassSlots::new(limits(&classifier));
    let count = |slots: &mut ClassSlots, number, reasons: &[_]| {
        let counts = tally(&classifier, reasons);
        slots.count(folder(number), &counts, &Reasons::default(), hour(0), true)
    };
    count(&mut slots, 1, &[("a", 9), ("b", 8)]);
    count(&mut slots, 2, &[("c", 7), ("d", 6)]);
    slots.settle();
    assert_eq!(classes(&slots), ["a", "b", "c"]);
    let rows = count(&mut slots, 1, &[("a", 9), ("b", 8), ("timed out", 1)]);
    let expected = [("a", 9), ("timeout", 1), ("other", 8)];
    assert_eq!(labels(rows), shown(&expected));
    slots.settle();
    assert_eq!(classes(&slots), ["a", "c", "timeout"]);
}

#[test]
fn a_class_is_as_old_as_in_the_folder_that_had_it_first() {
    let mut slots = empty();
    count(&mut slots, 1, &[("a", 1)], hour(1));
    count(&mut slots, 2, &[("a", 1)], hour(2));
    let class = &slots.classes()[&Class::from_label("a")];
    assert_eq!((class.first_seen, class.last_seen), (hour(1), hour(2)));
}
