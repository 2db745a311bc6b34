//! Counts the reasons of one folder by class.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::quality::RandomState;

use crate::classify::{Class, Classifier, Version};
use crate::model::{ByStatus, Status};
use crate::text;

/// Distinct classes that are told apart while one folder is read.
const MAX_DISTINCT: usize = 100_000;

/// Classes that get an example when they come up, and as many more when they come up again: it costs as much room as the class itself.
const MAX_EXAMPLES: usize = 1_000;

/// Longest example, in characters.
const EXAMPLE_CHARACTERS: usize = 200;

/// The files of one class in one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassCount {
    /// The class.
    pub class: Class,
    /// Files by status.
    pub files: ByStatus<u64>,
    /// One of the reasons, on one line and cut.
    pub example: Option<Box<str>>,
}

impl ClassCount {
    const fn new(class: Class, files: ByStatus<u64>) -> Self {
        Self {
            class,
            files,
            example: None,
        }
    }

    /// One of the reasons, or the class where none was kept.
    pub(super) fn example_or(&self, class: &Arc<str>) -> Arc<str> {
        let example = self.example.as_deref();
        example.map_or_else(|| Arc::clone(class), Arc::from)
    }
}

/// Where in [`ClassCounts`] a class stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassNumber(u32);

impl ClassCounts {
    /// The class of that number.
    #[must_use]
    pub fn class(&self, ClassNumber(number): ClassNumber) -> &Class {
        let count = self.counts.get(number as usize);
        count.map_or(&Class::Other, |count| &count.class)
    }
}

/// Files of one folder by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassCounts {
    /// Each class once, in no order.
    pub counts: Vec<ClassCount>,
    /// What told the classes.
    pub classifier: Version,
}

/// Counts reasons.
#[derive(Debug)]
pub struct ErrorTally {
    classifier: Arc<Classifier>,
    counts: Vec<ClassCount>,
    /// Where in `counts` a class stands.
    by_class: HashMap<Class, usize, RandomState>,
    /// Classes that have an example.
    examples: usize,
}

impl ErrorTally {
    /// Begins with nothing.
    #[must_use]
    pub fn new(classifier: Arc<Classifier>) -> Self {
        Self {
            classifier,
            counts: Vec::new(),
            by_class: HashMap::default(),
            examples: 0,
        }
    }

    /// Counts one file and tells where in the counts its class stands. Beyond 100,000 classes a new one is [`Class::Other`].
    pub fn add(&mut self, status: Status, reason: Option<&str>) -> ClassNumber {
        let number = self.classify(reason);
        self.count(status, number);
        number
    }

    /// Tells where in the counts the class of a reason stands, without counting a file.
    pub fn classify(&mut self, reason: Option<&str>) -> ClassNumber {
        let mut class = self.classifier.classify(reason);
        if self.counts.len() >= MAX_DISTINCT && !self.by_class.contains_key(&class) {
            class = Class::Other;
        }
        let (new, counts) = (self.counts.len(), &mut self.counts);
        let number = *self.by_class.entry(class).or_insert_with_key(|class| {
            counts.push(ClassCount::new(class.clone(), ByStatus::default()));
            new
        });
        let most = MAX_EXAMPLES * (1 + usize::from(number != new));
        let count = &mut self.counts[number];
        if let (None, Some(reason), true) = (&count.example, reason, self.examples < most) {
            count.example = Some(example(reason));
            self.examples += 1;
        }
        ClassNumber(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// Counts one file of a class.
    pub fn count(&mut self, status: Status, ClassNumber(number): ClassNumber) {
        if let Some(count) = self.counts.get_mut(number as usize) {
            count.files[status] += 1;
        }
    }

    /// Counts files whose reasons were not read.
    pub fn count_unread(&mut self, files: ByStatus<u64>) {
        self.counts.push(ClassCount::new(Class::Unread, files));
    }

    /// Ends the count.
    #[must_use]
    pub fn finish(self) -> ClassCounts {
        ClassCounts {
            counts: self.counts,
            classifier: self.classifier.version(),
        }
    }
}

/// A reason as it may be kept and shown.
fn example(reason: &str) -> Box<str> {
    let words = reason.split_whitespace().flat_map(|word| [" ", word]);
    let words = words.skip(1).flat_map(str::chars);
    let line: String = words.take(EXAMPLE_CHARACTERS + 1).collect();
    text::cut(
        &text::clean(&line, EXAMPLE_CHARACTERS + 1),
        EXAMPLE_CHARACTERS,
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(reasons: &[Option<&str>]) -> ClassCounts {
        let mut tally = ErrorTally::new(Arc::default());
        for reason in reasons {
            tally.add(Status::Failed, *reason);
        }
        tally.finish()
    }

    #[test]
    fn reasons_of_one_class_are_counted_together_with_one_of_them_as_an_example() {
        let counts = count(&[
            Some("page 1\nlost"),
            Some("page 2\nlost"),
            None,
            Some("page 1\nlost"),
            Some(" "),
        ]);
        let [pages, unspecified] = &counts.counts[..] else {
            panic!("{counts:?}");
        };
        assert_eq!(pages.files[Status::Failed], 3);
        assert_eq!(pages.example.as_deref(), Some("page 1 lost"));
        assert_eq!(unspecified.class, Class::Unspecified);
        assert_eq!(unspecified.files[Status::Failed], 2);
    }

    #[test]
    fn a_frequent_class_has_an_example_however_many_rare_ones_came_before_it() {
        let mut tally = ErrorTally::new(Arc::default());
        let rare =
            (0..MAX_EXAMPLES).map(|number| "x".repeat(number % 30 + 1) + &"y".repeat(number / 30));
        let frequent = ["page 1 lost", "page 2 lost"].map(str::to_owned);
        for reason in rare.chain(frequent) {
            tally.add(Status::Failed, Some(&reason));
        }
        let counts = tally.finish().counts;
        let last = counts.last().unwrap();
        assert_eq!(
            last.example.as_deref(),
            Some("page 2 lost"),
            "{}",
            last.class
        );
    }

    #[test]
    fn an_example_is_one_line_and_cut() {
        assert_eq!(&*example(" a\r\n b\u{202e}\u{0} "), "a b\u{fffd}\u{fffd}");
        let long = example(&"я ".repeat(5_000_000));
        assert_eq!(long.chars().count(), EXAMPLE_CHARACTERS);
        assert!(long.ends_with('…'), "{long}");
    }

    #[test]
    fn reasons_that_never_come_again_cost_bounded_room() {
        let mut tally = ErrorTally::new(Arc::new(Classifier::default()));
        let word = |number: u32| -> String {
            let letter = |power: u32| {
                char::from(b'a' + u8::try_from(number / 26_u32.pow(power) % 26).unwrap())
            };
            (0..4).map(letter).chain("z".repeat(20).chars()).collect()
        };
        for number in 0..110_000 {
            tally.add(Status::Failed, Some(&word(number)));
        }
        let counts = tally.finish();
        assert_eq!(counts.counts.len(), MAX_DISTINCT + 1);
        let files = |count: &ClassCount| count.files[Status::Failed];
        assert_eq!(counts.counts.iter().map(files).sum::<u64>(), 110_000);
        let other = counts
            .counts
            .iter()
            .find(|count| count.class == Class::Other);
        assert_eq!(other.map(files), Some(10_000));
        assert_eq!(
            counts
                .counts
                .iter()
                .filter(|count| count.example.is_some())
                .count(),
            MAX_EXAMPLES + 1,
            "those that came first, and `other`, which came again"
        );
    }
}
