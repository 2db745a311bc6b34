//! The reads of a portal that are due, in the order in which they are made.
//!
//! What presses comes first, then what was due first. So that no folder waits for ever, however few requests the rate allows, one read in
//! four is of the quiet folder that was due first, if that was before all that presses. A read that finds no room delays none that does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::clock::Moment;
use crate::model::FolderId;
use crate::portal::{Demand, Lane};

/// Reads that are made at once for each request in flight: enough to use every one of them, few enough that folders are finished one
/// after another and not all at the end.
const READS_PER_REQUEST: usize = 2;

/// Reads of many pages that are made at once, where others have room beside them: with more of them, all would end late.
const LARGE_READS: usize = 2;

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
    /// By boundaries, with the rows of all failed and flagged files.
    Walk,
    /// All of many pages.
    Scan,
    /// All pages of a folder that is counted by boundaries, beside its counts.
    Audit,
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
    /// Whether the folder is answered slowly, so that its read has the room of such folders.
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

    const fn demand(&self) -> Demand {
        match self.kind {
            ReadKind::Count if self.is_slow => Demand::Slow,
            ReadKind::Count => Demand::Usual,
            ReadKind::Walk | ReadKind::Scan | ReadKind::Audit => Demand::Large,
        }
    }
}

/// The reads that wait, and those that are being made.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: BTreeMap<(Need, Demand), BTreeSet<QueuedRead>>,
    /// Reads that were begun since the last quiet one.
    since_quiet: u32,
    begun: BTreeMap<(FolderId, ReadKind), Arc<Lane>>,
    /// Told when a read that is being made makes room for another one, although it goes on.
    eased: Arc<Notify>,
}

/// How many reads are being made that do not wait to repeat a request, and how many may be.
struct Room {
    usual: usize,
    slow: usize,
    large: usize,
    most: usize,
}

impl Room {
    fn beside<'a>(begun: impl Iterator<Item = &'a Arc<Lane>>, concurrency: usize) -> Self {
        let mut room = Self {
            usual: 0,
            slow: 0,
            large: 0,
            most: concurrency * READS_PER_REQUEST,
        };
        for lane in begun {
            match lane.demand() {
                Demand::Usual => room.usual += 1,
                Demand::Slow => room.slow += 1,
                Demand::Large => room.large += 1,
                Demand::Nothing => {}
            }
        }
        room
    }

    /// Slow reads have as much room as all others together, of which large ones leave some to the usual ones.
    fn is_for(&self, demand: Demand) -> bool {
        let is_free = self.usual + self.large < self.most;
        match demand {
            Demand::Usual => is_free,
            Demand::Slow => self.slow < self.most,
            Demand::Large => is_free && self.large < LARGE_READS.min(self.most - 1),
            Demand::Nothing => true,
        }
    }
}

impl Queue {
    pub fn push(&mut self, read: QueuedRead) {
        let line = (read.due.need, read.demand());
        self.waiting.entry(line).or_default().insert(read);
    }

    /// Takes out the read that is to begin now, if there is room for one beside so many requests in flight, and begins it.
    pub fn next(&mut self, concurrency: usize) -> Option<(QueuedRead, Arc<Lane>)> {
        let room = Room::beside(self.begun.values(), concurrency);
        let first = |wanted| {
            let waiting = self.waiting.iter();
            let open =
                waiting.filter(|((need, demand), _)| *need == wanted && room.is_for(*demand));
            open.filter_map(|(_, reads)| reads.first()).min().copied()
        };
        let (pressing, quiet) = (first(Need::Pressing), first(Need::Quiet));
        let is_overdue = |quiet: &QueuedRead| {
            let was_first = pressing.is_none_or(|pressing| quiet.due.at < pressing.due.at);
            was_first && self.since_quiet >= QUIET_EVERY
        };
        let next = quiet.filter(is_overdue).or(pressing).or(quiet)?;
        if let Some(reads) = self.waiting.get_mut(&(next.due.need, next.demand())) {
            reads.remove(&next);
        }
        self.since_quiet = match next.due.need {
            Need::Pressing => self.since_quiet.saturating_add(1),
            Need::Quiet => 0,
        };
        let lane = Arc::new(Lane::new(next.demand(), &self.eased));
        self.begun
            .insert((next.folder, next.kind), Arc::clone(&lane));
        Some((next, lane))
    }

    /// A read ended.
    pub fn ended(&mut self, folder: FolderId, kind: ReadKind) {
        self.begun.remove(&(folder, kind));
    }

    /// Waits until a read that goes on makes room for another one: it waits to repeat a request, or became slow.
    pub async fn eased(&self) {
        self.eased.notified().await;
    }

    /// The counts that wait of these folders, which press by now, come before those of quiet ones.
    pub fn press(&mut self, pressing: &BTreeSet<FolderId>) {
        for mut read in self.take_counts() {
            if pressing.contains(&read.folder) {
                read.due.need = Need::Pressing;
            }
            self.push(read);
        }
    }

    /// Takes out every count that waits.
    pub fn take_counts(&mut self) -> Vec<QueuedRead> {
        let lines = self.waiting.values_mut();
        let counts = lines.flat_map(|reads| reads.extract_if(.., |read| read.kind.is_count()));
        counts.collect()
    }

    /// Since when each count waits.
    pub fn waits_since(&self) -> impl Iterator<Item = Instant> {
        let waiting = self.waiting.values().flatten();
        let counts = waiting.filter(|read| read.kind.is_count());
        counts.map(|read| read.since)
    }

    /// The folders whose counts have had no good answer for so long, with the last error.
    pub fn failing(&self, time: Duration) -> Vec<(FolderId, String)> {
        let counts = self.begun.iter().filter(|((_, kind), _)| kind.is_count());
        let failing = counts.filter_map(|((id, _), lane)| Some((*id, lane.failed_for(time)?)));
        failing.collect()
    }

    /// Whether such a read waits or is being made.
    pub fn has(&self, is_such: impl Fn(FolderId, ReadKind) -> bool) -> bool {
        let mut waiting = self.waiting.values().flatten();
        let mut begun = self.begun.keys();
        waiting.any(|read| is_such(read.folder, read.kind))
            || begun.any(|(folder, kind)| is_such(*folder, *kind))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;
    use ReadKind::{Audit, Count, Scan};

    fn id(number: u128) -> FolderId {
        uuid::Uuid::from_u128(number).into()
    }

    fn is_audit(_: FolderId, kind: ReadKind) -> bool {
        kind == Audit
    }

    fn started(queue: &mut Queue, in_flight: usize) -> Vec<(FolderId, ReadKind)> {
        let next = std::iter::from_fn(|| queue.next(in_flight));
        next.map(|(read, _)| (read.folder, read.kind)).collect()
    }

    /// Queues a read that was due so many seconds ago.
    fn push(queue: &mut Queue, folder: u128, kind: ReadKind, need: Need, before: u64) {
        let at = Moment::now().steady - Duration::from_secs(before);
        queue.push(QueuedRead {
            due: Due { need, at },
            folder: id(folder),
            kind,
            is_slow: false,
            since: at,
            requests: 0,
        });
    }

    #[test]
    fn what_presses_and_was_due_first_is_read_first_and_what_finds_no_room_delays_nothing_else() {
        let mut queue = Queue::default();
        for (folder, kind, before) in [
            (1, Count, 1),
            (2, Count, 9),
            (3, Scan, 8),
            (4, Scan, 7),
            (5, Scan, 6),
            (6, Count, 5),
            (7, Count, 4),
        ] {
            push(&mut queue, folder, kind, Need::Pressing, before);
        }
        push(&mut queue, 2, Audit, Need::Quiet, 0);
        let first = [(id(2), Count), (id(3), Scan), (id(4), Scan), (id(6), Count)];
        assert_eq!(started(&mut queue, 2), first);
        assert!(queue.has(is_audit));

        queue.ended(id(3), Scan);
        assert_eq!(started(&mut queue, 2), [(id(5), Scan)]);
        queue.ended(id(5), Scan);
        queue.ended(id(6), Count);
        let counts = [(id(7), Count), (id(1), Count)];
        assert_eq!(started(&mut queue, 2), counts);
        queue.ended(id(7), Count);
        assert_eq!(started(&mut queue, 2), [(id(2), Audit)]);
        queue.ended(id(2), Audit);
        assert!(!queue.has(is_audit));

        push(&mut queue, 2, Audit, Need::Quiet, 10);
        push(&mut queue, 8, Scan, Need::Quiet, 10);
        let counts = queue.take_counts().into_iter();
        assert!(counts.map(|read| read.folder).eq([id(8)]));
        assert!(queue.has(is_audit));
    }

    #[test]
    fn one_read_in_four_is_the_quiet_one_that_was_due_first() {
        let mut queue = Queue::default();
        for number in 1..=8 {
            let since = 2 - u64::try_from(number).unwrap() / 8;
            push(&mut queue, number, Count, Need::Pressing, since);
        }
        push(&mut queue, 9, Count, Need::Quiet, 3);
        push(&mut queue, 10, Count, Need::Quiet, 4);
        let order = started(&mut queue, 5).into_iter();
        let order: Vec<_> = order.map(|(folder, _)| folder).collect();
        assert_eq!(order, [1, 2, 3, 10, 4, 5, 6, 9, 7, 8].map(id));
    }

    #[test]
    fn large_reads_leave_room_to_others_and_slow_ones_have_their_own() {
        let mut queue = Queue::default();
        (1..=3).for_each(|number| push(&mut queue, number, Scan, Need::Pressing, 9));
        (4..=6).for_each(|number| push(&mut queue, number, Count, Need::Pressing, 8));
        let first = [(id(1), Scan), (id(4), Count)];
        assert_eq!(started(&mut queue, 1), first);
        let slow = QueuedRead {
            folder: id(7),
            is_slow: true,
            ..queue.take_counts()[1]
        };
        queue.push(slow);
        assert_eq!(started(&mut queue, 1), [(id(7), Count)]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_read_that_waits_or_becomes_slow_makes_room_for_another_one_at_once() {
        let limit = Duration::from_secs(30);
        for waits in [true, false] {
            let mut queue = Queue::default();
            (1..=3).for_each(|number| push(&mut queue, number, Count, Need::Pressing, 9));
            let (_, lane) = queue.next(1).unwrap();
            assert!(queue.next(1).is_some() && queue.next(1).is_none());
            let rests = async {
                if waits {
                    lane.rest(limit, &"status 503").await;
                } else {
                    lane.answered(limit, limit);
                    sleep(limit).await;
                }
            };
            tokio::select! {
                () = rests => panic!("the read went on first"),
                () = queue.eased() => {}
            }
            assert!(queue.next(1).is_some());
        }
    }
}
