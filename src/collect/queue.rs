//! The reads of a portal that are due, in the order in which they are made.
//!
//! What presses comes first, then what was due first. So that no folder waits for ever, however few requests the rate allows, one read in
//! four is of the quiet folder that was due first, if that was before all that presses. A read that finds no slot delays none that does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::clock::Moment;
use crate::model::FolderId;
use crate::portal::{Demand, Lane};

/// Slots for reads, for each request in flight, and as many for slow ones: enough to use every request, few enough that folders are finished one
/// after another and not all at the end.
const SLOTS_PER_REQUEST: usize = 2;

/// Reads of many pages that are made at once: with more of them, all would end late.
const LARGE_READS: usize = 2;

/// Of which one is made at a time, so that there is a slot for other large reads.
const WALK_OF_ALL: ReadKind = ReadKind::Walk(Walk::AllRows);

/// After this number of reads of folders that press, a quiet one follows.
const QUIET_EVERY: u32 = 3;

/// How much a read is needed, most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    /// The folder was never counted, has files that move, changed in the list, or could not be counted.
    Pressing,
    Quiet,
}

/// When a folder is due, and how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due {
    pub need: Need,
    pub at: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ReadKind {
    /// By boundaries, or all of a few pages.
    Count,
    /// All of many pages.
    Scan,
    /// Rows that a count left out.
    Walk(Walk),
}

/// Rows that a walk reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Walk {
    /// Of all failed and flagged files, by boundaries.
    WithReason,
    /// All, in the order of their status, while the folder is counted by boundaries.
    AllRows,
}

impl ReadKind {
    /// Whether a collection waits for it.
    pub const fn is_count(self) -> bool {
        matches!(self, Self::Count | Self::Scan)
    }
}

/// A read that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct QueuedRead {
    pub due: Due,
    pub folder: FolderId,
    pub kind: ReadKind,
    /// Whether the folder is answered slowly.
    pub is_slow: bool,
    /// Since when it waits, or waited.
    pub since: Instant,
    /// Requests that were made for it before it waits again.
    pub requests: u64,
}

impl QueuedRead {
    pub fn new(folder: FolderId, kind: ReadKind, due: Due) -> Self {
        Self {
            due,
            folder,
            kind,
            is_slow: false,
            since: Moment::now().steady,
            requests: 0,
        }
    }

    fn is_large(&self) -> bool {
        self.kind != ReadKind::Count
    }

    fn demand(&self) -> Demand {
        Demand::of(self.is_large(), self.is_slow)
    }
}

/// The reads that wait, and those that are being made.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pressing: BTreeSet<QueuedRead>,
    quiet: BTreeSet<QueuedRead>,
    /// Reads that were begun since the last quiet one.
    since_quiet: u32,
    begun: BTreeMap<(FolderId, ReadKind), Arc<Lane>>,
    /// Told when a read that is being made frees its slot although it goes on.
    eased: Arc<Notify>,
}

/// The reads that have a slot. One that waits to repeat a request has none.
struct Slots {
    all: usize,
    usual: usize,
    slow: usize,
    large: usize,
}

impl Slots {
    /// Whether one is free. Large reads leave one to the usual ones, and slow ones have their own.
    fn has_one_for(&self, demand: Demand) -> bool {
        let is_free = self.usual + self.large < self.all;
        match demand {
            Demand::Usual | Demand::Nothing => is_free,
            Demand::Large => is_free && self.large < LARGE_READS,
            Demand::Slow => self.slow < self.all,
        }
    }
}

impl Queue {
    fn waiting_mut(&mut self, need: Need) -> &mut BTreeSet<QueuedRead> {
        match need {
            Need::Pressing => &mut self.pressing,
            Need::Quiet => &mut self.quiet,
        }
    }

    fn waiting(&self) -> impl Iterator<Item = &QueuedRead> {
        self.pressing.iter().chain(&self.quiet)
    }

    pub fn push(&mut self, read: QueuedRead) {
        self.waiting_mut(read.due.need).insert(read);
    }

    /// Takes out the read that is to begin now, if there is a slot for one beside the requests in flight, and begins it.
    pub fn next(&mut self, concurrency: usize) -> Option<(QueuedRead, Arc<Lane>)> {
        let slots = self.slots(concurrency);
        let may_begin =
            |read: &&QueuedRead| slots.has_one_for(read.demand()) && !self.waits_for_another(read);
        let pressing = self.pressing.iter().find(may_begin).copied();
        let quiet = self.quiet.iter().find(may_begin).copied();
        let is_overdue = |quiet: &QueuedRead| {
            let was_first = pressing.is_none_or(|pressing| quiet.due.at < pressing.due.at);
            was_first && self.since_quiet >= QUIET_EVERY
        };
        let next = quiet.filter(is_overdue).or(pressing).or(quiet)?;
        self.waiting_mut(next.due.need).remove(&next);
        self.since_quiet = match next.due.need {
            Need::Pressing => self.since_quiet.saturating_add(1),
            Need::Quiet => 0,
        };
        let lane = Arc::new(Lane::new(next.is_large(), next.is_slow, &self.eased));
        self.begun
            .insert((next.folder, next.kind), Arc::clone(&lane));
        Some((next, lane))
    }

    /// Whether a walk waits until another read has ended: a count of its folder, or the walk of all rows of another one that is answered fast.
    fn waits_for_another(&self, read: &QueuedRead) -> bool {
        let mut begun = self.begun.iter();
        match read.kind {
            ReadKind::Walk(Walk::WithReason) => {
                begun.any(|((folder, kind), _)| *folder == read.folder && kind.is_count())
            }
            WALK_OF_ALL => begun
                .any(|((_, kind), lane)| *kind == WALK_OF_ALL && lane.demand() == Demand::Large),
            ReadKind::Count | ReadKind::Scan => false,
        }
    }

    fn slots(&self, concurrency: usize) -> Slots {
        let with = |demand| {
            let begun = self.begun.values();
            begun.filter(|lane| lane.demand() == demand).count()
        };
        Slots {
            all: (concurrency * SLOTS_PER_REQUEST).max(LARGE_READS + 1),
            usual: with(Demand::Usual),
            slow: with(Demand::Slow),
            large: with(Demand::Large),
        }
    }

    /// A read ended.
    pub fn ended(&mut self, folder: FolderId, kind: ReadKind) {
        self.begun.remove(&(folder, kind));
    }

    /// Waits until a read that goes on frees its slot: it waits to repeat a request, or became slow.
    pub async fn eased(&self) {
        self.eased.notified().await;
    }

    /// The counts that wait of these folders, which press by now, come before those of quiet ones.
    pub fn press(&mut self, folders: &BTreeSet<FolderId>) {
        let is_one = |read: &QueuedRead| read.kind.is_count() && folders.contains(&read.folder);
        for mut read in self.quiet.extract_if(.., is_one) {
            read.due.need = Need::Pressing;
            self.pressing.insert(read);
        }
    }

    /// Takes out every count that waits, of these folders.
    pub fn take_counts(&mut self, of: impl Fn(FolderId) -> bool) -> Vec<QueuedRead> {
        let is_one = |read: &QueuedRead| read.kind.is_count() && of(read.folder);
        let sets = [&mut self.pressing, &mut self.quiet].into_iter();
        sets.flat_map(|reads| reads.extract_if(.., is_one))
            .collect()
    }

    /// Since when each count waits.
    pub fn waits_since(&self) -> impl Iterator<Item = Instant> {
        let counts = self.waiting().filter(|read| read.kind.is_count());
        counts.map(|read| read.since)
    }

    /// The folders whose counts have had no good answer for so long, with the last error.
    pub fn failing(&self, time: Duration) -> Vec<(FolderId, String)> {
        let begun = self.begun.iter();
        let counts = begun.filter(|((_, kind), _)| *kind != WALK_OF_ALL);
        let failing = counts.filter_map(|((id, _), lane)| Some((*id, lane.failed_for(time)?)));
        failing.collect()
    }

    /// Whether such a read waits or is being made.
    pub fn has(&self, folder: FolderId, kind: ReadKind) -> bool {
        let is_same = |read: &QueuedRead| read.folder == folder && read.kind == kind;
        self.begun.contains_key(&(folder, kind)) || self.waiting().any(is_same)
    }
}

#[cfg(test)]
mod tests;
