//! Which class a reason has, and why.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

use crate::classify::cache::Cache;
use crate::classify::{Class, Mask, Rule};

/// The version of the built-in masks: a change by which a reason may get another class increases it.
const NORMALISER: &str = "4";

/// Rules are tried on so many bytes of the beginning of a reason, and on as many of its end: a traceback has the cause in its last line.
const RULE_BYTES: usize = 4 * 1024;

/// Finds the class of a reason: that of the first rule that fits, or else what the masks leave of it.
#[derive(Debug)]
pub struct Classifier {
    rules: Vec<Rule>,
    masks: Vec<Mask>,
    version: Uuid,
    cache: Mutex<Cache>,
}

/// What gave a reason its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source<'a> {
    /// A rule of the configuration.
    Rule {
        /// Its number among the rules, from 1.
        number: usize,
        /// The rule.
        rule: &'a Rule,
    },
    /// No rule fits: ids, numbers, names and times were masked.
    Masks,
    /// There is no reason, or a blank one.
    NoReason,
}

impl Default for Classifier {
    /// Without rules and with the built-in masks only.
    fn default() -> Self {
        Self::new(Vec::new(), Vec::new())
    }
}

impl Classifier {
    /// Tries these rules first, in their order, and then these masks before the built-in ones.
    #[must_use]
    pub fn new(rules: Vec<Rule>, masks: Vec<Mask>) -> Self {
        Self {
            version: version(&rules, &masks),
            rules,
            masks,
            cache: Mutex::default(),
        }
    }

    /// Identifies the rules and masks: classifiers of one version give a reason the same class, in every process.
    #[must_use]
    pub const fn version(&self) -> Uuid {
        self.version
    }

    /// The classes that the rules name.
    #[must_use]
    pub fn rule_classes(&self) -> HashSet<Arc<str>> {
        let classes = self.rules.iter().map(|rule| rule.class.class());
        classes.filter_map(Class::text).cloned().collect()
    }

    /// The class of a reason as the portal gave it. For a text that was classified lately it costs a look-up.
    #[must_use]
    pub fn classify(&self, reason: Option<&str>) -> Class {
        let Some(text) = reason else {
            return Class::Unspecified;
        };
        let cache = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cache().get(text);
        known.unwrap_or_else(|| {
            let class = self.explain(reason).0;
            cache().insert(text, &class);
            class
        })
    }

    /// The class of a reason, and what gave it.
    #[must_use]
    pub fn explain(&self, reason: Option<&str>) -> (Class, Source<'_>) {
        if let Some((number, rule)) = reason.and_then(|reason| self.rule_for(reason)) {
            return (rule.class.class().clone(), Source::Rule { number, rule });
        }
        match Class::masked(reason.unwrap_or_default(), &self.masks) {
            class @ Class::Unspecified => (class, Source::NoReason),
            class => (class, Source::Masks),
        }
    }

    fn rule_for(&self, reason: &str) -> Option<(usize, &Rule)> {
        if self.rules.is_empty() || reason.trim().is_empty() {
            return None;
        }
        let (beginning, end) = if reason.len() <= 2 * RULE_BYTES {
            (reason, None)
        } else {
            let end = reason.ceil_char_boundary(reason.len() - RULE_BYTES);
            let beginning = &reason[..reason.floor_char_boundary(RULE_BYTES)];
            (beginning, Some(&reason[end..]))
        };
        let mut rules = (1..).zip(&self.rules);
        rules.find(|(_, Rule { pattern, .. })| {
            pattern.fits(beginning) || end.is_some_and(|end| pattern.fits(end))
        })
    }
}

fn version(rules: &[Rule], masks: &[Mask]) -> Uuid {
    let mut words = vec![NORMALISER];
    for Rule { pattern, class } in rules {
        words.extend([pattern.as_str(), class.class().as_str()]);
    }
    for Mask { name, pattern } in masks {
        words.extend(["mask", name.placeholder(), pattern.as_str()]);
    }
    Uuid::new_v5(&Uuid::NAMESPACE_OID, words.join("\0").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classifier(rules: &[(&str, &str)]) -> Classifier {
        let rule = |(pattern, class): &(&str, &str)| Rule {
            pattern: pattern.parse().unwrap(),
            class: class.parse().unwrap(),
        };
        Classifier::new(rules.iter().map(rule).collect(), Vec::new())
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
    fn other_rules_or_another_order_of_them_is_another_version() {
        let rules = [("a", "first"), ("b", "second")];
        let version = classifier(&rules).version();
        assert_eq!(version, classifier(&rules).version());
        for others in [&rules[..1], &[("b", "second"), ("a", "first")], &[]] {
            assert_ne!(classifier(others).version(), version);
        }
    }

    #[test]
    fn no_rule_gives_a_class_to_a_reason_that_is_not_there() {
        let classifier = classifier(&[("", "everything")]);
        for blank in [None, Some(""), Some(" \n")] {
            let explained = classifier.explain(blank);
            assert_eq!(explained, (Class::Unspecified, Source::NoReason));
        }
        assert_eq!(classifier.classify(Some("x")).as_str(), "everything");
    }

    #[test]
    fn a_reason_without_a_rule_is_masked() {
        let classifier = classifier(&[("a", "b")]);
        let (class, source) = classifier.explain(Some("no text"));
        assert_eq!((class.as_str(), source), ("no text", Source::Masks));
    }

    #[test]
    fn rules_are_tried_on_the_beginning_and_the_end_of_a_long_reason() {
        let classifier = classifier(&[("^begins", "first"), ("ends$", "last")]);
        let middle = "я".repeat(100_000);
        let class = |reason: String| classifier.classify(Some(&reason)).to_string();
        assert_eq!(class(format!("begins {middle}")), "first");
        assert_eq!(class(format!("{middle} ends")), "last");
    }
}
