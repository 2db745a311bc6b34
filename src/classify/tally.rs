//! Counts the reasons of one folder by class.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::quality::RandomState;
use uuid::Uuid;

use crate::classify::line::Line;
use crate::classify::{Class, Classifier, Reason};
use crate::model::{ByStatus, Status};

/// Distinct classes that are counted while one folder is read. The files of all further ones are [`Class::Other`].
const MAX_DISTINCT: usize = 100_000;

/// Classes that get an example at their first file, and as many more at a further file: an example takes as much memory as a class.
const MAX_EXAMPLES: usize = 1_000;

const EXAMPLE_CHARACTERS: usize = 200;

/// The files of one class in one folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassCount {
    pub files: ByStatus<u64>,
    /// One of the reasons, on one line and cut.
    pub example: Option<Arc<str>>,
}

/// Files of one folder by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassCounts {
    pub counts: HashMap<Class, ClassCount, RandomState>,
    /// The version of the classifier that found them.
    pub classifier: Uuid,
}

/// Counts files by the class of their reason.
#[derive(Debug, Default)]
pub struct ErrorTally {
    classifier: Arc<Classifier>,
    counts: HashMap<Class, ClassCount, RandomState>,
    examples: usize,
}

impl ErrorTally {
    pub fn new(classifier: Arc<Classifier>) -> Self {
        Self {
            classifier,
            ..Self::default()
        }
    }

    /// Counts one file and returns its class.
    pub fn add<'a>(&mut self, status: Status, reason: impl Into<Reason<'a>>) -> Class {
        let class = self.classify(reason);
        self.count(status, &class);
        class
    }

    /// The class of a reason, without counting a file.
    pub fn classify<'a>(&mut self, reason: impl Into<Reason<'a>>) -> Class {
        let reason = reason.into();
        let mut class = self.classifier.classify(reason);
        if self.counts.len() >= MAX_DISTINCT && !self.counts.contains_key(&class) {
            class = Class::Other;
        }
        let most = MAX_EXAMPLES * (1 + usize::from(self.counts.contains_key(&class)));
        let count = self.counts.entry(class.clone()).or_default();
        if let (None, Some(reason), true) = (&count.example, reason.text, self.examples < most) {
            count.example = Some(example(reason));
            self.examples += 1;
        }
        class
    }

    /// Counts one file of a class.
    pub fn count(&mut self, status: Status, class: &Class) {
        self.counts.entry(class.clone()).or_default().files[status] += 1;
    }

    /// Counts files whose reasons were not read.
    pub fn count_unread(&mut self, files: ByStatus<u64>) {
        self.counts.entry(Class::Unread).or_default().files = files;
    }

    pub fn finish(self) -> ClassCounts {
        ClassCounts {
            counts: self.counts,
            classifier: self.classifier.version(),
        }
    }
}

/// A reason on one line, without unsafe characters, and cut.
fn example(reason: &str) -> Arc<str> {
    let mut line = Line::default();
    line.text(reason);
    line.finish(EXAMPLE_CHARACTERS).into()
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
        let pages = &counts.counts[&Class::from_label("page <n> lost")];
        assert_eq!(pages.files[Status::Failed], 3);
        assert_eq!(pages.example.as_deref(), Some("page 1 lost"));
        let unspecified = &counts.counts[&Class::Unspecified];
        assert_eq!(unspecified.files[Status::Failed], 2);
        assert_eq!(counts.counts.len(), 2);
    }

    #[test]
    fn a_frequent_class_has_an_example_however_many_rare_ones_came_before_it() {
        let mut tally = ErrorTally::new(Arc::default());
        let rare =
            (0..MAX_EXAMPLES).map(|number| "x".repeat(number % 30 + 1) + &"y".repeat(number / 30));
        let frequent = ["page 1 lost", "page 2 lost"].map(str::to_owned);
        for reason in rare.chain(frequent) {
            tally.add(Status::Failed, reason.as_str());
        }
        let counts = tally.finish().counts;
        let frequent = &counts[&Class::from_label("page <n> lost")];
        assert_eq!(frequent.example.as_deref(), Some("page 2 lost"));
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
            tally.add(Status::Failed, word(number).as_str());
        }
        let counts = tally.finish();
        assert_eq!(counts.counts.len(), MAX_DISTINCT + 1);
        let files = |count: &ClassCount| count.files[Status::Failed];
        let counts = counts.counts;
        assert_eq!(counts.values().map(files).sum::<u64>(), 110_000);
        assert_eq!(files(&counts[&Class::Other]), 10_000);
        let examples = counts.values().filter_map(|count| count.example.as_ref());
        // Those that came first, and `other`, which came again.
        assert_eq!(examples.count(), MAX_EXAMPLES + 1);
    }
}
