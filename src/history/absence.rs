//! Remembered files that a read does not list.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::count::{DoneFiles, FolderCount};
use crate::history::record::{FileHistory, KnownFile};
use crate::history::update::{CompletedRead, Update};
use crate::model::{ByStatus, FileKey, Status};

/// For how long a file that failed or was flagged is remembered that is missed with most files of its folder.
const REMEMBERED_AFTER_MISSED: Duration = Duration::from_hours(24);

/// Remembers which files are missed, and forgets those that are done or were missed before. `done_before`: done files at the last
/// consistent count. `files_before`: files at the last count.
pub(super) fn add(
    update: &mut Update,
    history: &FileHistory,
    read: &CompletedRead,
    done_before: Option<u64>,
    files_before: u64,
) {
    let done = read_as_done(history, read);
    let unfinished = &read.count.unfinished;
    let unlisted = history.iter();
    let unlisted = unlisted.filter(|(key, _)| !unfinished.contains_key(key) && !done.contains(key));
    let whole = whole(&read.count);
    update.whole = whole.iter().all(|(_, whole)| *whole);
    let missed = unlisted.filter(|(_, file)| whole[file.status]);
    let (again, first): (Vec<_>, Vec<_>) =
        missed.partition(|(_, file)| file.missed_since.is_some());
    update.forgotten.extend(&done);
    update.finished.extend(done);
    // It may wait among rows that were not read.
    let is_whole = update.whole;
    let is_over = |file: &KnownFile| {
        let since = file.missed_since.map(|since| read.ended.wall.since(since));
        let is_nowhere = is_whole && !file.is_away;
        file.settled.is_none() || is_nowhere || since > Some(REMEMBERED_AFTER_MISSED)
    };
    let forgotten = again.into_iter().filter(|(_, file)| is_over(file));
    update.forgotten.extend(forgotten.map(|(key, _)| key));
    let is_away = read.count.files.total() < files_before / 2;
    miss(update, first, read, done_before, is_away);
    for key in &update.finished {
        if let Some(from) = history.get(*key).and_then(|file| file.timed_from) {
            let counters = Arc::make_mut(&mut update.record.counters);
            counters.indexing.observe(read.ended.wall.since(from));
        }
    }
}

/// The statuses of which a read listed every file.
fn whole(count: &FolderCount) -> ByStatus<bool> {
    let listed = count.listed();
    ByStatus::from_fn(|status| {
        let lists_all = count.whole[status] && listed[status] >= count.files[status];
        status == Status::Done || count.consistent && lists_all
    })
}

/// Remembers files that are missed for the first time. A missed file is done, or was deleted: as many as the done files grew by can all
/// be done. `is_away`: most files of the folder are not listed any more, and may come back.
fn miss(
    update: &mut Update,
    files: Vec<(FileKey, &KnownFile)>,
    read: &CompletedRead,
    done_before: Option<u64>,
    is_away: bool,
) {
    let are_counted = matches!(read.count.done, DoneFiles::Counted(_));
    let done = read.count.files[Status::Done];
    let done_grew_by = done_before.map_or(0, |before| done.saturating_sub(before));
    let are_done = are_counted && update.whole && files.len() as u64 <= done_grew_by;
    for (key, file) in files {
        if are_done {
            update.finished.push(key);
        }
        let file = KnownFile {
            is_done: are_done,
            is_away: is_away && !are_done,
            // The indexing time of a file that is counted is taken at this read, or not at all.
            timed_from: file.timed_from.filter(|_| !are_counted),
            missed_since: Some(read.ended.wall),
            ..file.clone()
        };
        update.changed.push((key, file));
    }
}

/// The remembered files whose rows were all read as done.
fn read_as_done(history: &FileHistory, read: &CompletedRead) -> HashSet<FileKey> {
    let DoneFiles::Read { finished, .. } = &read.count.done else {
        return HashSet::new();
    };
    let listed = &read.count.unfinished;
    let is_done = |key: &&FileKey| history.remembers(**key) && !listed.contains_key(*key);
    finished.iter().filter(is_done).copied().collect()
}
