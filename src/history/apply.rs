//! The changes between two reads.

use std::sync::Arc;
use std::time::Duration;

use crate::count::{FolderCount, Unfinished};
use crate::history::entries::Seen;
use crate::history::record::{FileHistory, FolderRecord, FullRead, KnownFile, Look};
use crate::history::update::{CompletedRead, Update};
use crate::history::{absence, limit};
use crate::model::{ByStatus, FileKey, Status, Timestamp};

/// How far the portal's clock may be behind ours (docs/metrics.md, Indexing time).
const CLOCK_GRACE: Duration = Duration::from_mins(2);

/// Compares a read with the stored data of the reads before it.
pub fn apply(before: Option<&FolderRecord>, history: &FileHistory, read: &CompletedRead) -> Update {
    let mut update = Update {
        record: record(before, read),
        changed: Vec::new(),
        forgotten: Vec::new(),
        finished: Vec::new(),
        whole: false,
    };
    let mut new = ByStatus::<u64>::default();
    for (key, row) in &read.count.unfinished {
        let known = history.get(*key);
        let file = remember(before, &update.record, known, row);
        if row.status.has_reason() && known.and_then(|file| file.settled) != file.settled {
            new[row.status] += 1;
        }
        if known != Some(&file) {
            update.changed.push((*key, file));
        }
    }
    let done_before = update.record.unidentified[Status::Done].files();
    let files_before = before.map_or(0, |before| before.counts.total());
    absence::add(&mut update, history, read, done_before, files_before);
    let evicted = limit::limit_history(&mut update, history, read);
    let remembered = remembered(&update, history, &read.count);
    let mut entered = ByStatus::<u64>::default();
    for status in Status::ALL {
        let seen = Seen {
            new: new[status],
            remembered: remembered[status],
            evicted: evicted[status],
        };
        let unidentified = &mut update.record.unidentified[status];
        (entered[status], *unidentified) = unidentified.after(status, &read.count, seen);
    }
    if entered.total() > 0 {
        Arc::make_mut(&mut update.record.counters).entries += entered;
    }
    update
}

/// The files that are remembered after an update and may be among those of a status with a reason: the ones that are in it, and those that were in it
/// last and that the read does not list elsewhere. Missed ones are among them: if they come back, they enter nothing.
fn remembered(update: &Update, history: &FileHistory, count: &FolderCount) -> ByStatus<u64> {
    let place = |key: &FileKey, file: &KnownFile| {
        let settled = file.settled.filter(|_| !file.is_done)?;
        let may_be_there = file.status == settled || !count.unfinished.contains_key(key);
        may_be_there.then_some(settled)
    };
    let mut files = ByStatus::<u64>::default();
    for status in history.iter().filter_map(|(key, file)| place(&key, file)) {
        files[status] += 1;
    }
    let changed = update.changed.iter().map(|(key, _)| key);
    for key in changed.chain(&update.forgotten) {
        if let Some(status) = history.get(*key).and_then(|file| place(key, file)) {
            files[status] -= 1;
        }
    }
    let after = update.changed.iter();
    for status in after.filter_map(|(key, file)| place(key, file)) {
        files[status] += 1;
    }
    files
}

/// The folder's record, without the changes of the read.
fn record(before: Option<&FolderRecord>, read: &CompletedRead) -> FolderRecord {
    let (count, ended) = (&read.count, read.ended.wall);
    FolderRecord {
        first_counted: before
            .filter(|before| !before.shows_nothing())
            .map_or(ended, |before| before.first_counted),
        began: read.began.wall,
        counted: ended,
        full_read: FullRead::after(
            before.and_then(|before| before.full_read),
            count,
            read.entry,
            ended,
        ),
        counts: count.files,
        look: Look {
            way: count.way(),
            consistent: count.consistent,
            requests: count.requests,
            duration: read.ended.elapsed_since(read.began),
            missing_files: read.missing_files,
        },
        unidentified: before.map_or_else(ByStatus::default, |before| before.unidentified),
        counters: before.map_or_else(Arc::default, |before| Arc::clone(&before.counters)),
        day: before.map_or_else(Arc::default, |before| Arc::clone(&before.day)),
        newest: before.and_then(|before| before.newest.clone()),
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
        None => before.and_then(|before| arrived_since(before, row)),
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

/// The createdAt of a file that was uploaded after the read before began.
fn arrived_since(before: &FolderRecord, row: &Unfinished) -> Option<Timestamp> {
    row.created_at
        .filter(|created_at| *created_at >= before.began.before(CLOCK_GRACE))
}

#[cfg(test)]
mod tests;
