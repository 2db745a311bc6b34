//! Masks of the operator: `errors.masks` of the configuration.

use std::borrow::Cow;
use std::str::FromStr;

use crate::classify::cause;
use crate::classify::{Pattern, RuleError};

/// Longest name of a mask, in characters.
pub(super) const MASK_NAME_CHARACTERS: usize = 31;

/// Replaces what differs from file to file by a placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    /// What is written instead.
    pub name: MaskName,
    /// What is replaced.
    pub pattern: MaskPattern,
}

/// The name of a mask, which stands in classes as `<name>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskName(String);

/// A regular expression that fits no empty text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskPattern(Pattern);

/// A text with the masks applied one after the other. It never grows beyond what is classified.
pub(super) fn apply<'a>(masks: &[Mask], mut text: Cow<'a, str>) -> Cow<'a, str> {
    for Mask { name, pattern } in masks {
        if let Cow::Owned(masked) = pattern.0.replace(&text, &name.0) {
            text = Cow::Owned(cause::start_of(&masked).to_owned());
        }
    }
    text
}

impl MaskName {
    /// What is written instead of a text.
    pub(super) fn placeholder(&self) -> &str {
        &self.0
    }
}

impl FromStr for MaskName {
    type Err = RuleError;

    fn from_str(name: &str) -> Result<Self, RuleError> {
        let is_of_name = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
        let is_name = name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.bytes().all(is_of_name);
        if !is_name || name.len() > MASK_NAME_CHARACTERS {
            return Err(RuleError::MaskName);
        }
        Ok(Self(format!("<{name}>")))
    }
}

impl MaskPattern {
    /// The expression as it was written.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for MaskPattern {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let pattern: Pattern = text.parse()?;
        if pattern.fits("") {
            return Err(RuleError::FitsNothing);
        }
        Ok(Self(pattern))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::Classifier;

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
    fn other_masks_are_another_version() {
        let version = |masks: &[Mask]| Classifier::new(Vec::new(), masks.to_vec()).version();
        let masks = [mask("a", "x"), mask("b", "y")];
        assert_eq!(version(&masks), version(&masks));
        assert_ne!(version(&masks), version(&masks[..1]));
        assert_ne!(version(&[]), version(&masks[..1]));
    }

    #[test]
    fn masks_that_feed_on_one_another_write_no_long_text() {
        let masks: Vec<_> = (0..50)
            .map(|_| mask("aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "[a ]"))
            .collect();
        let class = Classifier::new(Vec::new(), masks).classify(Some(&"a ".repeat(5_000)));
        assert!(class.as_str().chars().count() <= 120, "{class}");
    }

    #[test]
    fn a_mask_has_a_name_and_fits_something() {
        for name in ["", "A", "1a", "a b", "<a>", &"a".repeat(32)] {
            assert_eq!(name.parse::<MaskName>(), Err(RuleError::MaskName), "{name}");
        }
        assert_eq!("a*".parse::<MaskPattern>(), Err(RuleError::FitsNothing));
        assert!(matches!(
            "(".parse::<MaskPattern>(),
            Err(RuleError::Pattern(_))
        ));
    }
}
