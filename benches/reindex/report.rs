//! Plays a week with each policy, and holds them against each other.

use std::fmt;

use crate::policies::{Omniscient, Policy, ThisProgram};
use crate::week::{Figures, Returned, Size, Week};

/// The figures of one policy.
pub struct Row {
    pub name: &'static str,
    pub figures: Figures,
}

/// The figures of all.
pub struct Report {
    rows: Vec<Row>,
    pub program: ThisProgram,
}

impl Report {
    /// Plays what this program is held against, and this program.
    pub fn of(size: Size, baselines: Vec<Box<dyn Policy>>) -> Self {
        let mut program = ThisProgram::new(size.seed);
        let mut rows = vec![play(size, &mut Omniscient::default())];
        let others = baselines.into_iter();
        rows.extend(others.map(|mut baseline| play(size, &mut *baseline)));
        rows.push(play(size, &mut program));
        Self { rows, program }
    }

    /// The figures of this program.
    pub fn figures(&self) -> Figures {
        self.rows[self.rows.len() - 1].figures
    }

    /// The figures of who knows everything.
    pub fn omniscient(&self) -> Figures {
        self.rows[0].figures
    }

    /// The share of the files sent that were sent in vain, and that who knows everything would not have sent.
    pub fn in_vain(&self, figures: &Figures) -> f64 {
        let beyond = figures.in_vain.saturating_sub(self.omniscient().in_vain);
        share(beyond, figures.sent)
    }

    /// Requests for each one of who knows everything.
    pub fn requests(&self, figures: &Figures) -> f64 {
        share(figures.requests, self.omniscient().requests)
    }
}

fn play(size: Size, policy: &mut dyn Policy) -> Row {
    let mut week = Week::new(size);
    while !week.is_over() {
        week.step();
        policy.read(&mut week);
    }
    let figures = week.close();
    Row {
        name: policy.name(),
        figures,
    }
}

/// The share of a whole, 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 / whole as f64
}

/// The share of files that came back in time.
pub fn in_time(returned: Returned) -> f64 {
    share(returned.in_time, returned.all)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<24} {:>9} {:>8} {:>8} {:>7} {:>7} {:>7} {:>8} {:>9} | {:>6} {:>8} {:>7}",
            "policy",
            "transient",
            "in time",
            "requests",
            "sent",
            "helped",
            "in vain",
            "requests",
            "in vain",
            "worker",
            "in time",
            "in vain"
        )?;
        for Row { name, figures } in &self.rows {
            writeln!(
                f,
                "{name:<24} {:>9} {:>7.1}% {:>8} {:>7} {:>7} {:>7} {:>7.2}x {:>8.3} | {:>6} {:>7.1}% {:>7}",
                figures.transient.all,
                in_time(figures.transient) * 100.0,
                figures.requests,
                figures.sent,
                figures.helped,
                figures.in_vain,
                self.requests(figures),
                self.in_vain(figures),
                figures.worker.all,
                in_time(figures.worker) * 100.0,
                figures.worker_in_vain,
            )?;
        }
        let ThisProgram {
            kills,
            reasons,
            breaker_open,
            ..
        } = &self.program;
        writeln!(f, "killed: {kills:?}; breaker open: {breaker_open} minutes")?;
        writeln!(f, "decisions: {reasons:?}")
    }
}
