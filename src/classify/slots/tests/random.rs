//! Random reasons: no file is lost, no limit exceeded, and neither order nor a restart changes a label.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

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
