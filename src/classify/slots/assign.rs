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

    /// A number of slots, the classes, and those that are assigned a slot. Each class is written as `name:failed+flagged`, and behind `@`
    /// its counts without a file where it holds a slot. Rules name those that begin with `rule`.
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
        // Classes of rules have slots even where there are too few.
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
        // An empty class loses its slot before one with files when a status needs its half.
        (4, "a:1@0 b:1@0 c:1@0 was:0@1 x:0+1", "a b c x"),
    ];

    #[test]
    fn slots_are_assigned_as_in_the_table() {
        for (limit, given, expected) in CASES {
            let given: Vec<_> = given.split(' ').map(parse).collect();
            let candidates = given.iter().map(|(class, files, empty_counts)| Candidate {
                class,
                files: *files,
                empty_counts: *empty_counts,
                by_rule: class.starts_with("rule"),
            });
            let assigned = assign(candidates, *limit);
            let mut assigned: Vec<_> = assigned.iter().map(|class| &**class).collect();
            assigned.sort_unstable();
            assert_eq!(assigned.join(" "), *expected, "{limit} slots, {given:?}");
        }
    }

    fn parse(text: &str) -> (Arc<str>, ByStatus<u64>, Option<u32>) {
        let (class, text) = text.split_once(':').unwrap();
        let (counts, empty_counts) = match text.split_once('@') {
            Some((counts, empty_counts)) => (counts, Some(empty_counts.parse().unwrap())),
            None => (text, None),
        };
        let (failed, flagged) = counts.split_once('+').unwrap_or((counts, "0"));
        let mut files = ByStatus::default();
        files[Status::Failed] = failed.parse().unwrap();
        files[Status::Flagged] = flagged.parse().unwrap();
        (class.into(), files, empty_counts)
    }
}
