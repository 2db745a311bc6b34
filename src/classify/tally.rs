//! Counts the reasons of one folder by class.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::quality::RandomState;
use uuid::Uuid;

use crate::classify::{Class, Classifier};
use crate::model::{ByStatus, Status};
use crate::text;

/// Distinct classes that are counted while one folder is read. The files of all further ones are [`Class::Other`].
const MAX_DISTINCT: usize = 100_000;

/// Classes that get an example at their first file, and as many more at a further file: an example takes as much memory as a class.
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

/// The index of a class in [`ClassCounts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassNumber(u32);

/// Files of one folder by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassCounts {
    /// Each class once, in no order.
    pub counts: Vec<ClassCount>,
    /// The version of the classifier that found them.
    pub classifier: Uuid,
}

/// Counts files by the class of their reason.
#[derive(Debug)]
pub struct ErrorTally {
    classifier: Arc<Classifier>,
    counts: Vec<ClassCount>,
    /// The index of each class in `counts`.
    by_class: HashMap<Class, usize, RandomState>,
    /// Classes that have an example.
    examples: usize,
}

impl ClassCounts {
    /// The class of that number.
    #[must_use]
    pub fn class(&self, ClassNumber(number): ClassNumber) -> &Class {
        let count = self.counts.get(number as usize);
        count.map_or(&Class::Other, |count| &count.class)
    }
}

impl ErrorTally {
    /// Begins with no file.
    #[must_use]
    pub fn new(classifier: Arc<Classifier>) -> Self {
        Self {
            classifier,
            counts: Vec::new(),
            by_class: HashMap::default(),
            examples: 0,
        }
    }

    /// Counts one file and returns the number of its class.
    pub fn add(&mut self, status: Status, reason: Option<&str>) -> ClassNumber {
        let number = self.classify(reason);
        self.count(status, number);
        number
    }

    /// The number of the class of a reason, without counting a file.
    pub fn classify(&mut self, reason: Option<&str>) -> ClassNumber {
        let mut class = self.classifier.classify(reason);
        if self.counts.len() >= MAX_DISTINCT && !self.by_class.contains_key(&class) {
            class = Class::Other;
        }
        let new = self.counts.len();
        let number = *self.by_class.entry(class.clone()).or_insert(new);
        if number == new {
            self.push(class, ByStatus::default());
        }
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
        self.push(Class::Unread, files);
    }

    fn push(&mut self, class: Class, files: ByStatus<u64>) {
        self.counts.push(ClassCount {
            class,
            files,
            example: None,
        });
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

/// A reason on one line, without unsafe characters, and cut.
fn example(reason: &str) -> Box<str> {
    let words = reason.split_whitespace().flat_map(|word| [" ", word]);
    let words = words.skip(1).flat_map(str::chars);
    let line: String = words.take(EXAMPLE_CHARACTERS + 1).collect();
    let line = text::clean(&line, EXAMPLE_CHARACTERS + 1);
    text::cut(&line, EXAMPLE_CHARACTERS).into()
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
        let example = counts.last().unwrap().example.as_deref();
        assert_eq!(example, Some("page 2 lost"));
    }

    #[test]
    fn an_example_is_one_line_and_cut() {
        assert_eq!(&*example(" a\r\n b\u{202e}\u{0} "), "a b\u{fffd}\u{fffd}");
        let long = example(&"я ".repeat(5_000_000));
        assert_eq!(long.chars().count(), EXAMPLE_CHARACTERS);
        assert!(long.ends_with('…'), "{long}");
    }

    #[test]
    fn distinct_reasons_need_bounded_memory() {
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
        let is_other = |count: &&ClassCount| count.class == Class::Other;
        let other = counts.counts.iter().find(is_other);
        assert_eq!(other.map(files), Some(10_000));
        let examples = counts
            .counts
            .iter()
            .filter_map(|count| count.example.as_ref());
        // Those that came first, and `other`, which came again.
        assert_eq!(examples.count(), MAX_EXAMPLES + 1);
    }
}
