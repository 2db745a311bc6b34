//! Remembered files that a read does not list.

use std::collections::HashSet;
use std::sync::Arc;

use crate::count::{DoneFiles, FolderCount};
use crate::history::record::{FileHistory, KnownFile};
use crate::history::update::{CompletedRead, Update};
use crate::model::{FileKey, Status};

/// Whole reads that have to miss a file before it is forgotten: pages shift, and one read may leave out an existing file.
const MISSES: u8 = 2;

/// The remembered files whose rows were read as done.
pub(super) fn read_as_done(count: &FolderCount, history: &FileHistory) -> HashSet<FileKey> {
    match &count.done {
        DoneFiles::Read { finished, .. } => {
            let remembered = |key: &&FileKey| history.remembers(**key);
            finished.iter().filter(remembered).copied().collect()
        }
        DoneFiles::Counted(_) => HashSet::new(),
    }
}

/// Forgets files that are done, and those that were missed often enough. `done`: remembered files whose rows were read as done;
/// `done_before`: done files at the last consistent count.
pub(super) fn forget(
    update: &mut Update,
    history: &FileHistory,
    read: &CompletedRead<'_>,
    done: HashSet<FileKey>,
    done_before: Option<u64>,
) {
    let missed = missed(history, read, &done);
    update.forgotten.extend(&done);
    update.finished.extend(done);
    let first_missed = missed.iter().filter(|(_, file)| file.missed == 0);
    let first_missed: Vec<_> = first_missed.map(|(key, _)| *key).collect();
    let done_now = read.count.files[Status::Done];
    let done_grew_by = done_before.map_or(0, |before| done_now.saturating_sub(before));
    let counted = matches!(read.count.done, DoneFiles::Counted(_));
    // A missing file is done, or was deleted: as many as the done files grew by can all be done.
    if counted && first_missed.len() as u64 <= done_grew_by {
        update.finished.extend(first_missed);
    }
    for key in &update.finished {
        if let Some(from) = history.get(*key).and_then(|file| file.timed_from) {
            let counters = Arc::make_mut(&mut update.record.counters);
            counters.indexing.observe(read.ended.since(from));
        }
    }
    for (key, file) in missed {
        let missed = file.missed + 1;
        if missed >= MISSES {
            update.forgotten.push(key);
            continue;
        }
        // Its indexing time was taken at this read, or is not taken at all.
        let timed_from = file.timed_from.filter(|_| !counted);
        let file = KnownFile {
            timed_from,
            missed,
            ..*file
        };
        update.changed.push((key, file));
    }
}

/// The remembered files that a whole read does not list. Rows that are not whole prove nothing.
fn missed<'a>(
    history: &'a FileHistory,
    read: &CompletedRead<'_>,
    done: &HashSet<FileKey>,
) -> Vec<(FileKey, &'a KnownFile)> {
    if !read.count.lists_all_unfinished() {
        return Vec::new();
    }
    let listed = |key: &FileKey| read.count.unfinished.contains_key(key) || done.contains(key);
    history.iter().filter(|(key, _)| !listed(key)).collect()
}
