//! From an `indexError` to a class: the label `error` of `kb_folder_file_errors`.
//!
//! - [`Classifier`]: the class of a reason, by the rules of the configuration, or else the text after the masks of the
//!   configuration and the built-in ones. The same text has the same class everywhere and always.
//! - [`Reasons`]: what is kept of the reasons of one read. [`ClassCounts`]: the files of one folder, counted by class.
//! - [`ClassSlots`]: which classes are shown by a label of their own; the files of all others are `other`.

mod classifier;
mod expression;
mod line;
mod masks;
mod newest;
mod own_name;
mod reader;
mod rule;
mod secrets;
mod slots;
mod tally;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use classifier::{Classifier, Explanation};
pub use masks::Taken;
pub use newest::{NamedFile, NewestFiles};
pub use rule::{Mask, MaskName, Pattern, Rule, RuleError};
pub use secrets::hide as hide_secrets;
pub use slots::{ClassLimits, ClassSlot, ClassSlots, ErrorRow, Growth, KnownClass};
pub use tally::{ClassCounts, Reasons, count_classes};

/// Longest class, in characters (docs/metrics.md: labels have at most 120 characters).
pub const CLASS_CHARACTERS: usize = 120;

/// Words that are reserved as a class (docs/metrics.md: `kb_folder_file_errors`).
pub const RESERVED: [&str; 3] = ["unspecified", "other", "unread"];

/// The reason of a file as the portal gave it.
#[derive(Debug, Clone, Copy)]
pub struct Reason<'a> {
    pub text: Option<&'a str>,
    /// The name of the file; empty if it is not known.
    pub file: &'a str,
}

impl<'a> From<Option<&'a str>> for Reason<'a> {
    fn from(text: Option<&'a str>) -> Self {
        Self { text, file: "" }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// No reason was given, or a blank one.
    Unspecified,
    /// The class has no class slot.
    Other,
    /// The file was counted, and its reason was not read.
    Unread,
    /// What the reason says, or what a rule calls it.
    ///
    /// Behind a pointer of one word: each of many files has a class.
    #[serde(untagged)]
    Text(Arc<String>),
}

impl Class {
    /// The value of the label `error`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Unspecified => "unspecified",
            Self::Other => "other",
            Self::Unread => "unread",
        }
    }

    pub fn from_label(label: &str) -> Self {
        match label {
            "unspecified" => Self::Unspecified,
            "other" => Self::Other,
            "unread" => Self::Unread,
            text => Self::Text(text.to_owned().into()),
        }
    }

    pub(crate) const fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
