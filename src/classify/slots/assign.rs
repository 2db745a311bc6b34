//! Which classes have a slot: a pure function of the classes that hold one, the files of each class, and the number of slots.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use crate::model::{ByStatus, Status};

/// Counts in a row without a file, after which a class loses its slot to one that has files.
const MAX_EMPTY_COUNTS: u32 = 3;

/// A class that holds a slot, or has files.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub class: &'a Arc<str>,
    pub files: ByStatus<u64>,
    /// Counts in a row in which it had no file, where it holds a slot.
    pub empty_counts: Option<u32>,
    /// Whether a rule of the configuration names it.
    pub by_rule: bool,
}

/// The order in which classes get slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A class that a rule names, with files.
    Rule,
    /// It holds a slot and has files.
    Held,
    /// It holds a slot, and had files in one of the last counts.
    RecentlyEmpty,
    /// It has files.
    New,
    /// It holds a slot and has no files.
    Empty,
}

impl Candidate<'_> {
    /// None for a class without slot and files.
    fn rank(&self) -> Option<Rank> {
        let has_files = self.files.total() > 0;
        match self.empty_counts {
            Some(0) | None if self.by_rule && has_files => Some(Rank::Rule),
            Some(0) => Some(Rank::Held),
            Some(empty) if may_lose_slot(empty) => Some(Rank::Empty),
            Some(_) => Some(Rank::RecentlyEmpty),
            None => has_files.then_some(Rank::New),
        }
    }
}

/// Whether a class had no file for so long that it loses its slot to one that has files.
pub(super) const fn may_lose_slot(empty_counts: u32) -> bool {
    empty_counts >= MAX_EMPTY_COUNTS
}

/// The classes that have a slot from now on.
///
/// - Classes of rules that have files always do, even where they are more than there are slots.
/// - Half of the slots are for classes whose files are mostly failed, half for those mostly flagged: for those that hold a slot, then for
///   the largest others. The slots that one half does not need are for all classes.
/// - Beyond that, a class keeps its slot while it has files, and for [`MAX_EMPTY_COUNTS`] counts without; then the largest classes
///   without a slot come first, and among equals the one whose text comes first.
pub(super) fn assign<'a>(
    candidates: impl Iterator<Item = Candidate<'a>>,
    limit: usize,
) -> HashSet<Arc<str>> {
    let ranked = candidates.filter_map(|candidate| {
        let Candidate {
            class,
            files,
            empty_counts,
            ..
        } = candidate;
        let is_flagged = files[Status::Flagged] > files[Status::Failed];
        let order = (candidate.rank()?, Reverse(files.total()), empty_counts);
        Some((order, class, is_flagged))
    });
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_unstable();
    let mut assigned = HashSet::new();
    let mut halves = [0; 2];
    for ((rank, ..), class, is_flagged) in &ranked {
        let half = &mut halves[usize::from(*is_flagged)];
        let is_assigned = match rank {
            Rank::Rule => true,
            Rank::Held | Rank::New => *half < limit / 2 && assigned.len() < limit,
            Rank::RecentlyEmpty | Rank::Empty => false,
        };
        if is_assigned {
            *half += 1;
            assigned.insert(Arc::clone(class));
        }
    }
    for (_, class, _) in &ranked {
        if assigned.len() >= limit {
            break;
        }
        assigned.insert(Arc::clone(class));
    }
    assigned
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A class as `name`, failed and flagged files, counts without a file where it has a slot.
    type Given = (&'static str, [u64; 2], Option<u32>);

    fn assigned(limit: usize, given: &[Given]) -> Vec<String> {
        let classes: Vec<Arc<str>> = given.iter().map(|(class, ..)| Arc::from(*class)).collect();
        let candidates = given.iter().zip(&classes);
        let candidates = candidates.map(|((_, [failed, flagged], empty_counts), class)| {
            let mut files = ByStatus::default();
            files[Status::Failed] = *failed;
            files[Status::Flagged] = *flagged;
            Candidate {
                class,
                files,
                empty_counts: *empty_counts,
                by_rule: class.starts_with("rule"),
            }
        });
        let mut assigned: Vec<_> = assign(candidates, limit)
            .iter()
            .map(ToString::to_string)
            .collect();
        assigned.sort();
        assigned
    }

    #[test]
    fn the_largest_have_the_slots_and_among_equals_the_text_decides() {
        let given = [
            ("d", [1, 0], None),
            ("c", [5, 0], None),
            ("b", [1, 0], None),
            ("none", [0, 0], None),
        ];
        assert_eq!(assigned(2, &given), ["b", "c"]);
        assert_eq!(assigned(9, &given), ["b", "c", "d"]);
    }

    #[test]
    fn who_has_a_slot_keeps_it_while_it_has_files_and_for_three_counts_without() {
        let held = |empty| {
            [
                ("a", [u64::from(empty == 0), 0], Some(empty)),
                ("flood", [500, 0], None),
            ]
        };
        for empty in 0..3 {
            assert_eq!(assigned(1, &held(empty)), ["a"], "{empty}");
        }
        assert_eq!(assigned(1, &held(3)), ["flood"]);
        assert_eq!(
            assigned(2, &held(u32::MAX)),
            ["a", "flood"],
            "nobody needs it"
        );
    }

    #[test]
    fn the_class_that_is_empty_for_longest_gives_its_slot_up_first() {
        let given = [
            ("a", [0, 0], Some(5)),
            ("b", [0, 0], Some(9)),
            ("c", [0, 0], Some(3)),
            ("new", [1, 0], None),
        ];
        assert_eq!(assigned(3, &given), ["a", "c", "new"]);
    }

    #[test]
    fn the_class_of_a_rule_takes_the_slot_of_the_smallest() {
        let given = [
            ("a", [9, 0], Some(0)),
            ("b", [2, 0], Some(0)),
            ("rule", [1, 0], None),
            ("rule without files", [0, 0], None),
        ];
        assert_eq!(assigned(2, &given), ["a", "rule"]);
        assert_eq!(assigned(3, &given), ["a", "b", "rule"]);
    }

    #[test]
    fn classes_of_rules_have_slots_even_where_there_are_too_few() {
        let given = [
            ("a", [9, 0], Some(0)),
            ("rule 1", [1, 0], None),
            ("rule 2", [0, 1], None),
        ];
        assert_eq!(assigned(1, &given), ["rule 1", "rule 2"]);
    }

    #[test]
    fn the_class_of_a_rule_gives_its_slot_up_like_any_other() {
        let given = [("rule", [0, 0], Some(3)), ("a", [1, 0], None)];
        assert_eq!(assigned(1, &given), ["a"]);
    }

    #[test]
    fn a_status_with_few_files_has_half_of_the_slots_when_it_needs_them() {
        let mut given = vec![
            ("a", [90, 0], Some(0)),
            ("b", [80, 0], Some(0)),
            ("c", [70, 0], Some(0)),
            ("d", [60, 0], Some(0)),
        ];
        assert_eq!(assigned(4, &given), ["a", "b", "c", "d"]);
        given.push(("x", [0, 1], None));
        assert_eq!(assigned(4, &given), ["a", "b", "c", "x"]);
        given.extend([("y", [0, 3], None), ("z", [0, 2], None)]);
        assert_eq!(assigned(4, &given), ["a", "b", "y", "z"]);
    }

    #[test]
    fn an_empty_slot_goes_before_one_with_files_when_a_status_needs_its_half() {
        let given = [
            ("a", [1, 0], Some(0)),
            ("b", [1, 0], Some(0)),
            ("c", [1, 0], Some(0)),
            ("was", [0, 0], Some(1)),
            ("x", [0, 1], None),
        ];
        assert_eq!(assigned(4, &given), ["a", "b", "c", "x"]);
    }
}
