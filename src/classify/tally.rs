//! Counts the reasons of one folder by class.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::quality::RandomState;
use uuid::Uuid;

use crate::classify::newest::{NewestFiles, NotedFiles};
use crate::classify::secrets::shown;
use crate::classify::{Class, Classifier, Reason};
use crate::model::{ByStatus, FileKey, Status, Timestamp};

/// Classes that get an example at their first file, and as many more at a further file: an example takes as much memory as a class.
const MAX_EXAMPLES: usize = 1_000;

const EXAMPLE_CHARACTERS: usize = 200;

/// The files of one class in one folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassCount {
    pub files: ByStatus<u64>,
    /// One of the reasons, on one line, cut, and without secrets.
    pub example: Option<Arc<str>>,
}

/// Files of one folder by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassCounts {
    pub counts: HashMap<Class, ClassCount, RandomState>,
    /// The version of the classifier that found them. Files whose rows were not read since it changed have the class that they had.
    pub classifier: Uuid,
}

impl ClassCounts {
    /// Counts files, of each status as many as there are. Those that remain are unread.
    pub fn of<'a>(
        files: impl Iterator<Item = (Status, &'a Class)>,
        counted: &ByStatus<u64>,
        examples: &ClassExamples,
    ) -> Self {
        let mut unread = *counted;
        for status in Status::ALL
            .into_iter()
            .filter(|status| !status.has_reason())
        {
            unread[status] = 0;
        }
        let mut counts = HashMap::<Class, ClassCount, RandomState>::default();
        for (status, class) in files {
            if unread[status] == 0 {
                continue;
            }
            unread[status] -= 1;
            if let Some(count) = counts.get_mut(class) {
                count.files[status] += 1;
            } else {
                let mut count = ClassCount {
                    files: ByStatus::default(),
                    example: examples.examples.get(class).cloned(),
                };
                count.files[status] = 1;
                counts.insert(class.clone(), count);
            }
        }
        if unread.total() > 0 {
            let unread = ClassCount {
                files: unread,
                example: None,
            };
            counts.insert(Class::Unread, unread);
        }
        Self {
            counts,
            classifier: examples.classifier,
        }
    }
}

/// Reasons of the files that one read listed: at most one of each class, and those of the newest files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassExamples {
    pub newest: NewestFiles,
    examples: HashMap<Class, Arc<str>, RandomState>,
    /// The version of the classifier that found the classes.
    classifier: Uuid,
}

/// Finds the classes of the reasons of one read.
#[derive(Debug, Default)]
pub struct ReasonReader {
    classifier: Arc<Classifier>,
    seen: HashSet<Class, RandomState>,
    examples: HashMap<Class, Arc<str>, RandomState>,
    newest: NotedFiles,
}

impl ReasonReader {
    pub fn new(classifier: Arc<Classifier>) -> Self {
        Self {
            classifier,
            ..Self::default()
        }
    }

    /// The class of the reason of a file.
    pub fn read(
        &mut self,
        key: FileKey,
        status: Status,
        created: Option<Timestamp>,
        reason: Reason<'_>,
    ) -> Class {
        self.newest.note(key, status, created, reason);
        self.classify(reason)
    }

    /// The class of a reason.
    pub fn classify<'a>(&mut self, reason: impl Into<Reason<'a>>) -> Class {
        let reason = reason.into();
        let class = self.classifier.classify(reason);
        let was_seen = !self.seen.insert(class.clone());
        let most = MAX_EXAMPLES * (1 + usize::from(was_seen));
        if let Some(reason) = reason.text
            && self.examples.len() < most
            && !self.examples.contains_key(&class)
        {
            let example = shown(reason, EXAMPLE_CHARACTERS);
            self.examples.insert(class.clone(), example.into());
        }
        class
    }

    pub fn finish(self) -> ClassExamples {
        ClassExamples {
            newest: self.newest.finish(),
            examples: self.examples,
            classifier: self.classifier.version(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(reasons: &[Option<&str>]) -> ClassCounts {
        let mut reader = ReasonReader::new(Arc::default());
        let classes: Vec<_> = reasons.iter().map(|text| reader.classify(*text)).collect();
        let mut counted = ByStatus::default();
        counted[Status::Failed] = reasons.len() as u64;
        let files = classes.iter().map(|class| (Status::Failed, class));
        ClassCounts::of(files, &counted, &reader.finish())
    }

    #[test]
    fn reasons_of_one_class_are_counted_together_with_one_of_them_as_an_example() {
        let counts = count(&[
            Some("page 1\tlost"),
            Some("page 2\tlost"),
            None,
            Some("page 1\tlost"),
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
    fn no_more_files_than_were_counted_have_a_class_and_the_others_are_unread() {
        let class = Class::from_label("lost");
        let examples = ReasonReader::default().finish();
        for (known, counted, lost, unread) in [(3, 5, 3, 2), (5, 3, 3, 0), (0, 2, 0, 2)] {
            let files = vec![(Status::Flagged, &class); known];
            let mut counts = ByStatus::from_fn(|_| 9);
            (counts[Status::Failed], counts[Status::Flagged]) = (0, counted);
            let counts = ClassCounts::of(files.into_iter(), &counts, &examples).counts;
            let files = |class| counts.get(class).map_or(0, |count| count.files.total());
            assert_eq!((files(&class), files(&Class::Unread)), (lost, unread));
        }
    }

    #[test]
    fn a_frequent_class_has_an_example_however_many_rare_ones_came_before_it() {
        let rare =
            (0..MAX_EXAMPLES).map(|number| "x".repeat(number % 30 + 1) + &"y".repeat(number / 30));
        let frequent = ["page 1 lost", "page 2 lost"].map(str::to_owned);
        let reasons: Vec<_> = rare.chain(frequent).collect();
        let reasons: Vec<_> = reasons.iter().map(|reason| Some(reason.as_str())).collect();
        let counts = count(&reasons).counts;
        let frequent = &counts[&Class::from_label("page <n> lost")];
        assert_eq!(frequent.example.as_deref(), Some("page 2 lost"));
    }

    #[test]
    fn an_example_is_one_line_and_cut() {
        let example = |text| shown(text, EXAMPLE_CHARACTERS);
        assert_eq!(example("password: Winter"), "password: <secret>");
        assert_eq!(&*example(" a\r\n b\u{202e}\u{0} "), "a b\u{fffd}\u{fffd}");
        let long = example(&"я ".repeat(5_000_000));
        assert_eq!(long.chars().count(), EXAMPLE_CHARACTERS);
        assert!(long.ends_with('…'), "{long}");
    }
}
