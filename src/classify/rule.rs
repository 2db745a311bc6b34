//! Rules of the operator: `errors.rules` of the configuration.

use std::borrow::Cow;
use std::str::FromStr;
use std::sync::Arc;

use regex::{NoExpand, Regex, RegexBuilder};
use thiserror::Error;

use crate::classify::mask::MASK_NAME_CHARACTERS;
use crate::classify::{CLASS_CHARACTERS, Class, RESERVED};
use crate::text;

/// Largest compiled expression, in bytes: enough for thousands of words.
const MAX_COMPILED: usize = 1024 * 1024;

/// Gives a class to every reason that a pattern fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// What is looked for in a reason.
    pub pattern: Pattern,
    /// The class.
    pub class: RuleClass,
}

/// A regular expression, bounded in size and linear in the text that it is tried on.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

/// The class that a rule gives: a label that is none of the reserved ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleClass(Class);

/// Why a part of a rule is refused: the end of a sentence that begins with the text and "is not".
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RuleError {
    /// It cannot be compiled.
    #[error("a regular expression: {0}")]
    Pattern(String),
    /// The class is one of the [`RESERVED`] ones.
    #[error(
        "a class that a rule can give: unspecified, other and unread have a meaning of their own"
    )]
    Reserved,
    /// It is no name of a placeholder.
    #[error("a name of a mask: 1 to {MASK_NAME_CHARACTERS} of a-z, 0-9, _ and -, a letter first")]
    MaskName,
    /// It would put a placeholder between any two characters.
    #[error("an expression for a mask: it fits a text that is empty")]
    FitsNothing,
    /// It is no value of a label.
    #[error("a class: 1 to {CLASS_CHARACTERS} characters on one line, no blank around them")]
    NoLabel,
}

impl Pattern {
    /// Whether the expression is found in a text.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// A text with a placeholder wherever the expression is found.
    pub(super) fn replace<'a>(&self, text: &'a str, placeholder: &str) -> Cow<'a, str> {
        self.0.replace_all(text, NoExpand(placeholder))
    }

    /// The expression as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for Pattern {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        RegexBuilder::new(text)
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(MAX_COMPILED)
            .build()
            .map(Self)
            .map_err(|error| RuleError::Pattern(cause(&error)))
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Pattern {}

/// The last line of an error: the library shows the expression on the lines before it.
fn cause(error: &regex::Error) -> String {
    let words = error.to_string();
    let last = words.lines().last().unwrap_or_default();
    let cause = last.strip_prefix("error: ").unwrap_or(last);
    text::one_line(cause).into_owned()
}

impl RuleClass {
    /// The class.
    #[must_use]
    pub fn class(&self) -> &Class {
        &self.0
    }
}

impl FromStr for RuleClass {
    type Err = RuleError;

    fn from_str(word: &str) -> Result<Self, RuleError> {
        let characters = word.chars().count();
        if RESERVED.contains(&word) {
            return Err(RuleError::Reserved);
        }
        if !(1..=CLASS_CHARACTERS).contains(&characters)
            || word.trim() != word
            || word.chars().any(text::is_unsafe)
        {
            return Err(RuleError::NoLabel);
        }
        Ok(Self(Class::Text(Arc::from(word))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_that_is_none_says_what_is_wrong_on_one_line() {
        let error = "(unclosed".parse::<Pattern>().unwrap_err();
        assert_eq!(error.to_string(), "a regular expression: unclosed group");
    }

    #[test]
    fn an_expression_that_would_be_huge_is_refused() {
        let error = r"\w{900}{900}".parse::<Pattern>().unwrap_err();
        assert!(matches!(error, RuleError::Pattern(_)), "{error}");
    }

    #[test]
    fn a_class_is_a_label_and_none_of_the_reserved_ones() {
        let class = |word: &str| word.parse::<RuleClass>();
        assert_eq!(class("time out").unwrap().class().as_str(), "time out");
        for word in RESERVED {
            assert_eq!(class(word), Err(RuleError::Reserved));
        }
        for word in ["", " ", " a", "a\nb", "a\u{202e}b", &"a".repeat(121)] {
            assert_eq!(class(word), Err(RuleError::NoLabel), "{word:?}");
        }
    }
}
