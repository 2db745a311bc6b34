//! What a count found of the files that failed, and of those whose fate the ledger watches.

use std::collections::HashSet;
use std::sync::Arc;

use crate::classify::Class;
use crate::collect::count::Count;
use crate::collect::persisted_folder::PersistedFolder;
use crate::config::Mode;
use crate::history::FileHistory;
use crate::model::{FileKey, FileMap, Status, Timestamp};
use crate::policy::FailedFile;
use crate::policy::judge::Seen;
use crate::reading::{DoneFiles, Reading};
use crate::reindex::CountFindings;

/// The files of a folder whose fate the ledger watches.
pub(super) struct Watch<'a> {
    pub files: &'a HashSet<FileKey>,
    /// Files that are taken for done since the count before: they are not among the others any more, and as many became done.
    pub finished: &'a [FileKey],
    /// What the count before found.
    pub before: Option<&'a CountFindings>,
}

/// What a count found, as far as reindexing needs it: nothing, where nothing is reindexed or watched.
pub(super) fn findings(
    mode: Mode,
    watch: &Watch<'_>,
    count: &Count,
    persisted: &PersistedFolder,
    began: Timestamp,
) -> Option<Arc<CountFindings>> {
    if mode == Mode::Off && watch.files.is_empty() {
        return None;
    }
    let reading = &count.reading;
    Some(Arc::new(CountFindings {
        began,
        failed: failed_files(reading, persisted, began),
        failed_whole: count.consistent && reading.fits[Status::Failed],
        failed_page: count.failed_page,
        watched: watch.seen(count, &persisted.history),
    }))
}

/// The failed files. Where they were failed at the folder's first count, they have been *seen* so since then, however old they are.
fn failed_files(
    reading: &Reading,
    persisted: &PersistedFolder,
    began: Timestamp,
) -> Vec<FailedFile> {
    let record = persisted.record.as_ref();
    let first = record.map_or(began, |record| record.first_counted);
    let since = |key| {
        persisted
            .history
            .get(key)
            .map_or(began, |known| known.since)
    };
    let failed = reading.unfinished.iter();
    let failed = failed.filter(|(_, file)| file.status == Status::Failed);
    let class = |number| reading.errors.class(number).clone();
    failed
        .map(|(key, file)| FailedFile {
            key: *key,
            since: since(*key).max(first),
            class: file.class.map_or(Class::Unspecified, class),
        })
        .collect()
}

impl Watch<'_> {
    /// How the files were seen; and those that are done now, in case an attempt that was made meanwhile asks for them.
    fn seen(&self, count: &Count, history: &FileHistory) -> FileMap<Seen> {
        let reading = &count.reading;
        let waiting = reading
            .fits
            .iter()
            .filter(|(status, _)| *status != Status::Done);
        let all_waiting = count.consistent && waiting.into_iter().all(|(_, fits)| *fits);
        let elsewhere = |key: &FileKey| match &reading.done {
            DoneFiles::Read { watched, .. } if watched.contains(key) => Seen::As(Status::Done),
            // A file that is still remembered may have been left out by a page.
            DoneFiles::Read { .. } if all_waiting && !history.remembers(*key) => Seen::Absent,
            // Where done files were counted and not read, a file that is missing may have been deleted.
            DoneFiles::Read { .. } | DoneFiles::Counted if self.was_done(*key) => {
                Seen::As(Status::Done)
            }
            DoneFiles::Counted if all_waiting => Seen::Missing,
            DoneFiles::Read { .. } | DoneFiles::Counted => Seen::Unread,
        };
        let seen = |key: &FileKey| {
            let waiting = reading.unfinished.get(key);
            waiting.map_or_else(|| elsewhere(key), |file| Seen::As(file.status))
        };
        let watched = self.files.iter().map(|key| (*key, seen(key)));
        let finished = self.finished.iter();
        let finished = finished.map(|key| (*key, Seen::As(Status::Done)));
        watched.chain(finished).collect()
    }

    /// Whether the count before took a file for done.
    fn was_done(&self, key: FileKey) -> bool {
        let before = self.before.map(|findings| findings.seen(key));
        before == Some(Seen::As(Status::Done))
    }
}
