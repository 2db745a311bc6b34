//! From an `indexError` to a class: the label `error` of `kb_folder_file_errors`.
//!
//! A class is the text itself, on one line and cut. How many there may be is bounded: for a folder while it is read
//! ([`ClassCounts`]), and for what is shown of a portal ([`shown_classes`]).

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::model::{FolderId, Status};
use crate::text;

/// Longest class, in characters (contract: labels at most 120 characters).
const CLASS_CHARACTERS: usize = 120;

/// How much of a reason is looked at, in characters.
const READ_CHARACTERS: usize = 2_000;

/// Distinct classes that are told apart while one folder is read.
const MAX_DISTINCT: usize = 2_000;

/// A kind of error.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// What the reason says.
    Text(Arc<str>),
    /// No reason was given, or a blank one.
    Unspecified,
    /// There was no room for a class of its own.
    Other,
}

impl Class {
    /// Classifies a reason as the portal gave it.
    #[must_use]
    pub fn of(reason: Option<&str>) -> Self {
        let read = text::clean(reason.unwrap_or_default(), READ_CHARACTERS);
        match one_spaced(&read).as_str() {
            "" => Self::Unspecified,
            // A reason that is one of the reserved words must not be counted as what that word stands for.
            word @ ("unspecified" | "other" | "unread") => Self::Text(format!("'{word}'").into()),
            line => Self::Text(text::cut(line, CLASS_CHARACTERS).into()),
        }
    }

    /// The value of the label `error`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Unspecified => "unspecified",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text with one space between its words, and none around them.
fn one_spaced(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Files of one folder by status and class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassCounts(HashMap<(Status, Class), u64>);

impl ClassCounts {
    /// Counts one file. Beyond 2,000 classes a new one is [`Class::Other`].
    pub fn add(&mut self, status: Status, class: Class) {
        let key = (status, class);
        if let Some(files) = self.0.get_mut(&key) {
            *files += 1;
        } else if self.0.len() < MAX_DISTINCT {
            self.0.insert(key, 1);
        } else {
            *self.0.entry((status, Class::Other)).or_default() += 1;
        }
    }

    /// Every status and class with its number of files, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Status, &Class, u64)> {
        self.0
            .iter()
            .map(|((status, class), files)| (*status, class, *files))
    }

    /// The classes by number of files, the largest first, then by text.
    fn ranked(&self) -> Vec<(&Class, u64)> {
        let mut files = HashMap::<&Class, u64>::new();
        for (_, class, count) in self.iter() {
            *files.entry(class).or_default() += count;
        }
        ranked(files)
    }
}

/// How many classes may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassLimits {
    /// Of one portal.
    pub portal: usize,
    /// Of one folder.
    pub folder: usize,
}

/// The classes of a portal that have a place, and what they leave over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownClasses {
    /// By folder, sorted by status and class.
    pub folders: HashMap<FolderId, Vec<(Status, Class, u64)>>,
    /// Classes in use, reserved ones not counted.
    pub classes: usize,
    /// Files in the class `other` for want of room.
    pub overflow_files: u64,
}

/// Chooses the classes of a portal that are shown: in each folder those with most files, then in the portal likewise.
#[must_use]
pub fn shown_classes(folders: &[(FolderId, &ClassCounts)], limits: ClassLimits) -> ShownClasses {
    let candidates: Vec<Vec<(&Class, u64)>> = folders
        .iter()
        .map(|(_, counts)| places(counts.ranked(), limits.folder))
        .collect();
    let mut files = HashMap::<&Class, u64>::new();
    for (class, count) in candidates.iter().flatten() {
        *files.entry(class).or_default() += count;
    }
    let admitted: Vec<&Class> = places(ranked(files), limits.portal)
        .into_iter()
        .map(|(class, _)| class)
        .collect();
    let mut shown = ShownClasses {
        classes: admitted.len(),
        ..ShownClasses::default()
    };
    for ((id, counts), candidates) in folders.iter().zip(&candidates) {
        let has_place = |class: &Class| {
            candidates.iter().any(|(candidate, _)| *candidate == class) && admitted.contains(&class)
        };
        let rows = shown_rows(counts, has_place);
        shown.overflow_files += rows
            .iter()
            .filter(|(_, class, _)| *class == Class::Other)
            .map(|(_, _, files)| files)
            .sum::<u64>();
        shown.folders.insert(*id, rows);
    }
    shown
}

/// The first `limit` classes that need a place: reserved ones need none.
fn places(ranked: Vec<(&Class, u64)>, limit: usize) -> Vec<(&Class, u64)> {
    ranked
        .into_iter()
        .filter(|(class, _)| matches!(class, Class::Text(_)))
        .take(limit)
        .collect()
}

fn ranked(files: HashMap<&Class, u64>) -> Vec<(&Class, u64)> {
    let mut ranked: Vec<_> = files.into_iter().collect();
    ranked.sort_unstable_by(|(a, a_files), (b, b_files)| b_files.cmp(a_files).then(a.cmp(b)));
    ranked
}

fn shown_rows(
    counts: &ClassCounts,
    has_place: impl Fn(&Class) -> bool,
) -> Vec<(Status, Class, u64)> {
    let mut rows = HashMap::<(Status, Class), u64>::new();
    for (status, class, files) in counts.iter() {
        let class = match class {
            Class::Text(_) if !has_place(class) => Class::Other,
            _ => class.clone(),
        };
        *rows.entry((status, class)).or_default() += files;
    }
    let mut rows: Vec<_> = rows
        .into_iter()
        .map(|((status, class), files)| (status, class, files))
        .collect();
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn folder(number: u128) -> FolderId {
        Uuid::from_u128(number).into()
    }

    fn counts(reasons: &[(&str, u64)]) -> ClassCounts {
        let mut counts = ClassCounts::default();
        for (reason, files) in reasons {
            for _ in 0..*files {
                counts.add(Status::Failed, Class::of(Some(reason)));
            }
        }
        counts
    }

    const LIMITS: ClassLimits = ClassLimits {
        portal: 50,
        folder: 10,
    };

    #[test]
    fn a_reason_is_one_line_and_cut() {
        assert_eq!(Class::of(Some(" a\n\tb\u{1b} ")).as_str(), "a b\u{fffd}");
        assert_eq!(
            Class::of(Some(&"я".repeat(500))).as_str().chars().count(),
            120
        );
        for blank in [None, Some(""), Some(" \n ")] {
            assert_eq!(Class::of(blank), Class::Unspecified);
        }
    }

    #[test]
    fn a_reason_cannot_pass_for_a_reserved_class() {
        assert_eq!(Class::of(Some("other")).as_str(), "'other'");
        assert_eq!(Class::of(Some(" unread ")).as_str(), "'unread'");
    }

    #[test]
    fn the_largest_classes_have_a_place_and_the_rest_is_other() {
        let first = counts(&[("a", 5), ("b", 3), ("c", 1)]);
        let limits = ClassLimits {
            folder: 2,
            ..LIMITS
        };
        let shown = shown_classes(&[(folder(1), &first)], limits);
        let labels: Vec<_> = shown.folders[&folder(1)]
            .iter()
            .map(|(_, class, files)| (class.as_str(), *files))
            .collect();
        assert_eq!(labels, [("a", 5), ("b", 3), ("other", 1)]);
        assert_eq!((shown.classes, shown.overflow_files), (2, 1));
    }

    #[test]
    fn the_limit_of_a_portal_holds_over_its_folders() {
        let (first, second) = (counts(&[("a", 2)]), counts(&[("b", 2), ("a", 1)]));
        let limits = ClassLimits {
            portal: 1,
            ..LIMITS
        };
        let shown = shown_classes(&[(folder(1), &first), (folder(2), &second)], limits);
        assert_eq!((shown.classes, shown.overflow_files), (1, 2));
    }

    proptest! {
        #[test]
        fn no_file_is_lost_and_no_limit_exceeded(reasons in prop::collection::vec("[a-h]{0,2}", 0..200), limit in 1_usize..6) {
            let mut all = ClassCounts::default();
            for reason in &reasons {
                all.add(Status::Flagged, Class::of(Some(reason)));
            }
            let limits = ClassLimits { portal: limit, folder: limit };
            let shown = shown_classes(&[(folder(1), &all)], limits);
            let rows = &shown.folders[&folder(1)];
            prop_assert_eq!(rows.iter().map(|(_, _, files)| files).sum::<u64>(), reasons.len() as u64);
            prop_assert!(rows.len() <= limit + 2);
        }
    }
}
