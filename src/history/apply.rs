//! The changes between two reads.

use std::sync::Arc;
use std::time::Duration;

use crate::count::{DoneFiles, Unfinished};
use crate::history::record::{Coverage, FileHistory, FolderRecord, FullRead, KnownFile};
use crate::history::update::{CompletedRead, Update};
use crate::history::{absence, entries, limit};
use crate::model::{ByStatus, FileKey, Status, Timestamp};

/// How far the portal's clock may be behind ours (docs/metrics.md, Indexing time).
const CLOCK_GRACE: Duration = Duration::from_mins(2);

/// Compares a read with the stored data of the reads before it.
pub fn apply(
    before: Option<&FolderRecord>,
    history: &FileHistory,
    read: &CompletedRead<'_>,
) -> Update {
    let mut update = Update {
        record: record(before, read),
        changed: Vec::new(),
        forgotten: Vec::new(),
        finished: Vec::new(),
        rows: None,
        oldest: ByStatus::default(),
    };
    let mut done = absence::read_as_done(read.count, history);
    let mut new = ByStatus::<u64>::default();
    for (key, row) in &read.count.unfinished {
        let known = history.get(*key);
        let file = remember(before, known, row, read);
        if row.status.has_reason() && known.and_then(|file| file.settled) != file.settled {
            new[row.status] += u64::from(!was_left_out(before, history, *key, row));
            // A torn read may list a file twice: the last status is remembered.
            done.remove(key);
        }
        let oldest = &mut update.oldest[row.status];
        *oldest = Some(oldest.map_or(file.since, |oldest| oldest.min(file.since)));
        if known != Some(&file) && !done.contains(key) {
            update.changed.push((*key, file));
        }
    }
    entries::add(&mut update.record, read, &new);
    update.rows = read.count.consistent.then(|| rows(&update.record, read));
    let base = before.and_then(|before| before.base);
    let done_before = base.map(|base| base[Status::Done]);
    absence::forget(&mut update, history, read, done, done_before);
    limit::limit_history(&mut update, history, read);
    update
}

/// Whether a file may have existed before: the only read that was whole so far did not list it, and it is older than that.
fn was_left_out(
    before: Option<&FolderRecord>,
    history: &FileHistory,
    key: FileKey,
    row: &Unfinished,
) -> bool {
    let Some(before) = before.filter(|before| before.coverage[row.status] == Coverage::Once) else {
        return false;
    };
    let arrived = row.created_at.is_some_and(|at| at >= before.began);
    !arrived && !history.remembers(key) && !history.was_listed(key)
}

/// The hashes of all files of a consistent read that was the first to list a status.
fn rows(record: &FolderRecord, read: &CompletedRead<'_>) -> Arc<Vec<u64>> {
    let once = |status: Status| record.coverage[status] == Coverage::Once;
    match &read.count.done {
        DoneFiles::Read { rows, .. } if Status::WITH_REASON.into_iter().any(once) => {
            Arc::clone(rows)
        }
        _ => Arc::default(),
    }
}

/// The folder's record, without the changes of the read.
fn record(before: Option<&FolderRecord>, read: &CompletedRead<'_>) -> FolderRecord {
    FolderRecord {
        first_counted: before.map_or(read.ended, |before| before.first_counted),
        began: read.began,
        counted: read.ended,
        full_read: full_read(before, read),
        counts: read.count.files,
        base: before.and_then(|before| before.base),
        coverage: before.map_or_else(ByStatus::default, |before| before.coverage),
        counters: before.map_or_else(Arc::default, |before| Arc::clone(&before.counters)),
    }
}

/// How a file that is not done is remembered after this read.
fn remember(
    before: Option<&FolderRecord>,
    known: Option<&KnownFile>,
    row: &Unfinished,
    read: &CompletedRead<'_>,
) -> KnownFile {
    let settled = Some(row.status).filter(|status| status.has_reason());
    let since = match (known, before) {
        (Some(known), _) if known.status == row.status => known.since,
        (None, None) => row.created_at.map_or(read.ended, |at| at.min(read.ended)),
        _ => read.ended,
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
        missed: 0,
    }
}

/// The createdAt of a file that was uploaded after the read before began.
fn arrived_since(before: &FolderRecord, row: &Unfinished) -> Option<Timestamp> {
    row.created_at
        .filter(|created_at| *created_at >= before.began.before(CLOCK_GRACE))
}

fn full_read(before: Option<&FolderRecord>, read: &CompletedRead<'_>) -> Option<FullRead> {
    match &read.count.done {
        DoneFiles::Read { sizes, .. } => Some(FullRead {
            at: read.ended,
            sizes: *sizes,
            missing_rows: read.count.missing_rows,
            shows_sorting: false,
        }),
        DoneFiles::Counted(_) => before.and_then(|before| before.full_read),
    }
}

#[cfg(test)]
mod tests;
