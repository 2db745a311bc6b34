//! Plays the same days with each policy, and compares the figures.

use std::collections::BTreeMap;

use crate::policies::{EveryHour, Killed, Omniscient, Policy, ThisProgram};
use crate::portal::{Figures, Folder, OUTAGE, Portal, Returned, Size};

/// Who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Omniscient,
    EveryHour,
    Program,
}

/// What came of a world with one policy.
pub struct Played {
    pub figures: Figures,
    pub kills: BTreeMap<Killed, u64>,
    /// Files that are failed in the end.
    pub failed_at_end: u64,
    /// The last minute in which a file was failed or waited.
    pub last_open: u32,
}

pub fn play(who: Who, size: Size) -> Played {
    let mut program = ThisProgram::new(size.seed);
    let mut omniscient = Omniscient::default();
    let policy: &mut dyn Policy = match who {
        Who::Omniscient => &mut omniscient,
        Who::EveryHour => &mut EveryHour,
        Who::Program => &mut program,
    };
    let mut portal = Portal::new(size);
    let mut last_open = 0;
    while !portal.is_over() {
        portal.step();
        policy.read(&mut portal);
        if portal.folders.iter().any(|folder| !folder.open.is_empty()) {
            last_open = portal.now;
        }
    }
    let failed = portal.folders.iter().flat_map(Folder::failed);
    Played {
        failed_at_end: failed.count() as u64,
        last_open,
        figures: portal.close(),
        kills: program.kills,
    }
}

impl Played {
    /// The share of the recoverable files that were done in time.
    pub fn in_time(&self) -> f64 {
        in_time(self.figures.transient)
    }

    /// The share of the sent files that failed again and that the omniscient policy would not have sent.
    pub fn in_vain(&self, omniscient: &Self) -> f64 {
        let avoidable = self
            .figures
            .in_vain
            .saturating_sub(omniscient.figures.in_vain);
        share(avoidable, self.figures.sent)
    }

    /// The figures, for people.
    pub fn row(&self, omniscient: &Self) -> String {
        let [_, end] = OUTAGE;
        format!(
            "in time {:.3}, requests {} ({:.2}), in vain {:.3}, failed in the end {}, open until {} min after the outage",
            self.in_time(),
            self.figures.requests,
            self.requests(omniscient),
            self.in_vain(omniscient),
            self.failed_at_end,
            i64::from(self.last_open) - i64::from(end),
        )
    }

    /// Requests for each one of another policy.
    pub fn requests(&self, omniscient: &Self) -> f64 {
        share(self.figures.requests, omniscient.figures.requests)
    }
}

fn in_time(returned: Returned) -> f64 {
    share(returned.in_time, returned.all)
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
