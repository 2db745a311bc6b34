//! Random reasons: no file is lost, no limit exceeded, and neither order nor a restart changes a label.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;

/// Random texts of any script; a tenth of the files have one reason in common.
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
fn twenty_thousand_random_texts_give_the_same_few_labels_in_any_order() {
    let limits = ClassLimits {
        portal: 50,
        folder: 10,
        ..ClassLimits::default()
    };
    let mut texts = random_texts(7, 20_000);
    let mut shown = Vec::new();
    for _ in 0..2 {
        let tally = tally_of(&Arc::default(), texts.iter().map(String::as_str));
        let mut slots = ClassSlots::new(limits.clone());
        let rows = slots.count(folder(1), &tally, &Reasons::default(), hour(0), true);
        assert_eq!(slots.of(folder(1)).count(), limits.folder + 1);
        assert_eq!(rows.len(), limits.folder + 1);
        assert_eq!(rows.iter().map(|row| row.files).sum::<u64>(), 20_000);
        assert!(rows.iter().any(|row| row.class.as_str() == "no text layer"));
        shown.push(labels(rows));
        fastrand::Rng::with_seed(8).shuffle(&mut texts);
    }
    assert_eq!(shown[0], shown[1]);
}

fn counts() -> impl Strategy<Value = Vec<(u128, Vec<(String, u64)>)>> {
    let reasons = prop::collection::vec(("[a-j]{0,1}", 1_u64..4), 0..12);
    prop::collection::vec((0_u128..4, reasons), 1..12)
}

proptest! {
    #[test]
    fn no_file_is_lost_no_limit_exceeded_and_neither_order_nor_a_restart_matters(counts in counts()) {
        let (mut slots, mut mirrored) = (empty(), empty());
        let mut failed = BTreeMap::new();
        for (at, (number, reasons)) in (0..).zip(&counts) {
            let reasons: Vec<_> = reasons.iter().map(|(text, files)| (text.as_str(), *files)).collect();
            let backwards: Vec<_> = reasons.iter().rev().copied().collect();
            let rows = count(&mut slots, *number, &reasons, hour(at));
            prop_assert_eq!(&rows, &count(&mut mirrored, *number, &backwards, hour(at)));
            let files: u64 = reasons.iter().map(|(_, files)| files).sum();
            prop_assert_eq!(rows.iter().map(|(_, files)| files).sum::<u64>(), files);
            failed.insert(folder(*number), files);
            prop_assert!(rows.len() <= FOLDER + 2);
            prop_assert!(slots.classes().len() <= PORTAL);
            if at % 3 == 0 {
                let changed = slots.settle();
                for (id, rows) in &changed {
                    prop_assert!(rows.len() <= FOLDER + 2);
                    prop_assert_eq!(rows.iter().map(|row| row.files).sum::<u64>(), failed[id]);
                }
                mirrored.settle();
                prop_assert!(slots.classes().len() <= PORTAL);
                let mut restarted = empty();
                for id in (0..4).map(folder) {
                    restarted.restore(id, mirrored.of(id).cloned().collect());
                }
                mirrored = restarted;
                prop_assert_eq!(slots.classes(), mirrored.classes());
            }
        }
    }
}
