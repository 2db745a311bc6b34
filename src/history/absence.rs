//! Remembered files that a read does not list.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::count::DoneFiles;
use crate::history::record::{FileHistory, KnownFile};
use crate::history::update::{CompletedRead, Update};
use crate::model::{ByStatus, FileKey, Status};

/// For how long a missed file that failed or was flagged is remembered.
const REMEMBERED_AFTER_MISSED: Duration = Duration::from_hours(24);

/// Remembers which files are missed, and forgets those that are done or were missed before. `done_before`: done files at the last
/// consistent count.
pub(super) fn add(
    update: &mut Update,
    history: &FileHistory,
    read: &CompletedRead<'_>,
    done_before: Option<u64>,
) {
    let (count, rows) = (read.count, &read.count.rows_read);
    let done = read_as_done(history, read);
    let is_listed = |key: &FileKey| count.unfinished.contains_key(key) || done.contains(key);
    let unlisted = || history.iter().filter(|(key, _)| !is_listed(key));
    let has_listed = |key: FileKey, file: &KnownFile| {
        let turn = &history.turns[file.status];
        turn.has_listed(rows[file.status], key)
    };
    let mut listed = count.listed();
    for (_, file) in unlisted().filter(|(key, file)| has_listed(*key, file)) {
        listed[file.status] += 1;
    }
    let whole = ByStatus::from_fn(|status| {
        let ends = history.turns[status].ends(rows[status], count.consistent);
        status == Status::Done || (ends && listed[status] >= count.files[status])
    });
    update.whole = whole.iter().all(|(_, whole)| *whole);
    let missed = unlisted().filter(|(key, file)| whole[file.status] && !has_listed(*key, file));
    let (again, first): (Vec<_>, Vec<_>) =
        missed.partition(|(_, file)| file.missed_since.is_some());
    for (key, file) in again {
        let since = file.missed_since.map(|since| read.ended.since(since));
        if file.settled.is_none() || since > Some(REMEMBERED_AFTER_MISSED) {
            update.forgotten.push(key);
        }
    }
    let done_grew_by =
        done_before.map_or(0, |before| count.files[Status::Done].saturating_sub(before));
    let are_counted = matches!(count.done, DoneFiles::Counted(_));
    // A missed file is done, or was deleted: as many as the done files grew by can all be done.
    let are_done = are_counted && update.whole && first.len() as u64 <= done_grew_by;
    update.forgotten.extend(&done);
    update.finished.extend(done);
    for (key, file) in first {
        if are_done {
            update.finished.push(key);
        }
        let file = KnownFile {
            settled: file.settled.filter(|_| !are_done),
            // The indexing time of a file that is counted is taken at this read, or not at all.
            timed_from: file.timed_from.filter(|_| !are_counted),
            missed_since: Some(read.ended),
            ..file.clone()
        };
        update.changed.push((key, file));
    }
    observe_indexing_times(update, history, read);
}

/// The remembered files whose rows were all read as done.
fn read_as_done(history: &FileHistory, read: &CompletedRead<'_>) -> HashSet<FileKey> {
    let DoneFiles::Read { finished, .. } = &read.count.done else {
        return HashSet::new();
    };
    let listed = &read.count.unfinished;
    let is_done = |key: &&FileKey| history.remembers(**key) && !listed.contains_key(*key);
    finished.iter().filter(is_done).copied().collect()
}

fn observe_indexing_times(update: &mut Update, history: &FileHistory, read: &CompletedRead<'_>) {
    for key in &update.finished {
        if let Some(from) = history.get(*key).and_then(|file| file.timed_from) {
            let counters = Arc::make_mut(&mut update.record.counters);
            counters.indexing.observe(read.ended.since(from));
        }
    }
}
