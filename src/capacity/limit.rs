//! What limits an installation, and how many processes it should have.

use std::num::NonZeroU16;

/// Series of one process that a Prometheus server scrapes within its usual timeout of ten seconds with a wide margin.
pub(super) const SERIES: f64 = 500_000.0;

/// Resident memory of one process that is still easy to schedule, in bytes.
pub(super) const PROCESS_BYTES: f64 = 1024.0 * super::MIB;

/// What can limit an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// The requests that the portal is sent.
    Rate,
    /// The series of one process in Prometheus.
    Series,
    /// The memory of one process.
    Memory,
    /// The time that one process takes to render its exposition.
    Rendering,
}

/// How far each limit is used: 1 is all of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Usage {
    /// The rate at which no folder waits for longer than it should, of the rate that is allowed.
    pub rate: f64,
    /// The series of one process, of [`SERIES`].
    pub series: f64,
    /// The memory of one process, of [`PROCESS_BYTES`].
    pub memory: f64,
    /// The time between two renderings, of the interval.
    pub rendering: f64,
}

impl Usage {
    /// The limit that is used most, and how far.
    pub fn highest(self) -> (Limit, f64) {
        let all = [
            (Limit::Series, self.series),
            (Limit::Memory, self.memory),
            (Limit::Rendering, self.rendering),
        ];
        let first = (Limit::Rate, self.rate);
        all.into_iter().fold(
            first,
            |most, next| if next.1 > most.1 { next } else { most },
        )
    }

    /// The number of processes with which no process exceeds a limit of its own; more processes do not raise the rate.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is not negative, and the cast saturates"
    )]
    pub fn recommended_shards(self, shards: NonZeroU16) -> NonZeroU16 {
        let most = self.series.max(self.memory).max(self.rendering);
        let wanted = (most * f64::from(shards.get())).ceil() as u16;
        NonZeroU16::new(wanted).unwrap_or(NonZeroU16::MIN)
    }
}

impl Limit {
    /// Its name in a document.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::Series => "series",
            Self::Memory => "memory",
            Self::Rendering => "rendering",
        }
    }
}
