//! The bound of what is remembered of one folder, whatever its reads are like.

use std::collections::HashSet;

use crate::history::record::{FileHistory, Listing, Settled};
use crate::history::update::{CompletedRead, Update};
use crate::model::{ByStatus, FileKey, FileMap};
use crate::reading::{MAX_REMEMBERED, Unfinished};

/// Leaves out rows for which there is no room beside what must stay remembered. Files that failed or are flagged have
/// room first; of those that wait, the ones remembered already, then the oldest.
#[must_use]
pub fn fit(
    mut files: FileMap<Unfinished>,
    history: &FileHistory,
    fits: &mut ByStatus<bool>,
) -> FileMap<Unfinished> {
    if files.len() + history.len() <= MAX_REMEMBERED {
        return files;
    }
    let waits = |file: &Unfinished| Settled::of(file.status).is_none();
    let listed = files.values().filter(|file| !waits(file)).count();
    let unlisted = history
        .iter()
        .filter(|(key, file)| file.settled.is_some() && !files.contains_key(key));
    let room = MAX_REMEMBERED.saturating_sub(unlisted.count());
    let room = room.max(listed).min(MAX_REMEMBERED);
    if files.len() <= room {
        return files;
    }
    let mut ranked: Vec<_> = files
        .iter()
        .map(|(key, file)| (waits(file), !history.remembers(*key), file.created_at, *key))
        .collect();
    ranked.sort_unstable();
    for (.., key) in ranked.drain(room..) {
        if let Some(file) = files.remove(&key) {
            fits[file.status] = false;
        }
    }
    files
}

/// Forgets files that the read does not list, where there are too many: those that never failed and were not flagged, then
/// the oldest. A status that loses one is no longer listed.
pub(super) fn make(update: &mut Update, history: &FileHistory, read: &CompletedRead<'_>) {
    let new = update
        .changed
        .iter()
        .filter(|(key, _)| !history.remembers(*key));
    let after = (history.len() + new.count()).saturating_sub(update.forgotten.len());
    let over = after.saturating_sub(MAX_REMEMBERED);
    if over == 0 {
        return;
    }
    let forgotten: HashSet<_> = update.forgotten.iter().copied().collect();
    let listed = |key: &FileKey| read.reading.unfinished.contains_key(key);
    let mut unlisted: Vec<_> = history
        .iter()
        .filter(|(key, _)| !listed(key) && !forgotten.contains(key))
        .map(|(key, file)| (file.settled, file.since, key))
        .collect();
    unlisted.sort_unstable();
    unlisted.truncate(over);
    for settled in unlisted.iter().filter_map(|(settled, ..)| *settled) {
        update.record.listing[settled.status()] = Listing::NONE;
    }
    let evicted: HashSet<FileKey> = unlisted.into_iter().map(|(.., key)| key).collect();
    update.changed.retain(|(key, _)| !evicted.contains(key));
    update.forgotten.extend(evicted);
}
