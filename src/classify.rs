//! From an `indexError` to a class: the label `error` of `kb_folder_file_errors`.
//!
//! - [`Classifier`]: the class of a reason, by the rules of the configuration, or else by what masks leave of it: those of the
//!   configuration and the built-in ones. The same text has the same class everywhere and always.
//! - [`ErrorTally`] and [`ClassCounts`]: the files of one folder, counted by class.
//! - [`ClassSlots`]: which classes are shown by a label of their own; the files of all others are `other`.

mod cache;
mod cause;
mod classifier;
mod line;
mod mask;
mod masks;
mod rule;
mod slots;
mod tally;

use std::fmt;
use std::sync::Arc;

pub use classifier::{Classifier, Source};
pub use mask::{Mask, MaskName, MaskPattern};
pub use rule::{Pattern, Rule, RuleClass, RuleError};
pub use slots::{ClassLimits, ClassSlot, ClassSlots, ErrorRow, KnownClass};
pub use tally::{ClassCount, ClassCounts, ClassNumber, ErrorTally};

/// Longest class, in characters (docs/metrics.md: labels have at most 120 characters).
pub const CLASS_CHARACTERS: usize = 120;

/// Words that have a meaning of their own as a class (docs/metrics.md: `kb_folder_file_errors`).
pub const RESERVED: [&str; 3] = ["unspecified", "other", "unread"];

/// A kind of error.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// What the reason says, or what a rule calls it.
    Text(Arc<str>),
    /// No reason was given, or a blank one.
    Unspecified,
    /// The class has no class slot.
    Other,
    /// The file was counted, and its reason was not read.
    Unread,
}

impl Class {
    /// The class of a reason by the built-in masks alone.
    #[must_use]
    pub fn of(reason: Option<&str>) -> Self {
        Self::masked(reason.unwrap_or_default(), &[])
    }

    /// The class of a reason that no rule fits: its cause, masked. Takes time that is linear in its length.
    fn masked(reason: &str, masks: &[Mask]) -> Self {
        let mut line = line::Line::default();
        masks::write(&mask::apply(masks, cause::of(reason)), &mut line);
        match line.finish().as_str() {
            "" => Self::Unspecified,
            // A reason that is one of the reserved words must not be counted as what that word stands for.
            word if RESERVED.contains(&word) => Self::Text(format!("{word} (as given)").into()),
            text => Self::Text(text.into()),
        }
    }

    /// The text of the class; none for the reserved ones.
    #[must_use]
    pub const fn text(&self) -> Option<&Arc<str>> {
        match self {
            Self::Text(text) => Some(text),
            Self::Unspecified | Self::Other | Self::Unread => None,
        }
    }

    /// The value of the label `error`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Unspecified => "unspecified",
            Self::Other => "other",
            Self::Unread => "unread",
        }
    }

    /// The class with this label.
    #[must_use]
    pub fn from_label(label: &str) -> Self {
        let words = [Self::Unspecified, Self::Other, Self::Unread];
        let word = words.into_iter().find(|word| word.as_str() == label);
        word.unwrap_or_else(|| Self::Text(label.into()))
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_that_is_blank_or_missing_is_unspecified() {
        for blank in [None, Some(""), Some(" \n\t ")] {
            assert_eq!(Class::of(blank), Class::Unspecified);
        }
    }

    #[test]
    fn a_reason_cannot_pass_for_a_reserved_class() {
        for word in RESERVED {
            let class = Class::of(Some(&format!(" {word} ")));
            assert_eq!(class.as_str(), format!("{word} (as given)"));
            assert_eq!(Class::of(Some(class.as_str())), class);
        }
    }
}
