//! Which class a reason has, and why.

use crate::classify::{Class, Rule};

/// How much of a reason the rules see: so many bytes of its beginning and as many of its end. What matters in a traceback is
/// its last line.
const SEEN: usize = 4 * 1024;

/// Finds the class of a reason: the first rule that fits, or else the normaliser.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Classifier {
    rules: Vec<Rule>,
}

/// What gave a reason its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source<'a> {
    /// A rule of the configuration.
    Rule {
        /// Its place among the rules, from 1.
        number: usize,
        /// The rule.
        rule: &'a Rule,
    },
    /// No rule fits: ids, numbers, names and times were masked.
    Normaliser,
    /// There is no reason, or a blank one.
    NoReason,
}

impl Classifier {
    /// Tries these rules first, in their order.
    #[must_use]
    pub fn new(rules: Vec<Rule>) -> Self {
        Self { rules }
    }

    /// The class of a reason as the portal gave it.
    #[must_use]
    pub fn classify(&self, reason: Option<&str>) -> Class {
        self.explain(reason).0
    }

    /// The class of a reason, and what gave it.
    #[must_use]
    pub fn explain(&self, reason: Option<&str>) -> (Class, Source<'_>) {
        if let Some((number, rule)) = reason.and_then(|reason| self.rule_for(reason)) {
            return (rule.class.class().clone(), Source::Rule { number, rule });
        }
        match Class::of(reason) {
            class @ Class::Unspecified => (class, Source::NoReason),
            class => (class, Source::Normaliser),
        }
    }

    fn rule_for(&self, reason: &str) -> Option<(usize, &Rule)> {
        if self.rules.is_empty() || reason.trim().is_empty() {
            return None;
        }
        let (beginning, end) = both_ends(reason);
        let mut rules = (1..).zip(&self.rules);
        rules.find(|(_, Rule { pattern, .. })| {
            pattern.fits(beginning) || end.is_some_and(|end| pattern.fits(end))
        })
    }
}

/// The parts of a reason that the rules see: all of it, or its beginning and its end.
fn both_ends(reason: &str) -> (&str, Option<&str>) {
    if reason.len() <= 2 * SEEN {
        return (reason, None);
    }
    let beginning = &reason[..reason.floor_char_boundary(SEEN)];
    let end = &reason[reason.ceil_char_boundary(reason.len() - SEEN)..];
    (beginning, Some(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classifier(rules: &[(&str, &str)]) -> Classifier {
        let rule = |(pattern, class): &(&str, &str)| Rule {
            pattern: pattern.parse().unwrap(),
            class: class.parse().unwrap(),
        };
        Classifier::new(rules.iter().map(rule).collect())
    }

    #[test]
    fn the_first_rule_that_fits_gives_the_class() {
        let classifier = classifier(&[
            ("(?i)timed? ?out", "timeout"),
            ("out", "never"),
            ("^$", "blank"),
        ]);
        let (class, source) = classifier.explain(Some("Request TIMED OUT"));
        assert_eq!(class.as_str(), "timeout");
        assert!(matches!(source, Source::Rule { number: 1, .. }));
        assert_eq!(classifier.classify(Some("out of memory")).as_str(), "never");
    }

    #[test]
    fn no_rule_gives_a_class_to_a_reason_that_is_not_there() {
        let classifier = classifier(&[("", "everything")]);
        for blank in [None, Some(""), Some(" \n")] {
            assert_eq!(
                classifier.explain(blank),
                (Class::Unspecified, Source::NoReason)
            );
        }
        assert_eq!(classifier.classify(Some("x")).as_str(), "everything");
    }

    #[test]
    fn a_reason_without_a_rule_is_normalised() {
        let classifier = classifier(&[("a", "b")]);
        let (class, source) = classifier.explain(Some("no text"));
        assert_eq!((class.as_str(), source), ("no text", Source::Normaliser));
    }

    #[test]
    fn rules_see_the_beginning_and_the_end_of_a_long_reason() {
        let classifier = classifier(&[("^begins", "first"), ("ends$", "last")]);
        let middle = "я".repeat(100_000);
        assert_eq!(
            classifier
                .classify(Some(&format!("begins {middle}")))
                .as_str(),
            "first"
        );
        assert_eq!(
            classifier
                .classify(Some(&format!("{middle} ends")))
                .as_str(),
            "last"
        );
    }
}
