//! Counts the reasons of one folder by class.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::quality::RandomState;
use uuid::Uuid;

use crate::classify::newest::NewestFiles;
use crate::classify::secrets::shown;
use crate::classify::{Class, Classifier, Reason};
use crate::model::{ByStatus, FileKey, Status, Timestamp};

/// Classes of one read that get an example. A further class shows what it says itself.
const MAX_EXAMPLES: usize = 1_000;

const EXAMPLE_CHARACTERS: usize = 200;

/// One reason of each class, on one line, cut, and without secrets.
type Examples = HashMap<Class, Arc<str>, RandomState>;

/// Files of one folder by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassCounts {
    pub files: HashMap<Class, ByStatus<u64>, RandomState>,
    /// The version of the classifier that found them. Files whose rows were not read since it changed have the class that they had.
    pub classifier: Uuid,
    examples: Arc<Examples>,
}

impl ClassCounts {
    /// Counts files, of each status as many as there are. Those that remain are unread.
    pub fn of<'a>(
        files: impl Iterator<Item = (Status, &'a Class)>,
        counted: &ByStatus<u64>,
        examples: &ClassExamples,
    ) -> Self {
        let mut unread = ByStatus::default();
        for status in Status::WITH_REASON {
            unread[status] = counted[status];
        }
        let mut counts = HashMap::<_, ByStatus<u64>, _>::default();
        for (status, class) in files {
            if unread[status] > 0 {
                unread[status] -= 1;
                counts.entry(class.clone()).or_default()[status] += 1;
            }
        }
        if unread.total() > 0 {
            counts.insert(Class::Unread, unread);
        }
        Self {
            files: counts,
            classifier: examples.classifier,
            examples: Arc::clone(&examples.examples),
        }
    }

    /// The classes that are a text, with their files.
    pub fn texts(&self) -> impl Iterator<Item = (&Arc<str>, ByStatus<u64>)> {
        self.files.iter().filter_map(|(class, files)| match class {
            Class::Text(text) => Some((text, *files)),
            _ => None,
        })
    }

    /// The files of a class that is a text, if there are some.
    pub fn of_text(&self, text: &Arc<str>) -> Option<ByStatus<u64>> {
        self.files.get(&Class::Text(Arc::clone(text))).copied()
    }

    /// One of the reasons of a class; what it says itself if none is known.
    pub fn example(&self, text: &Arc<str>) -> Arc<str> {
        let example = self.examples.get(&Class::Text(Arc::clone(text)));
        Arc::clone(example.unwrap_or(text))
    }
}

/// Reasons of the files that one read listed: at most one of each class, and those of the newest files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassExamples {
    pub newest: NewestFiles,
    examples: Arc<Examples>,
    /// The version of the classifier that found the classes.
    classifier: Uuid,
}

/// Finds the classes of the reasons of one read.
#[derive(Debug, Default)]
pub struct ReasonReader {
    classifier: Arc<Classifier>,
    found: ClassExamples,
}

impl ReasonReader {
    pub fn new(classifier: Arc<Classifier>) -> Self {
        let found = ClassExamples {
            classifier: classifier.version(),
            ..ClassExamples::default()
        };
        Self { classifier, found }
    }

    /// The class of the reason of a file.
    pub fn read(
        &mut self,
        key: FileKey,
        status: Status,
        created: Option<Timestamp>,
        reason: Reason<'_>,
    ) -> Class {
        self.found.newest.note(key, status, created, reason);
        self.classify(reason)
    }

    /// The class of a reason.
    pub fn classify<'a>(&mut self, reason: impl Into<Reason<'a>>) -> Class {
        let reason = reason.into();
        let class = self.classifier.classify(reason);
        let examples = &self.found.examples;
        if let Some(reason) = reason.text
            && examples.len() < MAX_EXAMPLES
            && !examples.contains_key(&class)
        {
            let example = shown(reason, EXAMPLE_CHARACTERS);
            let examples = Arc::make_mut(&mut self.found.examples);
            examples.insert(class.clone(), example.into());
        }
        class
    }

    pub fn finish(self) -> ClassExamples {
        ClassExamples {
            newest: self.found.newest.shown(),
            ..self.found
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
        let pages = "page <n> lost".into();
        assert_eq!(counts.of_text(&pages).unwrap()[Status::Failed], 3);
        assert_eq!(&*counts.example(&pages), "page 1 lost");
        assert_eq!(counts.files[&Class::Unspecified][Status::Failed], 2);
        assert_eq!(counts.files.len(), 2);
    }

    #[test]
    fn no_more_files_than_were_counted_have_a_class_and_the_others_are_unread() {
        let class = Class::from_label("lost");
        let examples = ReasonReader::default().finish();
        for (known, counted, lost, unread) in [(3, 5, 3, 2), (5, 3, 3, 0), (0, 2, 0, 2)] {
            let files = vec![(Status::Flagged, &class); known];
            let mut counts = ByStatus::from_fn(|_| 9);
            (counts[Status::Failed], counts[Status::Flagged]) = (0, counted);
            let counts = ClassCounts::of(files.into_iter(), &counts, &examples).files;
            let files = |class| counts.get(class).map_or(0, ByStatus::total);
            assert_eq!((files(&class), files(&Class::Unread)), (lost, unread));
        }
    }
}
