//! The changes between two reads.

use std::sync::Arc;
use std::time::Duration;

use crate::classify::NamedFile;
use crate::count::{FolderCount, Unfinished};
use crate::history::absence;
use crate::history::entries::Seen;
use crate::history::files::{FileHistory, KnownFile, excess};
use crate::history::record::{FolderRecord, FullRead, Look};
use crate::history::update::{CompletedRead, Update};
use crate::model::{ByStatus, FileKey, Status};

/// How far the portal's clock may be behind ours (docs/metrics.md, Indexing time).
const CLOCK_GRACE: Duration = Duration::from_mins(2);

/// Compares a read with the stored data of the reads before it, and remembers its files.
pub fn apply(
    before: Option<&FolderRecord>,
    history: &mut FileHistory,
    read: &CompletedRead,
) -> Update {
    let count = &read.count;
    let mut update = Update {
        record: record(before, read),
        changed: Vec::new(),
        finished: Vec::new(),
        whole: false,
    };
    let files_before = before.map_or(0, |before| before.counts.total());
    let mut seen = Seen {
        complete: count.complete(),
        ..Seen::default()
    };
    absence::apply(&mut update, history, read, files_before, seen.complete);
    let excess = excess(history, &count.unfinished);
    for key in &excess {
        if let Some(file) = history.remove(key) {
            update.changed.push(*key);
            count_in(&mut seen.evicted, (key, &file), count);
        }
    }
    // Room for all at once: while a table grows, both the old and the new one are in memory.
    history.reserve(count.unfinished.len().saturating_sub(history.len()));
    for (key, row) in &count.unfinished {
        if excess.contains(key) {
            continue;
        }
        let known = history.get(key);
        let file = remember(before, &update.record, known, row);
        if row.status.has_reason() && known.and_then(|file| file.settled) != file.settled {
            seen.new[row.status] += 1;
        }
        if known != Some(&file) {
            update.changed.push(*key);
            history.insert(*key, file);
        }
    }
    for file in &*history {
        count_in(&mut seen.remembered, file, count);
    }
    count_entries(&mut update.record, count, &seen);
    note_day(&mut update.record, count, history);
    update
}

/// Counts a file in the status with a reason that it may be in: it is there, or was there last and the read does not list it elsewhere. A missed one is
/// counted: if it comes back, it enters nothing.
fn count_in(files: &mut ByStatus<u64>, (key, file): (&FileKey, &KnownFile), count: &FolderCount) {
    if let Some(settled) = file.settled.filter(|_| !file.is_done)
        && (file.status == settled || !count.unfinished.contains_key(key))
    {
        files[settled] += 1;
    }
}

fn count_entries(record: &mut FolderRecord, count: &FolderCount, seen: &Seen) {
    let mut entered = ByStatus::<u64>::default();
    for status in Status::ALL {
        let unidentified = &mut record.unidentified[status];
        (entered[status], *unidentified) = unidentified.after(status, count, seen);
    }
    if entered.total() > 0 {
        Arc::make_mut(&mut record.counters).entries += entered;
    }
}

/// Notes in the day what was counted, and the newest files of those that were known, too.
fn note_day(record: &mut FolderRecord, count: &FolderCount, history: &FileHistory) {
    let entries = record.counters.entries;
    Arc::make_mut(&mut record.day).note(record.counted, &record.counts, &entries);
    let is_still = |file: &NamedFile| {
        let known = history.get(&file.key);
        known.is_some_and(|known| known.is_settled() && known.status == file.status)
    };
    let newest = &count.reasons.newest;
    let newest = newest.or_known(record.newest.as_deref(), is_still);
    record.newest = (!newest.is_empty()).then(|| Arc::new(newest));
}

/// The folder's record, without what follows from the files.
fn record(before: Option<&FolderRecord>, read: &CompletedRead) -> FolderRecord {
    let (count, ended) = (&read.count, read.ended.wall);
    let before = before.cloned().unwrap_or_default();
    FolderRecord {
        first_counted: if before.shows_nothing() {
            ended
        } else {
            before.first_counted
        },
        began: read.began.wall,
        counted: ended,
        full_read: FullRead::of(count, read.entry, ended, before.full_read).or(before.full_read),
        counts: count.files,
        look: Look {
            way: count.way(),
            consistent: count.consistent,
            requests: count.requests,
            duration: read.ended.elapsed_since(read.began),
            missing_files: read.missing_files,
        },
        ..before
    }
}

/// How a file that is not done is remembered after a read. `now`: the record after it.
fn remember(
    before: Option<&FolderRecord>,
    now: &FolderRecord,
    known: Option<&KnownFile>,
    row: &Unfinished,
) -> KnownFile {
    let ended = now.counted;
    let settled = Some(row.status).filter(|status| status.has_reason());
    let since = match known {
        // A clock that was ahead then has been set right.
        Some(known) if known.status == row.status => known.since.min(ended),
        None if now.first_counted == ended => row.created_at.map_or(ended, |at| at.min(ended)),
        _ => ended,
    };
    let timed_from = match known {
        Some(known) => known.timed_from,
        // Only if it was uploaded after the read before began.
        None => before.and_then(|before| {
            let earliest = before.began.before(CLOCK_GRACE);
            row.created_at.filter(|created| *created >= earliest)
        }),
    };
    KnownFile {
        status: row.status,
        settled: settled.or(known.and_then(|known| known.settled)),
        since,
        timed_from: timed_from.filter(|_| settled.is_none()),
        missed_since: None,
        is_done: false,
        is_away: false,
        class: row.class.clone(),
    }
}

#[cfg(test)]
mod tests;
