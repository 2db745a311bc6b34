//! Plays the same days with each policy, and compares the figures.

use std::collections::BTreeMap;
use std::fmt;

use crate::policies::{EveryHour, Killed, Omniscient, Policy, ThisProgram};
use crate::portal::{Figures, Portal, Returned, Size};

/// The figures of one policy.
pub struct Row {
    name: &'static str,
    pub figures: Figures,
}

pub struct Report {
    /// Of the omniscient policy, of the one that sends every hour, and of this program.
    rows: [Row; 3],
    pub kills: BTreeMap<Killed, u64>,
}

impl Report {
    pub fn of(size: Size) -> Self {
        let mut program = ThisProgram::new(size.seed);
        let rows = [
            play("omniscient", size, &mut Omniscient::default()),
            play("every folder each hour", size, &mut EveryHour),
            play("this program", size, &mut program),
        ];
        let kills = program.kills;
        Self { rows, kills }
    }

    pub fn hourly(&self) -> &Row {
        &self.rows[1]
    }

    pub fn program(&self) -> &Row {
        &self.rows[2]
    }

    /// The share of the sent files that failed again and that the omniscient policy would not have sent.
    pub fn in_vain(&self, row: &Row) -> f64 {
        let [omniscient, ..] = &self.rows;
        let unavoidable = omniscient.figures.in_vain;
        let avoidable = row.figures.in_vain.saturating_sub(unavoidable);
        share(avoidable, row.figures.sent)
    }

    /// Requests for each one of the omniscient policy.
    pub fn requests(&self, row: &Row) -> f64 {
        share(row.figures.requests, self.rows[0].figures.requests)
    }
}

impl Row {
    /// The share of the recoverable files that were done in time.
    pub fn in_time(&self) -> f64 {
        in_time(self.figures.transient)
    }
}

fn in_time(returned: Returned) -> f64 {
    share(returned.in_time, returned.all)
}

fn play(name: &'static str, size: Size, policy: &mut dyn Policy) -> Row {
    let mut portal = Portal::new(size);
    while !portal.is_over() {
        portal.step();
        policy.read(&mut portal);
    }
    let figures = portal.close();
    Row { name, figures }
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            writeln!(
                f,
                "{:<24} in time: {:.2}, of the worker's: {:.2}; requests: {:.2}; in vain: {:.2}",
                row.name,
                row.in_time(),
                in_time(row.figures.worker),
                self.requests(row),
                self.in_vain(row)
            )?;
        }
        writeln!(f, "killed: {:?}", self.kills)
    }
}
