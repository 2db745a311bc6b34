//! Counts the reasons of one folder by class.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::quality::RandomState;

use crate::classify::newest::NewestFiles;
use crate::classify::secrets::shown;
use crate::classify::{Class, Classifier, Reason};
use crate::model::{ByStatus, FileKey, Status, Timestamp};

/// Classes of one read that get an example. A further class shows what it says itself.
const MAX_EXAMPLES: usize = 1_000;

const EXAMPLE_CHARACTERS: usize = 200;

/// Files of one folder by class.
pub type ClassCounts = HashMap<Class, ByStatus<u64>, RandomState>;

/// Counts files, of each status as many as there are. Those that remain are unread.
pub fn count_classes<'a>(
    files: impl Iterator<Item = (Status, &'a Class)>,
    counted: &ByStatus<u64>,
) -> ClassCounts {
    let mut unread = ByStatus::default();
    for status in Status::WITH_REASON {
        unread[status] = counted[status];
    }
    let mut counts = ClassCounts::default();
    for (status, class) in files {
        if unread[status] > 0 {
            unread[status] -= 1;
            counts.entry(class.clone()).or_default()[status] += 1;
        }
    }
    if unread.total() > 0 {
        counts.insert(Class::Unread, unread);
    }
    counts
}

/// What is kept of the reasons of one read: at most one of each class, and those of the newest files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reasons {
    pub newest: NewestFiles,
    /// One reason of each class, on one line, cut, and without secrets.
    examples: HashMap<Class, Arc<str>, RandomState>,
}

impl Reasons {
    /// The class of the reason of a file.
    pub fn read(
        &mut self,
        classifier: &Classifier,
        key: FileKey,
        status: Status,
        created: Option<Timestamp>,
        reason: Reason<'_>,
    ) -> Class {
        self.newest.note(key, status, created, reason);
        let class = classifier.classify(reason);
        if let Some(text) = reason.text
            && self.examples.len() < MAX_EXAMPLES
            && !self.examples.contains_key(&class)
        {
            let example = shown(text, EXAMPLE_CHARACTERS).into();
            self.examples.insert(class.clone(), example);
        }
        class
    }

    /// One of the reasons of a class; what it says itself if none is known.
    pub fn example(&self, class: &Class) -> Arc<str> {
        let example = self.examples.get(class).cloned();
        example.unwrap_or_else(|| class.as_str().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_class_one_reason_is_kept_on_one_line() {
        let mut reasons = Reasons::default();
        let mut read = |text| {
            let key = FileKey { link: 1, id: 1 };
            let reason = Reason {
                text,
                file: "a.pdf",
            };
            reasons.read(&Classifier::default(), key, Status::Failed, None, reason)
        };
        let class = read(Some("page 1\tlost"));
        assert_eq!(class, read(Some("page 2\tlost")));
        assert_eq!(
            [None, Some(" ")].map(read),
            [Class::Unspecified, Class::Unspecified]
        );
        assert_eq!(&*reasons.example(&class), "page 1 lost");
        assert_eq!(
            &*reasons.example(&Class::from_label("other words")),
            "other words"
        );
    }

    #[test]
    fn no_more_files_than_were_counted_have_a_class_and_the_others_are_unread() {
        let class = Class::from_label("lost");
        for (known, counted, lost, unread) in [(3, 5, 3, 2), (5, 3, 3, 0), (0, 2, 0, 2)] {
            let files = vec![(Status::Flagged, &class); known];
            let mut counts = ByStatus::from_fn(|_| 9);
            (counts[Status::Failed], counts[Status::Flagged]) = (0, counted);
            let counts = count_classes(files.into_iter(), &counts);
            let files = |class| counts.get(class).map_or(0, ByStatus::total);
            assert_eq!((files(&class), files(&Class::Unread)), (lost, unread));
        }
    }
}
