//! Rules and masks of the operator: `errors.rules` and `errors.masks` of the configuration.

use std::fmt;
use std::str::FromStr;

use regex::Regex;
use thiserror::Error;

use crate::classify::masks::Taken;
use crate::classify::{CLASS_CHARACTERS, Class, RESERVED, reader};
use crate::text;

/// Longest name of a mask, in characters.
const MASK_NAME_CHARACTERS: usize = 31;

/// Gives a class to every reason that matches a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The pattern in a reason.
    pub pattern: Pattern,
    pub class: Class,
}

/// Replaces parts that differ from file to file by a placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    pub name: MaskName,
    pub pattern: Pattern,
}

/// A regular expression, bounded in size and linear in the text that it is tried on.
#[derive(Debug, Clone)]
pub struct Pattern(pub(super) Regex);

/// The placeholder of a mask: its name as `<name>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskName(pub(super) String);

/// Why a part of a rule or a mask is refused: the end of a sentence that begins with "expected".
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct RuleError(String);

impl Mask {
    /// A text with the placeholder wherever the pattern finds a part of it. It never grows beyond the length that is classified.
    pub(super) fn apply(&self, text: &str, taken: &mut Vec<Taken>) -> String {
        let mut masked = String::new();
        let mut read = 0;
        let found = self.pattern.0.find_iter(text);
        for part in found.filter(|part| !part.is_empty()) {
            masked += &text[read..part.start()];
            masked += &self.name.0;
            read = part.end();
            taken.push(Taken::new(&self.name.0, part.as_str()));
        }
        masked += &text[read..];
        reader::start_of(&masked).to_owned()
    }
}

impl Pattern {
    /// The expression as it was written.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for Pattern {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        Regex::new(text).map(Self).map_err(|error| {
            // The library shows the expression on the lines before the last one.
            let words = error.to_string();
            let cause = words.lines().last().unwrap_or_default();
            let cause = text::one_line(cause.trim_start_matches("error: "));
            RuleError(format!("a regular expression: {cause}"))
        })
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Pattern {}

/// The class that a rule gives: a label that is none of the reserved ones.
impl FromStr for Class {
    type Err = RuleError;

    fn from_str(word: &str) -> Result<Self, RuleError> {
        let is_line = word.trim() == word && !word.chars().any(text::is_unsafe);
        if RESERVED.contains(&word) {
            let error = "a class that a rule can give: unspecified, other and unread are reserved";
            Err(RuleError(error.to_owned()))
        } else if is_line && (1..=CLASS_CHARACTERS).contains(&word.chars().count()) {
            Ok(Self::Text(word.to_owned().into()))
        } else {
            Err(RuleError(format!(
                "a class: 1 to {CLASS_CHARACTERS} characters on one line, without spaces around it"
            )))
        }
    }
}

impl FromStr for MaskName {
    type Err = RuleError;

    fn from_str(name: &str) -> Result<Self, RuleError> {
        let is_of_name = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
        let begins = name.starts_with(|first: char| first.is_ascii_lowercase());
        if begins && name.len() <= MASK_NAME_CHARACTERS && name.bytes().all(is_of_name) {
            return Ok(Self(format!("<{name}>")));
        }
        Err(RuleError(format!(
            "a name of a mask: 1 to {MASK_NAME_CHARACTERS} of a-z, 0-9, _ and -, a letter first"
        )))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for MaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_matches(['<', '>']))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::Classifier;

    #[test]
    fn a_class_is_a_label_and_none_of_the_reserved_ones() {
        let class = |word: &str| word.parse::<Class>();
        assert_eq!(class("time out").unwrap().as_str(), "time out");
        for word in RESERVED {
            let error = class(word).unwrap_err().to_string();
            assert!(error.starts_with("a class that a rule can give"), "{error}");
        }
        for word in ["", " ", " a", "a\nb", "a\u{202e}b", &"a".repeat(121)] {
            let error = class(word).unwrap_err().to_string();
            assert!(
                error.starts_with("a class: 1 to 120 characters"),
                "{word:?}: {error}"
            );
        }
    }

    fn mask(name: &str, pattern: &str) -> Mask {
        Mask {
            name: name.parse().unwrap(),
            pattern: pattern.parse().unwrap(),
        }
    }

    #[test]
    fn masks_come_before_the_built_in_ones_in_their_order() {
        let reason = Some("tenant acme-12 of acme is over 5 GB");
        let built_in = Classifier::default().classify(reason);
        assert_eq!(built_in.as_str(), "tenant <n> of acme is over <n>");
        let masks = vec![mask("quota", r"over \d+ GB"), mask("tenant", "acme[-0-9]*")];
        let class = Classifier::new(Vec::new(), masks).classify(reason);
        assert_eq!(class.as_str(), "tenant <tenant> of <tenant> is <quota>");
    }

    #[test]
    fn masks_that_feed_on_one_another_write_no_long_text() {
        let masks: Vec<_> = (0..50)
            .map(|_| mask("aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "[a ]"))
            .collect();
        let class = Classifier::new(Vec::new(), masks).classify(Some("a ".repeat(5_000).as_str()));
        assert!(class.as_str().chars().count() <= 120, "{class}");
    }

    #[test]
    fn a_mask_has_a_name_and_fits_something() {
        for name in ["", "A", "1a", "a b", "<a>", &"a".repeat(32)] {
            let error = name.parse::<MaskName>().unwrap_err().to_string();
            assert!(
                error.starts_with("a name of a mask: 1 to 31 of"),
                "{name}: {error}"
            );
        }
        let masks = vec![mask("tenant", "(acme)*")];
        let class = Classifier::new(Vec::new(), masks).classify(Some("no acme here"));
        assert_eq!(class.as_str(), "no <tenant> here");
    }
}
