//! Faults that come and go at random.

use std::time::{Duration, Instant};

use kb_simulator::Simulator;
use kb_simulator::faults::{BodyFault, Fault, Faults, ListFault, RowFault, Scope, Target};

use crate::faults::table::{self, Kind};
use crate::support::portal::Portal;

/// What comes and goes.
pub(super) struct Weather {
    simulator: Simulator,
    faults: Faults,
    /// Those that may come.
    all: Vec<Fault>,
    random: fastrand::Rng,
    next: Instant,
    changes: usize,
}

impl Weather {
    pub(super) fn new(portal: &Portal, seed: u64) -> Self {
        Self {
            simulator: portal.simulator(),
            faults: portal.faults.clone(),
            all: all(),
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
        let fault = self.all[self.random.usize(..self.all.len())].clone();
        let target = match fault {
            Fault::List(_) => Target::List,
            Fault::Page(_) => Target::Files,
            _ => target,
        };
        (fault, target)
    }
}

/// The faults of the matrix, but for those that take long, or that leave rows without a status.
fn all() -> Vec<Fault> {
    let rows = [table::waiting(), table::failures(), table::contents()].concat();
    let faults = rows.into_iter().filter_map(|row| match row.fault {
        Kind::Redirect(_)
        | Kind::Of(
            Fault::List(ListFault::Grown(_))
            | Fault::Body(BodyFault::Oversized)
            | Fault::Row(RowFault::Nulls | RowFault::Absent | RowFault::OtherTypes),
        ) => None,
        Kind::Of(fault) => Some(fault),
    });
    faults.collect()
}
