//! One look after another: what changed between them.

use std::time::Duration;

use crate::aggregate::{DoneFiles, Reading, Unfinished};
use crate::memory::indexing::IndexingTimes;
use crate::memory::record::{FolderRecord, FullRead, Memory, Remembered, Settled};
use crate::model::{ByStatus, FileKey, FolderName, Status, Timestamp};

/// How far the portal's clock may be behind ours (contract, Indexing time).
const CLOCK_GRACE: Duration = Duration::from_mins(2);

/// Every status but done: those whose files are remembered.
const UNFINISHED: [Status; 5] = [
    Status::Pending,
    Status::Processing,
    Status::Failed,
    Status::Flagged,
    Status::Unknown,
];

/// A look at a folder that reached the end.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// When it began.
    pub began: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
    /// Whether all totals agreed and the rows were distinct and as many as the total.
    pub consistent: bool,
    /// What was read.
    pub reading: &'a Reading,
}

impl Look<'_> {
    /// Whether the rows of a status are whole: as many distinct files read as the count says, in a consistent look.
    fn whole(&self) -> ByStatus<bool> {
        ByStatus::from_fn(|status| self.consistent && self.reading.fits[status])
    }
}

/// What a look changes in what is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The folder's new record.
    pub record: FolderRecord,
    /// Files that are not done and are new, or changed.
    pub changed: Vec<(FileKey, Remembered)>,
    /// Files that are done, or no longer there.
    pub forgotten: Vec<FileKey>,
    /// Those of them that are done, or are taken for it: as many became done as are missing.
    pub finished: Vec<FileKey>,
    /// Since when the longest-waiting file is in each status, of the rows read.
    pub oldest: ByStatus<Option<Timestamp>>,
}

/// Compares a look with what is kept of the ones before it.
#[must_use]
pub fn apply(
    name: &FolderName,
    before: Option<&FolderRecord>,
    memory: &Memory,
    look: &Look<'_>,
) -> Update {
    let whole = look.whole();
    let mut update = Update {
        record: FolderRecord {
            first_counted: before.map_or(look.ended, |before| before.first_counted),
            name: name.clone(),
            began: look.began,
            counted: look.ended,
            full_read: full_read(before, look),
            counts: look.reading.counts,
            whole,
            entries: before.map_or_else(ByStatus::default, |before| before.entries),
            indexing: before.map_or_else(IndexingTimes::default, |before| before.indexing),
        },
        changed: Vec::new(),
        forgotten: Vec::new(),
        finished: Vec::new(),
        oldest: ByStatus::default(),
    };
    let mut fresh = ByStatus::<u64>::default();
    for (key, row) in &look.reading.unfinished {
        let known = memory.get(*key);
        let file = remember(before, known, row, look);
        if Settled::of(row.status).is_some() && known.and_then(|file| file.settled) != file.settled
        {
            fresh[row.status] += 1;
        }
        let oldest = &mut update.oldest[row.status];
        *oldest = Some(oldest.map_or(file.since, |oldest| oldest.min(file.since)));
        if known != Some(&file) {
            update.changed.push((*key, file));
        }
    }
    if let Some(before) = before {
        for (status, entries) in entries(before, look, whole, fresh).iter() {
            update.record.entries[status] += entries;
        }
    }
    forget(&mut update, before, memory, look, whole);
    update
}

/// How a file that is not done is remembered after this look.
fn remember(
    before: Option<&FolderRecord>,
    known: Option<&Remembered>,
    row: &Unfinished,
    look: &Look<'_>,
) -> Remembered {
    let settled = Settled::of(row.status);
    let since = match (known, before) {
        (Some(known), _) if known.status == row.status => known.since,
        (None, None) => row.created_at.map_or(look.ended, |at| at.min(look.ended)),
        _ => look.ended,
    };
    let timed_from = match known {
        Some(known) => known.timed_from,
        None => before.and_then(|before| arrived_since(before, row)),
    };
    Remembered {
        status: row.status,
        settled: settled.or(known.and_then(|known| known.settled)),
        since,
        timed_from: timed_from.filter(|_| settled.is_none()),
    }
}

/// The createdAt of a file that was uploaded after the look before began.
fn arrived_since(before: &FolderRecord, row: &Unfinished) -> Option<Timestamp> {
    row.created_at
        .filter(|created_at| *created_at >= before.began.before(CLOCK_GRACE))
}

/// Files that entered each status since the look before.
fn entries(
    before: &FolderRecord,
    look: &Look<'_>,
    whole: ByStatus<bool>,
    fresh: ByStatus<u64>,
) -> ByStatus<u64> {
    ByStatus::from_fn(|status| {
        let by_file = Settled::of(status).is_some() && before.whole[status] && whole[status];
        if by_file {
            fresh[status]
        } else {
            look.reading.counts[status].saturating_sub(before.counts[status])
        }
    })
}

fn full_read(before: Option<&FolderRecord>, look: &Look<'_>) -> Option<FullRead> {
    match &look.reading.done {
        DoneFiles::Read { sizes, .. } => Some(FullRead {
            at: look.ended,
            sizes: *sizes,
        }),
        DoneFiles::Counted => before.and_then(|before| before.full_read),
    }
}

/// Drops the files that are not waiting any more. Absence from rows that are not whole proves nothing.
fn forget(
    update: &mut Update,
    before: Option<&FolderRecord>,
    memory: &Memory,
    look: &Look<'_>,
    whole: ByStatus<bool>,
) {
    if !look.consistent {
        return;
    }
    let mut absent = Vec::new();
    if UNFINISHED.iter().all(|status| whole[*status]) {
        let is_absent = |key: &FileKey| !look.reading.unfinished.contains_key(key);
        absent = memory
            .iter()
            .map(|(key, _)| key)
            .filter(is_absent)
            .collect();
    }
    update.finished = match &look.reading.done {
        DoneFiles::Read { finished, .. } => finished.clone(),
        // Whoever is missing is done, or was deleted: as many as the done files grew by can all be done.
        DoneFiles::Counted if absent.len() as u64 <= done_grew_by(before, look) => absent.clone(),
        DoneFiles::Counted => Vec::new(),
    };
    for key in &update.finished {
        if let Some(from) = memory.get(*key).and_then(|file| file.timed_from) {
            update.record.indexing.observe(look.ended.since(from));
        }
    }
    update.forgotten = if absent.is_empty() {
        update.finished.clone()
    } else {
        absent
    };
}

fn done_grew_by(before: Option<&FolderRecord>, look: &Look<'_>) -> u64 {
    let before = before.map_or(0, |before| before.counts[Status::Done]);
    look.reading.counts[Status::Done].saturating_sub(before)
}

#[cfg(test)]
mod tests;
