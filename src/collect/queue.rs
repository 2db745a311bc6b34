//! The reads of a portal that are due, in the order in which they are made: pure.
//!
//! What presses comes first, then what was due first. So that no folder waits for ever, however few requests the rate allows, one read in
//! four is of the quiet folder that was due first, if that was before all that presses. A read that is due begins as soon as there is room, whatever it takes.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::Instant;

use crate::model::FolderId;
use crate::portal::Demand;

/// Reads that are made at once for each request in flight: enough to use every one of them, few enough that folders are finished one
/// after another and not all at the end.
const READS_PER_REQUEST: usize = 2;

/// Interval between checks whether a read became slow or waits, which makes room for another one.
const CHECK_DEMAND_EVERY: Duration = Duration::from_secs(1);

/// Reads of many pages that are made at once: with more of them, all would end late.
const LARGE_READS: usize = 2;

/// After this number of reads of folders that press, a quiet one has its turn.
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

/// A read that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn {
    pub due: Due,
    pub folder: FolderId,
    pub kind: ReadKind,
    /// Whether the folder is answered slowly, so that its read has the room of such folders.
    pub is_slow: bool,
}

/// What decides whether a read that waits may begin: of those that have it in common, only the first one is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    need: Need,
    kind: ReadKind,
    is_slow: bool,
}

impl Line {
    const fn of(turn: &Turn) -> Self {
        Self {
            need: turn.due.need,
            kind: turn.kind,
            is_slow: turn.is_slow,
        }
    }

    fn is_quiet(self) -> bool {
        self.need == Need::Quiet
    }

    fn is_audit(self) -> bool {
        self.kind == ReadKind::Audit
    }
}

/// The reads that wait, and those that are being made.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: BTreeMap<Line, BTreeSet<Turn>>,
    /// Reads that were begun since the last quiet one.
    since_quiet: u32,
    begun: BTreeSet<(FolderId, ReadKind)>,
}

/// How many reads of each kind are being made, and how many may be.
struct Room {
    /// Reads of folders that are answered as usual, and of slow ones. Those that wait to repeat a request need no room.
    counts: [usize; 2],
    scans: usize,
    walks: usize,
    audits: usize,
    limit: usize,
}

impl Room {
    fn new(
        begun: &BTreeSet<(FolderId, ReadKind)>,
        in_flight: usize,
        demand: impl Fn(FolderId) -> Demand,
    ) -> Self {
        let of = |wanted| begun.iter().filter(move |(_, kind)| *kind == wanted);
        let mut counts = [0; 2];
        for (folder, _) in of(ReadKind::Count) {
            match demand(*folder) {
                Demand::Usual => counts[0] += 1,
                Demand::Slow => counts[1] += 1,
                Demand::Nothing => {}
            }
        }
        Self {
            counts,
            scans: of(ReadKind::Scan)
                .filter(|(folder, _)| demand(*folder) != Demand::Nothing)
                .count(),
            walks: of(ReadKind::Walk).count(),
            audits: of(ReadKind::Audit).count(),
            limit: in_flight * READS_PER_REQUEST,
        }
    }

    fn has(&self, kind: ReadKind, is_slow: bool) -> bool {
        let is_free = self.scans + self.walks + self.audits < LARGE_READS;
        match kind {
            ReadKind::Count => self.counts[usize::from(is_slow)] < self.limit,
            ReadKind::Scan | ReadKind::Walk => is_free,
            ReadKind::Audit => is_free && self.audits == 0,
        }
    }
}

impl Queue {
    pub fn push(&mut self, turn: Turn) {
        self.waiting
            .entry(Line::of(&turn))
            .or_default()
            .insert(turn);
    }

    /// Takes out the read that is to begin now, if there is room for one. `demand`: what the read of a folder needs that has begun.
    pub fn next(&mut self, in_flight: usize, demand: impl Fn(FolderId) -> Demand) -> Option<Turn> {
        let room = Room::new(&self.begun, in_flight, demand);
        // An audit begins in the place of other reads, never beside them: when none waits, or as the quiet one that was due before all.
        let fronts = [self.first(|_| true), self.first(|line| line.is_quiet())];
        let earliest = fronts.into_iter().flatten().min_by_key(|turn| turn.due.at);
        let is_in_place = |line: &Line| {
            let audit = self.first(|other| other == line);
            !line.is_audit() || audit == earliest
        };
        let is_open = |line: &Line| room.has(line.kind, line.is_slow) && is_in_place(line);
        let first = self.first(|line| is_open(line) && !line.is_audit());
        let quiet = self.first(|line| is_open(line) && line.is_quiet());
        let quiet = quiet.filter(|turn| first.is_none_or(|first| turn.due.at < first.due.at));
        let quiet = quiet.filter(|_| self.since_quiet >= QUIET_EVERY);
        let next = quiet.or_else(|| self.first(is_open))?;
        if let Some(turns) = self.waiting.get_mut(&Line::of(&next)) {
            turns.remove(&next);
        }
        self.since_quiet = match next.due.need {
            Need::Pressing => self.since_quiet.saturating_add(1),
            Need::Quiet => 0,
        };
        self.begin(&next);
        Some(next)
    }

    /// A read begins.
    pub fn begin(&mut self, turn: &Turn) {
        self.begun.insert((turn.folder, turn.kind));
    }

    /// Whether there is room for a read of this kind.
    pub fn has_room(
        &self,
        kind: ReadKind,
        in_flight: usize,
        demand: impl Fn(FolderId) -> Demand,
    ) -> bool {
        Room::new(&self.begun, in_flight, demand).has(kind, false)
    }

    /// The first read of these lines.
    fn first(&self, is_one: impl Fn(&Line) -> bool) -> Option<Turn> {
        let lines = self.waiting.iter().filter(|(line, _)| is_one(line));
        lines.filter_map(|(_, turns)| turns.first()).min().copied()
    }

    /// Takes out every read that waits, but for audits.
    pub fn take_waiting(&mut self) -> Vec<Turn> {
        let lines = self.waiting.extract_if(.., |line, _| !line.is_audit());
        lines.flat_map(|(_, turns)| turns).collect()
    }

    /// When to see next whether a read that has begun makes room for one that waits.
    pub fn next_room(&self, now: Instant) -> Option<Instant> {
        let may_make_room = self.first(|_| true).is_some() && !self.begun.is_empty();
        may_make_room.then(|| now + CHECK_DEMAND_EVERY)
    }

    /// A read ended.
    pub fn ended(&mut self, folder: FolderId, kind: ReadKind) {
        self.begun.remove(&(folder, kind));
    }

    /// Whether an audit waits or is being made.
    pub fn is_auditing(&self) -> bool {
        let mut begun = self.begun.iter();
        begun.any(|(_, kind)| *kind == ReadKind::Audit)
            || self.first(|line| line.is_audit()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use ReadKind::{Audit, Count, Scan};

    fn id(number: u128) -> FolderId {
        uuid::Uuid::from_u128(number).into()
    }

    fn started(queue: &mut Queue) -> Vec<(FolderId, ReadKind)> {
        let next = std::iter::from_fn(|| queue.next(1, |_| Demand::Usual));
        next.map(|turn| (turn.folder, turn.kind)).collect()
    }

    fn push(queue: &mut Queue, folder: FolderId, kind: ReadKind, due: Due) {
        queue.push(Turn {
            due,
            folder,
            kind,
            is_slow: false,
        });
    }

    /// A due time, as seconds before now.
    fn due(need: Need, before: u64, now: Instant) -> Due {
        let at = now - Duration::from_secs(before);
        Due { need, at }
    }

    #[test]
    fn what_presses_and_was_due_first_is_read_first_and_what_finds_no_room_delays_nothing_else() {
        let (mut queue, now) = (Queue::default(), Moment::now().steady);
        let pressing = |before| due(Need::Pressing, before, now);
        push(&mut queue, id(1), Count, pressing(1));
        push(&mut queue, id(2), Count, pressing(9));
        push(&mut queue, id(3), Scan, pressing(8));
        push(&mut queue, id(4), Scan, pressing(7));
        push(&mut queue, id(5), Scan, pressing(6));
        push(&mut queue, id(6), Count, pressing(5));
        push(&mut queue, id(7), Count, pressing(4));
        push(&mut queue, id(2), Audit, due(Need::Quiet, 10, now));
        let first = [(id(2), Count), (id(3), Scan), (id(4), Scan), (id(6), Count)];
        assert_eq!(started(&mut queue), first);
        assert!(queue.is_auditing());

        queue.ended(id(3), Scan);
        assert_eq!(started(&mut queue), [(id(2), Audit)]);
        queue.ended(id(6), Count);
        assert_eq!(started(&mut queue), [(id(7), Count)]);
        queue.ended(id(4), Scan);
        assert_eq!(started(&mut queue), [(id(5), Scan)]);
        queue.ended(id(2), Audit);
        assert!(started(&mut queue).is_empty() && !queue.is_auditing());
        push(&mut queue, id(2), Audit, due(Need::Quiet, 10, now));
        let waiting = queue.take_waiting().into_iter();
        assert!(waiting.map(|turn| turn.folder).eq([id(1)]));
        assert!(queue.is_auditing());
    }

    #[test]
    fn one_read_in_four_is_the_quiet_one_that_was_due_first() {
        let (mut queue, now) = (Queue::default(), Moment::now().steady);
        for number in 1..=8 {
            push(&mut queue, id(number), Count, due(Need::Pressing, 0, now));
        }
        push(&mut queue, id(9), Count, due(Need::Quiet, 3, now));
        push(&mut queue, id(10), Count, due(Need::Quiet, 4, now));
        let next = std::iter::from_fn(|| queue.next(5, |_| Demand::Usual));
        let order: Vec<_> = next.map(|turn| turn.folder).collect();
        assert_eq!(order, [1, 2, 3, 10, 4, 5, 6, 9, 7, 8].map(id));
    }

    #[test]
    fn a_read_that_is_answered_slowly_makes_room_for_another_one() {
        let (mut queue, now) = (Queue::default(), Moment::now().steady);
        let due = due(Need::Pressing, 0, now);
        (1..=5).for_each(|number| push(&mut queue, id(number), Count, due));
        assert_eq!(started(&mut queue).len(), 2);
        assert_eq!(queue.next_room(now), Some(now + CHECK_DEMAND_EVERY));
        let demand = |folder| {
            if folder == id(1) {
                Demand::Slow
            } else {
                Demand::Usual
            }
        };
        let turn = queue.next(1, demand).unwrap();
        assert_eq!(turn.folder, id(3));
        assert!(queue.next(1, demand).is_none());
        queue.ended(id(1), Count);
        assert!(started(&mut queue).is_empty());
        queue.take_waiting();
        assert_eq!(queue.next_room(now), None);
    }
}
