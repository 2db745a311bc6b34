//! Faults that come and go at random.

use std::time::{Duration, Instant};

use kb_simulator::Simulator;
use kb_simulator::faults::{
    BodyFault, Fault, Faults, LineFault, ListFault, PageFault, RetryAfter, RowFault, Scope, Target,
};

use crate::faults::ailing::Ailing;

/// What comes and goes.
pub(super) struct Weather {
    simulator: Simulator,
    faults: Faults,
    random: fastrand::Rng,
    next: Instant,
    changes: usize,
}

impl Weather {
    pub(super) fn new(portal: &Ailing, seed: u64) -> Self {
        Self {
            simulator: portal.simulator.clone(),
            faults: portal.faults.clone(),
            random: fastrand::Rng::with_seed(seed ^ 2),
            next: Instant::now() + Duration::from_secs(2),
            changes: 0,
        }
    }

    /// Times at which the faults changed.
    pub(super) fn changes(&self) -> usize {
        self.changes
    }

    /// Brings another fault, or none, when it is time.
    pub(super) fn change(&mut self) {
        if Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + Duration::from_millis(self.random.u64(200..1_500));
        self.changes += 1;
        self.faults.clear();
        for _ in 0..self.random.usize(..3) {
            let (fault, target) = self.fault();
            let scope = self.scope(target);
            self.faults.add(scope, fault);
        }
    }

    fn scope(&mut self, target: Target) -> Scope {
        match self.random.u32(..4) {
            0 => Scope::each(target),
            1 => Scope::nth(target, self.random.u64(1..20)),
            _ => Scope::chance(target, self.random.f64()),
        }
    }

    fn target(&mut self) -> Target {
        let folders = self.simulator.with(|world| world.folder_ids());
        let folder = self.random.choice(&folders).copied().unwrap_or_default();
        match self.random.u32(..5) {
            0 => Target::All,
            1 => Target::List,
            2 => Target::Files,
            3 => Target::Folder(folder),
            _ => Target::Page(folder, self.random.u64(1..4)),
        }
    }

    fn fault(&mut self) -> (Fault, Target) {
        let target = self.target();
        let random = &mut self.random;
        match random.u32(..8) {
            0 | 1 => (Fault::Line(one(random, &LINES)), target),
            2 => (Fault::Body(one(random, &BODIES)), target),
            3 | 4 => {
                let retry_after = one(random, &RETRY_AFTER);
                (Fault::Status(one(random, &STATUSES), retry_after), target)
            }
            5 => (Fault::List(one(random, &LISTS)), Target::List),
            6 => (Fault::Page(one(random, &PAGES)), Target::Files),
            _ => (Fault::Row(one(random, &ROWS)), target),
        }
    }
}

fn one<T: Copy>(random: &mut fastrand::Rng, of: &[T]) -> T {
    of[random.usize(..of.len())]
}

const LINES: [LineFault; 9] = [
    LineFault::Refused,
    LineFault::Reset,
    LineFault::Closed,
    LineFault::NoHttp,
    LineFault::HalfHead,
    LineFault::CutBody,
    LineFault::CutChunks,
    LineFault::Silent,
    LineFault::Drip,
];

const BODIES: [BodyFault; 8] = [
    BodyFault::Garbage,
    BodyFault::Truncated,
    BodyFault::OtherTypes,
    BodyFault::Html,
    BodyFault::Empty,
    BodyFault::GzipBomb,
    BodyFault::BrokenGzip,
    BodyFault::DeepNesting,
];

const STATUSES: [u16; 12] = [204, 302, 400, 401, 403, 404, 408, 418, 429, 500, 502, 503];

const RETRY_AFTER: [RetryAfter; 4] = [
    RetryAfter::Absent,
    RetryAfter::Seconds(1),
    RetryAfter::Date(Duration::from_secs(1)),
    RetryAfter::Nonsense,
];

const LISTS: [ListFault; 6] = [
    ListFault::TotalTooLarge,
    ListFault::TotalTooSmall,
    ListFault::Emptied,
    ListFault::NoMeta,
    ListFault::NoUuids,
    ListFault::NamedTwice,
];

const PAGES: [PageFault; 13] = [
    PageFault::MovingTotals,
    PageFault::Repeated,
    PageFault::MissingRows,
    PageFault::RowsTwice,
    PageFault::EmptyEarly,
    PageFault::OtherPage,
    PageFault::Shrinking,
    PageFault::Endless,
    PageFault::NonsenseTotalPages,
    PageFault::NegativeTotal,
    PageFault::HugeTotal,
    PageFault::TotalAsText,
    PageFault::NoPagination,
];

const ROWS: [RowFault; 5] = [
    RowFault::HugeNumbers,
    RowFault::NegativeNumbers,
    RowFault::LoneSurrogates,
    RowFault::LongText,
    RowFault::HostileText,
];
