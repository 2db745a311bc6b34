//! What became of the files of an attempt, by the class of their error.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::classify::Class;
use crate::ledger::attempt::{Answered, ClassFate, IntendedFile, SentFile};
use crate::ledger::outcome::FileState;
use crate::model::FileMap;

/// How many classes of one attempt are told apart; the files of further ones are counted as [`Class::Other`].
const MAX_CLASSES: usize = 50;

/// The files of an intent as they are sent.
pub(super) fn sent_files(files: Vec<IntendedFile>) -> FileMap<SentFile> {
    let mut classes: BTreeSet<Class> = BTreeSet::new();
    let mut bounded = |class: Class| {
        if classes.len() >= MAX_CLASSES && !classes.contains(&class) {
            return Class::Other;
        }
        classes.insert(class.clone());
        class
    };
    let sent = files.into_iter().map(|file| {
        let sent = SentFile {
            state: FileState::Sent,
            class: Some(bounded(file.class)),
            name: file.name,
        };
        (file.key, sent)
    });
    sent.collect()
}

/// What became of the files of each class.
pub(super) fn fates(files: &FileMap<SentFile>) -> Arc<[ClassFate]> {
    let mut fates: BTreeMap<&Class, ClassFate> = BTreeMap::new();
    for file in files.values() {
        let Some(class) = &file.class else {
            continue;
        };
        let fate = fates.entry(class).or_insert_with(|| ClassFate {
            class: class.clone(),
            sent: 0,
            recovered: 0,
            refailed: 0,
        });
        fate.sent += 1;
        fate.recovered += u64::from(file.state == FileState::Done);
        fate.refailed += u64::from(file.state == FileState::Refailed);
    }
    fates.into_values().collect()
}

/// The same after a review; what was known stays where it did not change.
pub(super) fn updated_fates(
    before: &Arc<[ClassFate]>,
    files: &FileMap<SentFile>,
) -> Arc<[ClassFate]> {
    let after = fates(files);
    if *after == **before {
        Arc::clone(before)
    } else {
        after
    }
}

/// How many files may still be said to have come back or failed again: no more than the portal took.
pub(super) fn room(answered: Answered, files: &FileMap<SentFile>) -> u64 {
    let told = |file: &&SentFile| matches!(file.state, FileState::Done | FileState::Refailed);
    let told = files.values().filter(told).count() as u64;
    answered.updated.unwrap_or(u64::MAX).saturating_sub(told)
}

/// A file's new state: of those that the portal did not take nothing is told.
pub(super) const fn bounded(state: FileState, room: &mut u64) -> FileState {
    if !matches!(state, FileState::Done | FileState::Refailed) {
        return state;
    }
    if *room == 0 {
        return FileState::Gone;
    }
    *room -= 1;
    state
}
