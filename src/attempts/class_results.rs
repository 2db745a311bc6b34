//! The results of the files of an attempt, by the class of their error.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::attempts::attempt::{ClassResult, SentFile};
use crate::attempts::outcome::FileState;
use crate::classify::Class;
use crate::model::{FileKey, FileMap};

/// How many classes an attempt has at most, and how many of a portal have counters of their own; the files of further ones are counted as
/// [`Class::Other`].
pub(super) const MAX_CLASSES: usize = 50;

/// The files of an intent; those of classes beyond [`MAX_CLASSES`] with [`Class::Other`].
pub(super) fn with_few_classes(files: Vec<(FileKey, SentFile)>) -> FileMap<SentFile> {
    let mut classes: BTreeSet<Class> = BTreeSet::new();
    let bounded = files.into_iter().map(|(key, mut file)| {
        if classes.len() >= MAX_CLASSES && !classes.contains(&file.class) {
            file.class = Class::Other;
        } else {
            classes.insert(file.class.clone());
        }
        (key, file)
    });
    bounded.collect()
}

/// Counts the results of the files of each class.
pub(super) fn class_results(files: &FileMap<SentFile>) -> Arc<[ClassResult]> {
    let mut results: BTreeMap<&Class, ClassResult> = BTreeMap::new();
    for file in files.values() {
        let result = results.entry(&file.class).or_insert_with(|| ClassResult {
            class: file.class.clone(),
            sent: 0,
            recovered: 0,
            refailed: 0,
        });
        result.sent += 1;
        result.recovered += u64::from(file.state == FileState::Done);
        result.refailed += u64::from(file.state == FileState::Refailed);
    }
    results.into_values().collect()
}
