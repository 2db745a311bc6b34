//! Families of reasons, as systems that index documents write them.

use std::collections::BTreeMap;

use super::*;

/// The family's words and its three reasons.
fn family(line: &str) -> (&str, [String; 3]) {
    let (words, pattern) = line.split_once('\t').unwrap();
    let reason = |number: usize| {
        let parts = pattern.split(['⟨', '⟩']).enumerate();
        let parts = parts.map(|(at, part)| match at % 2 {
            0 => part,
            _ => part.split('|').nth(number).unwrap(),
        });
        let reason = parts.collect::<String>().replace("\\n", "\n");
        reason.replace("\\t", "\t").replace("\\r", "\r")
    };
    (words, [0, 1, 2].map(reason))
}

#[test]
fn each_cause_is_one_class() {
    let mut known = BTreeMap::new();
    let lines = include_str!("families.txt").lines();
    for line in lines.filter(|line| !line.starts_with("# ") && line.contains('\t')) {
        let (words, reasons) = family(line);
        for reason in &reasons {
            let class = Classifier::default()
                .explain(Some(&**reason))
                .class
                .to_string();
            assert!(class.contains(words), "{class} does not say {words}");
            let before = known.insert(class.clone(), words);
            assert!(
                before.is_none_or(|before| before == words),
                "{class}: {before:?}, {words}"
            );
        }
        let classes = known.values().filter(|known| **known == words);
        assert_eq!(classes.count(), 1, "{words}: {known:#?}");
    }
}
