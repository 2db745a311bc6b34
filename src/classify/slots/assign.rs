//! Which classes have a slot: a pure function of the classes that hold one, the files of each class, and the number of slots.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::ClassSlot;
use crate::model::{ByStatus, Status};

/// Counts in a row without a file, after which a class loses its slot to one that has files.
pub(super) const MAX_EMPTY_COUNTS: u32 = 3;

/// The order in which classes get slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A class that a rule names, with files.
    Rule,
    /// A class with more failed files than there are for each slot.
    Large,
    /// It holds a slot and has files.
    Held,
    /// It holds a slot, and had files in one of the last counts.
    RecentlyEmpty,
    New,
    /// It holds a slot and has no files.
    Empty,
}

/// The classes that have a slot from now on.
///
/// - Classes of rules that have files always do, even if they are more than there are slots.
/// - So do classes with more failed files than there are for each slot: with twenty slots, more than one in twenty.
/// - Half of the slots are for classes whose files are mostly failed, half for those mostly flagged: for those that hold a slot, then for
///   the largest others. The slots that one half does not need are for all classes.
/// - Beyond that, a class keeps its slot while it has files, and for [`MAX_EMPTY_COUNTS`] counts without; then the largest classes
///   without a slot come first, and among equals the one whose text comes first.
///
/// A class has the files of all its `slots`, of which some may be new; `held` has the classes that held one before.
pub(super) fn assign<'a>(
    slots: impl Iterator<Item = &'a ClassSlot>,
    held: &HashSet<Arc<str>>,
    limit: usize,
    rule_classes: &HashSet<Arc<str>>,
) -> HashSet<Arc<str>> {
    let mut classes = HashMap::<_, (ByStatus<u64>, Option<u32>)>::new();
    for slot in slots {
        let empty_counts = held.contains(&slot.class).then_some(slot.empty_counts);
        let new = (ByStatus::default(), empty_counts);
        let (files, least_empty) = classes.entry(&slot.class).or_insert(new);
        *files += slot.files;
        *least_empty = empty_counts.min(*least_empty);
    }
    let failed: u64 = classes
        .values()
        .map(|(files, _)| files[Status::Failed])
        .sum();
    let mut ranked = Vec::new();
    for (class, (files, empty_counts)) in classes {
        let has_files = files.total() > 0;
        let rank = match empty_counts {
            Some(0) | None if has_files && rule_classes.contains(class) => Rank::Rule,
            _ if files[Status::Failed] * limit as u64 > failed => Rank::Large,
            Some(0) => Rank::Held,
            Some(MAX_EMPTY_COUNTS..) => Rank::Empty,
            Some(_) => Rank::RecentlyEmpty,
            None if has_files => Rank::New,
            None => continue,
        };
        let order = (rank, Reverse(files.total()), empty_counts);
        ranked.push((order, class, files[Status::Flagged] > files[Status::Failed]));
    }
    ranked.sort_unstable();
    let rules = ranked.iter().filter(|((rank, ..), ..)| *rank == Rank::Rule);
    let slots = limit.max(rules.count());
    let mut halves = [limit / 2; 2];
    let ranked = ranked.into_iter();
    let (first, others): (Vec<_>, Vec<_>) = ranked.partition(|((rank, ..), _, is_flagged)| {
        let free = &mut halves[usize::from(*is_flagged)];
        let is_in_half =
            matches!(rank, Rank::Rule | Rank::Large | Rank::Held | Rank::New) && *free > 0;
        *free -= usize::from(is_in_half);
        is_in_half || matches!(rank, Rank::Rule | Rank::Large)
    });
    let in_order = first.into_iter().chain(others).take(slots);
    in_order.map(|(_, class, _)| Arc::clone(class)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::ClassCount;
    use crate::model::Timestamp;

    /// A number of slots, the classes, and those that are assigned a slot. Each class is written as `name:failed+flagged`, and behind `@`
    /// its counts without a file if it holds a slot. Rules name those that begin with `rule`.
    const CASES: &[(usize, &str, &str)] = &[
        // The largest classes have the slots; among equals, the text decides.
        (2, "d:1 c:5 b:1 none:0", "b c"),
        (9, "d:1 c:5 b:1 none:0", "b c d"),
        // A class keeps its slot while it has files, and for three counts without.
        (1, "a:1@0 flood:500", "a"),
        (1, "a:0@1 flood:500", "a"),
        (1, "a:0@2 flood:500", "a"),
        (1, "a:0@3 flood:500", "flood"),
        (2, "a:0@4294967295 flood:500", "a flood"),
        // The class that has been empty for longest loses its slot first.
        (3, "a:0@5 b:0@9 c:0@3 new:1", "a c new"),
        // The class of a rule gets the slot of the smallest.
        (2, "a:9@0 b:2@0 rule:1 rule-without-files:0", "a rule"),
        (3, "a:9@0 b:2@0 rule:1 rule-without-files:0", "a b rule"),
        // Classes of rules have slots even if there are too few.
        (1, "a:9@0 rule-1:1 rule-2:0+1", "rule-1 rule-2"),
        // The class of a rule can lose its slot, too.
        (1, "rule:0@3 a:1", "a"),
        // A status with few files has half of the slots when it needs them.
        (4, "a:90@0 b:80@0 c:70@0 d:60@0", "a b c d"),
        (4, "a:90@0 b:80@0 c:70@0 d:60@0 x:0+1", "a b c x"),
        (
            4,
            "a:90@0 b:80@0 c:70@0 d:60@0 x:0+1 y:0+3 z:0+2",
            "a b y z",
        ),
        // A class with more failed files than there are for each slot has one, whoever holds them.
        (3, "a:1@0 b:1@0 c:1@0 flood:500", "a b flood"),
        (4, "a:50 b:40 c:5@0 d:5@0 x:0+1@0", "a b c x"),
        // An empty class loses its slot before one with files when a status needs its half.
        (4, "a:1@0 b:1@0 c:1@0 was:0@1 x:0+1", "a b c x"),
    ];

    #[test]
    fn slots_are_assigned_as_in_the_table() {
        for (limit, given, expected) in CASES {
            let slots: Vec<_> = given.split(' ').map(parse).collect();
            let classes = |is_in: fn(&str) -> bool| -> HashSet<_> {
                let words = given.split(' ').filter(|word| is_in(word));
                words.map(|word| class_of(word).into()).collect()
            };
            let (held, by_rule) = (
                classes(|word| word.contains('@')),
                classes(|word| word.starts_with("rule")),
            );
            let assigned = assign(slots.iter(), &held, *limit, &by_rule);
            let mut assigned: Vec<_> = assigned.iter().map(|class| &**class).collect();
            assigned.sort_unstable();
            assert_eq!(assigned.join(" "), *expected, "{limit} slots, {given:?}");
        }
    }

    fn class_of(word: &str) -> &str {
        word.split_once(':').unwrap().0
    }

    fn parse(word: &str) -> ClassSlot {
        let (class, text) = word.split_once(':').unwrap();
        let (counts, empty_counts) = text.split_once('@').unwrap_or((text, "0"));
        let (failed, flagged) = counts.split_once('+').unwrap_or((counts, "0"));
        let mut count = ClassCount::default();
        count.files[Status::Failed] = failed.parse().unwrap();
        count.files[Status::Flagged] = flagged.parse().unwrap();
        let new = ClassSlot::new(&class.into(), &count, Timestamp::from_millis(0));
        ClassSlot {
            files: count.files,
            empty_counts: empty_counts.parse().unwrap(),
            ..new
        }
    }
}
