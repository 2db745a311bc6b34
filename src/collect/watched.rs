//! The failed files of a count, and the files that the ledger watches.

use std::collections::HashSet;
use std::sync::Arc;

use crate::classify::Class;
use crate::collect::folder::stored::Stored;
use crate::config::Mode;
use crate::count::{DoneFiles, FolderCount};
use crate::history::{FileHistory, settled};
use crate::model::{FileKey, FileMap, Status, Timestamp};
use crate::policy::FailedFile;
use crate::policy::judge::Observation;
use crate::snapshot::FailedFiles;

/// The files of a folder that the ledger watches.
pub(super) struct Watch<'a> {
    pub files: &'a HashSet<FileKey>,
    /// Files that became done since the count before, by its rows or by what is missing.
    pub finished: &'a [FileKey],
    /// Whether a file that the count does not show is not there.
    pub whole: bool,
    /// By the count before.
    pub before: Option<&'a FailedFiles>,
}

/// The failed files of a folder and the watched ones, with times by the clock that state and ledger share; nothing if nothing is reindexed or watched.
pub(super) fn failed_files(
    mode: Mode,
    watch: &Watch<'_>,
    count: &FolderCount,
    stored: &Stored,
    began: Timestamp,
) -> Option<Arc<FailedFiles>> {
    if mode == Mode::Off && watch.files.is_empty() {
        return None;
    }
    let files = failed(stored, began);
    Some(Arc::new(FailedFiles {
        began,
        are_all: count.consistent && files.len() as u64 >= count.files[Status::Failed],
        files,
        page: count.failed_page,
        watched: watch.seen(count, &stored.history, began),
    }))
}

/// The failed files. Where they were failed at the folder's first count, they have been *seen* so since then, however old they are.
fn failed(stored: &Stored, began: Timestamp) -> Vec<FailedFile> {
    let record = stored.record.as_ref();
    let first = record.map_or(began, |record| record.first_counted);
    let files = settled(&stored.history);
    let failed = files.filter(|(_, file)| file.status == Status::Failed);
    failed
        .map(|(key, file)| FailedFile {
            key: *key,
            since: file.since.max(first),
            class: file.class.clone().unwrap_or(Class::Unspecified),
        })
        .collect()
}

impl Watch<'_> {
    /// How the files were seen; and those that are done now, in case an attempt that was made meanwhile asks for them.
    fn seen(
        &self,
        count: &FolderCount,
        history: &FileHistory,
        began: Timestamp,
    ) -> FileMap<Observation> {
        let missed_since = |key: &FileKey| history.get(key).map(|file| file.missed_since);
        // A file that is missed for the first time may have been left out by a page.
        let is_kept = |key: &FileKey| {
            missed_since(key).is_some_and(|since| since.is_none_or(|since| since >= began))
        };
        let unlisted = |key: &FileKey| match &count.done {
            DoneFiles::Read { noted, .. } if noted.contains(key) => {
                Observation::Status(Status::Done)
            }
            DoneFiles::Read { .. } if self.whole && !is_kept(key) => Observation::Absent,
            _ if self.was_done(*key) => Observation::Status(Status::Done),
            // Where done files were counted and not read, a file that is missing may have been deleted.
            DoneFiles::Counted(_) if self.whole && missed_since(key) != Some(None) => {
                Observation::Missing
            }
            _ => Observation::Unread,
        };
        let seen = |key: &FileKey| {
            let listed = count.unfinished.get(key);
            listed.map_or_else(|| unlisted(key), |file| Observation::Status(file.status))
        };
        let watched = self.files.iter().map(|key| (*key, seen(key)));
        let finished = self.finished.iter();
        let finished = finished.map(|key| (*key, Observation::Status(Status::Done)));
        watched.chain(finished).collect()
    }

    /// Whether the file was done by the count before.
    fn was_done(&self, key: FileKey) -> bool {
        let before = self.before.map(|failed| failed.observation(key));
        before == Some(Observation::Status(Status::Done))
    }
}
