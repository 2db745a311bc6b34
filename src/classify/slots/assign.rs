//! Which classes have a slot: a pure function of the classes that hold one, the files of each class, and the number of slots.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::classify::Class;
use crate::model::{ByStatus, Status};

/// The order in which classes get slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A class that a rule names.
    Rule,
    /// Its share of the failed or of the flagged files is larger than that of a slot: with twenty slots, more than one in twenty.
    Large,
    /// It holds a slot and has files.
    Held,
    New,
    /// It holds a slot and has no files.
    Empty,
}

/// The shares of a class are computed in this number of parts.
const PARTS: u64 = 1 << 30;

/// The classes that have a slot from now on, those that need it most first: by rank, and then by their larger share, of the failed or of the
/// flagged files. Among equals, the one whose text comes first. Classes of rules have a slot even if they are more than there are slots.
///
/// A class has the sum of its `files`, of which some may be none; `held` has the classes that held a slot before.
pub(super) fn assign<'a>(
    files: impl Iterator<Item = (&'a Class, ByStatus<u64>)>,
    held: &HashSet<Class>,
    limit: usize,
    rule_classes: &HashSet<Class>,
) -> Vec<Class> {
    let mut classes = HashMap::<_, ByStatus<u64>>::new();
    let mut all = ByStatus::default();
    let texts = files.filter(|(class, _)| class.is_text());
    for (class, files) in texts.filter(|(class, files)| files.total() > 0 || held.contains(*class))
    {
        *classes.entry(class).or_default() += files;
        all += files;
    }
    let share = |files: &ByStatus<u64>, status: Status| {
        files[status].saturating_mul(PARTS) / all[status].max(1)
    };
    let ranked = classes.iter().map(|(class, files)| {
        let [failed, flagged] = Status::WITH_REASON.map(|status| share(files, status));
        let share = failed.max(flagged);
        let rank = match held.contains(*class) {
            _ if files.total() == 0 => Rank::Empty,
            _ if rule_classes.contains(*class) => Rank::Rule,
            _ if share * limit as u64 > PARTS => Rank::Large,
            true => Rank::Held,
            false => Rank::New,
        };
        (rank, Reverse(share), *class)
    });
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_unstable();
    let rules = ranked.iter().filter(|(rank, ..)| *rank == Rank::Rule);
    let slots = limit.max(rules.count());
    let first = ranked.into_iter().take(slots);
    first.map(|(_, _, class)| class.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number of slots, the classes, and those that are assigned a slot. Each class is written as `name:failed+flagged`, with `@` behind it
    /// if it holds a slot. Rules name those that begin with `rule`.
    const CASES: &[(usize, &str, &str)] = &[
        // The largest classes have the slots; among equals, the text decides.
        (2, "d:1 c:5 b:1 none:0", "c b"),
        (9, "d:1 c:5 b:1 none:0", "c b d"),
        // A class keeps its slot while it has files, and without files until another one needs it.
        (1, "a:1@ flood:500", "a"),
        (1, "a:0@ flood:500", "flood"),
        (2, "a:0@ flood:500", "flood a"),
        // The class of a rule gets the slot of the smallest.
        (2, "a:9@ b:2@ rule:1 rule-without-files:0", "rule a"),
        (3, "a:9@ b:2@ rule:1 rule-without-files:0", "rule a b"),
        // Classes of rules have slots even if there are too few.
        (1, "a:9@ rule-1:1 rule-2:0+1", "rule-2 rule-1"),
        // The class of a rule can lose its slot, too.
        (1, "rule:0@ a:1", "a"),
        // A class with more of the failed files, or of the flagged ones, than there are for each slot has one, whoever holds them.
        (3, "a:1@ b:1@ c:1@ flood:500", "flood a b"),
        (4, "a:90@ b:80@ c:70@ d:60@", "a b c d"),
        (4, "a:90@ b:80@ c:70@ d:60@ x:0+1", "x a b c"),
        (4, "a:90@ b:80@ c:70@ d:60@ x:0+1 y:0+3 z:0+2", "y z a b"),
        (4, "a:50 b:40 c:5@ d:5@ x:0+1@", "x a b c"),
    ];

    #[test]
    fn slots_are_assigned_as_in_the_table() {
        for (limit, given, expected) in CASES {
            let slots: Vec<_> = given.split(' ').map(parse).collect();
            let classes = |is_in: fn(&str) -> bool| -> HashSet<_> {
                let words = given.split(' ').filter(|word| is_in(word));
                words.map(|word| parse(word).0).collect()
            };
            let held = classes(|word| word.ends_with('@'));
            let by_rule = classes(|word| word.starts_with("rule"));
            let files = slots.iter().map(|(class, files)| (class, *files));
            let assigned = assign(files, &held, *limit, &by_rule);
            assert_eq!(
                assigned
                    .iter()
                    .map(Class::as_str)
                    .collect::<Vec<_>>()
                    .join(" "),
                *expected,
                "{limit} slots, {given:?}"
            );
        }
    }

    fn parse(word: &str) -> (Class, ByStatus<u64>) {
        let (class, counts) = word.trim_end_matches('@').split_once(':').unwrap();
        let (failed, flagged) = counts.split_once('+').unwrap_or((counts, "0"));
        let mut files = ByStatus::default();
        files[Status::Failed] = failed.parse().unwrap();
        files[Status::Flagged] = flagged.parse().unwrap();
        (Class::from_label(class), files)
    }
}
