//! The maximum number of remembered files of a folder, for any sequence of reads.

use std::collections::HashSet;

use crate::count::{FolderCount, MAX_REMEMBERED, Unfinished};
use crate::history::record::{FileHistory, KnownFile};
use crate::history::update::{CompletedRead, Update};
use crate::model::{ByStatus, FileKey};

/// Leaves out rows of a count that exceed the limit, after the files that must be remembered. Files that failed or are flagged
/// stay first; of those that wait, the ones remembered already, then the oldest.
pub fn limit_rows(count: &mut FolderCount, history: &FileHistory) {
    let files = &mut count.unfinished;
    if files.len() + history.len() <= MAX_REMEMBERED {
        return;
    }
    let waits = |file: &Unfinished| !file.status.has_reason();
    let listed = files.values().filter(|file| !waits(file)).count();
    let is_kept = |file: &KnownFile| file.settled.is_some() && file.missed_since.is_none();
    let unlisted = history
        .iter()
        .filter(|(key, file)| is_kept(file) && !files.contains_key(key));
    let limit = MAX_REMEMBERED.saturating_sub(unlisted.count());
    let limit = limit.max(listed).min(MAX_REMEMBERED);
    if files.len() <= limit {
        return;
    }
    let mut ranked: Vec<_> = files
        .iter()
        .map(|(key, file)| (waits(file), !history.remembers(*key), file.created_at, *key))
        .collect();
    ranked.sort_unstable();
    for (.., key) in ranked.drain(limit..) {
        files.remove(&key);
    }
}

/// Forgets files that the read does not list, if there are too many: the missed ones first, then those that never failed and were not
/// flagged, then the oldest. Returns how many there were of each status with a reason.
pub(super) fn limit_history(
    update: &mut Update,
    history: &FileHistory,
    read: &CompletedRead,
) -> ByStatus<u64> {
    let mut evicted = ByStatus::default();
    let is_new = |(key, _): &&(FileKey, _)| !history.remembers(*key);
    let new = update.changed.iter().filter(is_new).count();
    let after = (history.len() + new).saturating_sub(update.forgotten.len());
    let excess = after.saturating_sub(MAX_REMEMBERED);
    if excess == 0 {
        return evicted;
    }
    let forgotten: HashSet<_> = update.forgotten.iter().copied().collect();
    let listed = |key: &FileKey| read.count.unfinished.contains_key(key);
    let mut unlisted: Vec<_> = history
        .iter()
        .filter(|(key, _)| !listed(key) && !forgotten.contains(key))
        .map(|(key, file)| (file.missed_since.is_none(), file.settled, file.since, key))
        .collect();
    unlisted.sort_unstable();
    unlisted.truncate(excess);
    let keys: HashSet<FileKey> = unlisted.into_iter().map(|(.., key)| key).collect();
    let files = keys.iter().filter_map(|key| history.get(*key));
    for file in files.filter(|file| file.is_settled()) {
        evicted[file.status] += 1;
    }
    update.changed.retain(|(key, _)| !keys.contains(key));
    update.forgotten.extend(keys);
    evicted
}
