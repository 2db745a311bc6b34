//! The maximum number of remembered files of a folder, for any sequence of reads.

use std::collections::HashSet;

use crate::count::{FolderCount, MAX_REMEMBERED, Unfinished};
use crate::history::record::{Coverage, FileHistory};
use crate::history::update::{CompletedRead, Update};
use crate::model::FileKey;

/// Leaves out rows of a count that exceed the limit, after the files that must be remembered. Files that failed or are flagged
/// stay first; of those that wait, the ones remembered already, then the oldest.
pub fn limit_rows(count: &mut FolderCount, history: &FileHistory) {
    let files = &mut count.unfinished;
    if files.len() + history.len() <= MAX_REMEMBERED {
        return;
    }
    let waits = |file: &Unfinished| !file.status.has_reason();
    let listed = files.values().filter(|file| !waits(file)).count();
    let unlisted = history
        .iter()
        .filter(|(key, file)| file.settled.is_some() && !files.contains_key(key));
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
        if let Some(file) = files.remove(&key) {
            count.complete[file.status] = false;
        }
    }
}

/// Forgets files that the read does not list, if there are too many: those that never failed and were not flagged, then
/// the oldest. A status that loses one is no longer covered.
pub(super) fn limit_history(update: &mut Update, history: &FileHistory, read: &CompletedRead<'_>) {
    let is_new = |(key, _): &&(FileKey, _)| !history.remembers(*key);
    let new = update.changed.iter().filter(is_new).count();
    let after = (history.len() + new).saturating_sub(update.forgotten.len());
    let excess = after.saturating_sub(MAX_REMEMBERED);
    if excess == 0 {
        return;
    }
    let forgotten: HashSet<_> = update.forgotten.iter().copied().collect();
    let listed = |key: &FileKey| read.count.unfinished.contains_key(key);
    let mut unlisted: Vec<_> = history
        .iter()
        .filter(|(key, _)| !listed(key) && !forgotten.contains(key))
        .map(|(key, file)| (file.settled, file.since, key))
        .collect();
    unlisted.sort_unstable();
    unlisted.truncate(excess);
    for status in unlisted.iter().filter_map(|(settled, ..)| *settled) {
        update.record.coverage[status] = Coverage::NONE;
    }
    let evicted: HashSet<FileKey> = unlisted.into_iter().map(|(.., key)| key).collect();
    update.changed.retain(|(key, _)| !evicted.contains(key));
    update.forgotten.extend(evicted);
}
