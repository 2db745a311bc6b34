//! Remembered files that a read does not list.

use std::time::Duration;

use crate::count::{DoneFiles, FolderCount};
use crate::history::files::{FileHistory, KnownFile};
use crate::history::update::{CompletedRead, Update};
use crate::model::{ByStatus, FileKey, Status};

/// For how long a file that failed or was flagged is remembered that is missed with most files of its folder.
const REMEMBERED_AFTER_MISSED: Duration = Duration::from_hours(24);

/// Forgets files that are done or were missed before, and notes which are missed for the first time. `files_before`: files at the last count.
pub(super) fn apply(
    update: &mut Update,
    history: &mut FileHistory,
    read: &CompletedRead,
    files_before: u64,
    complete: ByStatus<bool>,
) {
    let (count, ended) = (&read.count, read.ended.wall);
    forget_done(update, history, count);
    update.whole = complete.iter().all(|(_, complete)| *complete);
    let is_missed = |key: &FileKey, file: &KnownFile| {
        complete[file.status] && !count.unfinished.contains_key(key)
    };
    let first = history.iter();
    let first = first.filter(|(key, file)| is_missed(key, file) && file.missed_since.is_none());
    let is_counted = matches!(count.done, DoneFiles::Counted(_));
    let are_done = is_counted && update.whole && first.count() as u64 <= done_since(update, count);
    let are_away = !are_done && count.files.total() < files_before / 2;
    history.retain(|key, file| {
        if !is_missed(key, file) {
            return true;
        }
        if let Some(since) = file.missed_since {
            // It may wait among rows that were not read.
            let is_nowhere = update.whole && !file.is_away;
            let is_recent = ended.since(since) <= REMEMBERED_AFTER_MISSED;
            let is_kept = file.settled.is_some() && !is_nowhere && is_recent;
            update.changed.extend((!is_kept).then_some(*key));
            return is_kept;
        }
        update.changed.push(*key);
        if are_done {
            update.finish(*key, file);
        }
        // The indexing time of a file that is counted is taken at this read, or not at all.
        file.timed_from = file.timed_from.filter(|_| !is_counted);
        file.missed_since = Some(ended);
        (file.is_done, file.is_away) = (are_done, are_away);
        true
    });
}

/// Forgets the files whose rows were all read as done.
fn forget_done(update: &mut Update, history: &mut FileHistory, count: &FolderCount) {
    let DoneFiles::Read { noted, .. } = &count.done else {
        return;
    };
    for key in noted
        .iter()
        .filter(|key| !count.unfinished.contains_key(key))
    {
        if let Some(file) = history.remove(key) {
            update.changed.push(*key);
            update.finish(*key, &file);
        }
    }
}

/// By how many the done files grew: as many missed files can all be done. Others were deleted.
fn done_since(update: &Update, count: &FolderCount) -> u64 {
    let before = update.record.unidentified[Status::Done].files();
    before.map_or(0, |before| count.files[Status::Done].saturating_sub(before))
}
