//! Which class a reason has, and why.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use foldhash::quality::RandomState;

use crate::classify::masks::Taken;
use crate::classify::{Class, Mask, RESERVED, Reason, Rule, masks, own_name, reader, secrets};

/// The classes of texts that were classified recently.
type Recent = HashMap<Box<str>, Class, RandomState>;

const MAX_RECENT: usize = 4_096;

const MAX_RECENT_BYTES: usize = 2 << 10;

/// Why a reason has its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation<'c> {
    pub class: Class,
    /// The rule that gave it, and its number, from 1. No reader and no mask is used then.
    pub rule: Option<(usize, &'c Rule)>,
    /// The readers that took a structure away, in order.
    pub readers: Vec<&'static str>,
    /// What the masks replaced in the sentence, in order.
    pub masks: Vec<Taken>,
}

/// Finds the class of a reason: that of the first rule that matches, or else its sentence of failure, masked.
#[derive(Debug, Default)]
pub struct Classifier {
    rules: Vec<Rule>,
    masks: Vec<Mask>,
    recent: Mutex<Recent>,
}

impl Classifier {
    /// Tries these rules first, in their order, and then these masks before the built-in ones.
    pub fn new(rules: Vec<Rule>, masks: Vec<Mask>) -> Self {
        Self {
            rules,
            masks,
            recent: Mutex::default(),
        }
    }

    /// The classes that the rules name.
    pub fn rule_classes(&self) -> HashSet<Class> {
        self.rules.iter().map(|rule| rule.class.clone()).collect()
    }

    /// The class of a reason. If no rule gives it, a text that was classified recently costs one hash look-up.
    pub fn classify<'a>(&self, reason: impl Into<Reason<'a>>) -> Class {
        let Reason { text, file } = reason.into();
        let text = reader::searched(text.unwrap_or_default());
        if let Some((_, rule)) = self.rule_for(&text) {
            return rule.class.clone();
        }
        let nameless = own_name::replace(&text, file);
        let recent = || self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let known = recent().get(&*nameless).cloned();
        known.unwrap_or_else(|| {
            let class = self.masked(&nameless, file).class;
            remember(&mut recent(), &nameless, &class);
            class
        })
    }

    /// The class of a reason and what gave it. This takes time that is linear in the length of the reason.
    pub fn explain<'a>(&self, reason: impl Into<Reason<'a>>) -> Explanation<'_> {
        let Reason { text, file } = reason.into();
        let text = reader::searched(text.unwrap_or_default());
        match self.rule_for(&text) {
            Some((number, rule)) => Explanation {
                class: rule.class.clone(),
                rule: Some((number, rule)),
                readers: Vec::new(),
                masks: Vec::new(),
            },
            None => self.masked(&own_name::replace(&text, file), file),
        }
    }

    /// The class of a text without a rule.
    fn masked(&self, text: &str, file: &str) -> Explanation<'_> {
        let (mut said, readers) = reader::sentence(&secrets::hide(text));
        if !readers.is_empty() {
            // An answer in JSON may have escaped the name of the file, and what shows a secret.
            said = own_name::replace(&secrets::hide(&said), file).into_owned();
        }
        let mut taken = Vec::new();
        for mask in &self.masks {
            said = mask.apply(&said, &mut taken);
        }
        let class = match masks::masked(&said, &mut taken).as_str() {
            "" => Class::Unspecified,
            // A reason that is one of the reserved words must not get the meaning of that word.
            word if RESERVED.contains(&word) => Class::Text(format!("{word} (as given)").into()),
            text => Class::Text(text.to_owned().into()),
        };
        Explanation {
            class,
            rule: None,
            readers,
            masks: taken,
        }
    }

    /// The first rule that matches, and its number.
    fn rule_for(&self, reason: &str) -> Option<(usize, &Rule)> {
        let fits = |rule: &Rule| rule.pattern.0.is_match(reason);
        let mut rules = (1..).zip(&self.rules);
        rules.find(|(_, rule)| !reason.trim().is_empty() && fits(rule))
    }
}

/// Remembers the class of a text, unless the text is long, or has escapes: behind these, the name of its file may show. If there are too many, the
/// others are forgotten.
fn remember(recent: &mut Recent, text: &str, class: &Class) {
    if recent.len() == MAX_RECENT {
        recent.clear();
    }
    if text.len() <= MAX_RECENT_BYTES && !text.contains(['\\', '&']) {
        recent.insert(text.into(), class.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_short_texts_are_remembered() {
        let mut recent = Recent::default();
        for number in 0..3 * MAX_RECENT {
            let text = number.to_string();
            remember(&mut recent, &text, &Class::Other);
            assert_eq!(recent.get(&*text), Some(&Class::Other));
            assert!(recent.len() <= MAX_RECENT);
        }
        let long = "x".repeat(MAX_RECENT_BYTES + 1);
        remember(&mut recent, &long, &Class::Other);
        assert_eq!(recent.get(&*long), None);
    }

    #[test]
    fn an_escaped_name_is_that_of_the_file_whatever_was_classified_before() {
        let classifier = Classifier::default();
        let text = r#"{"error": "cannot open \u041e\u0442\u0447\u0451\u0442 today"}"#;
        let class = |file| {
            let text = Some(text);
            classifier.classify(Reason { text, file }).to_string()
        };
        for _ in 0..2 {
            assert_eq!(class("other"), "cannot open Отчёт today");
            assert_eq!(class("Отчёт"), "cannot open <file> today");
        }
    }

    fn classifier(rules: &[(&str, &str)]) -> Classifier {
        let rule = |(pattern, class): &(&str, &str)| Rule {
            pattern: pattern.parse().unwrap(),
            class: class.parse().unwrap(),
        };
        Classifier::new(rules.iter().map(rule).collect(), Vec::new())
    }

    #[test]
    fn rules_are_tried_on_the_beginning_and_the_end_of_a_long_reason() {
        let classifier = classifier(&[("^begins", "first"), ("ends$", "last")]);
        let middle = "я".repeat(100_000);
        let class = |reason: String| classifier.classify(Some(reason.as_str())).to_string();
        assert_eq!(class(format!("begins {middle}")), "first");
        assert_eq!(class(format!("{middle} ends")), "last");
    }
    #[test]
    fn a_reason_cannot_pass_for_a_reserved_class() {
        let class = |reason: &str| Classifier::default().classify(Some(reason));
        for word in RESERVED {
            let given = class(&format!(" {word} "));
            assert_eq!(given.as_str(), format!("{word} (as given)"));
            assert_eq!(class(given.as_str()), given);
        }
    }
}
