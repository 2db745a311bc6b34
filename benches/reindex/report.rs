//! Plays a week with each policy, and holds them against each other.

use std::fmt;

use crate::policies::{Before, EveryHour, Never, Omniscient, Policy, ThisProgram};
use crate::week::{Figures, Size, Week};

/// The figures of one policy.
pub struct Row {
    pub name: &'static str,
    pub figures: Figures,
}

/// The figures of all.
pub struct Report {
    pub rows: Vec<Row>,
    remarks: String,
}

impl Report {
    pub fn of(size: Size) -> Self {
        let mut rows = vec![
            play(size, &mut Omniscient::default()),
            play(size, &mut Never),
            play(size, &mut EveryHour),
            play(size, &mut Before::new()),
        ];
        let mut program = ThisProgram::new(&Week::new(size));
        rows.push(play(size, &mut program));
        let held = program.reasons.iter();
        let held: Vec<_> = held
            .map(|(reason, times)| format!("{reason} {times}"))
            .collect();
        let remarks = format!(
            "decisions: {}; breaker open for {} minutes\n",
            held.join(", "),
            program.breaker_open
        );
        Self { rows, remarks }
    }

    /// The figures of this program.
    pub fn program(&self) -> Figures {
        self.rows[self.rows.len() - 1].figures
    }

    /// The figures of who knows everything.
    pub fn omniscient(&self) -> Figures {
        self.rows[0].figures
    }
}

fn play(size: Size, policy: &mut dyn Policy) -> Row {
    let mut week = Week::new(size);
    while !week.is_over() {
        week.step();
        policy.look(&mut week);
    }
    let figures = week.close();
    Row {
        name: policy.name(),
        figures,
    }
}

/// A share of a whole, 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 / whole as f64
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<24} {:>10} {:>8} {:>8} {:>8} {:>8} {:>9} {:>13} {:>14}",
            "policy",
            "transient",
            "in time",
            "requests",
            "sent",
            "helped",
            "in vain",
            "of omnisc.",
            "vain beyond"
        )?;
        let best = self.omniscient();
        for Row { name, figures } in &self.rows {
            let beyond = figures.in_vain.saturating_sub(best.in_vain);
            writeln!(
                f,
                "{name:<24} {:>10} {:>7.1}% {:>8} {:>8} {:>8} {:>9} {:>12.2}x {:>13.1}%",
                figures.transient,
                share(figures.in_time, figures.transient) * 100.0,
                figures.requests,
                figures.sent,
                figures.helped,
                figures.in_vain,
                share(figures.requests, best.requests),
                share(beyond, figures.sent) * 100.0,
            )?;
        }
        f.write_str(&self.remarks)
    }
}
