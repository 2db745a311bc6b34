//! The time in which every folder of a portal is read once.

use std::fmt;
use std::time::Duration;

/// A cycle: the time in which every folder is read once, at the rate that the configuration allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadCycle {
    /// How long it takes, at least an interval.
    pub takes: Duration,
    /// The time until the next collection, when this was computed.
    pub interval: Duration,
    /// The longest time between two reads of a folder that is wanted when not all fit into an interval (`collect.quiet_every`).
    pub quiet_every: Duration,
}

impl ReadCycle {
    /// Whether not every folder fits into an interval, so that folders take turns.
    pub fn takes_turns(self) -> bool {
        self.takes > self.interval
    }

    /// Whether quiet folders are read later than they should be.
    pub fn is_late(self) -> bool {
        self.takes_turns() && self.takes > self.quiet_every
    }
}

/// A sentence for people, for a cycle in which folders take turns.
impl fmt::Display for ReadCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            takes,
            interval,
            quiet_every,
        } = self;
        let [takes, interval] = [takes.max(quiet_every), interval].map(|time| whole_seconds(*time));
        write!(
            f,
            "not every folder fits into an interval of {interval}, so folders take turns: those that changed or have pending or processing files come first, \
             the others follow within {takes}"
        )?;
        if self.is_late() {
            let wanted = whole_seconds(*quiet_every);
            write!(
                f,
                "; collect.max_requests_per_second is too low for collect.quiet_every ({wanted})"
            )?;
        }
        Ok(())
    }
}

/// A duration for people, who need no more than seconds.
pub(crate) fn whole_seconds(time: Duration) -> humantime::FormattedDuration {
    let millis = time.subsec_millis();
    let seconds = time.as_secs() + u64::from(millis >= 500);
    humantime::format_duration(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_described_with_the_reason_why_it_is_late() {
        let described = |takes| {
            let cycle = ReadCycle {
                takes: Duration::from_secs(takes),
                interval: Duration::from_millis(59_600),
                quiet_every: Duration::from_mins(5),
            };
            (cycle.takes_turns(), cycle.is_late(), cycle.to_string())
        };
        let turns = "not every folder fits into an interval of 1m, so folders take turns: those that changed or have pending or processing files come first, \
                     the others follow within";
        let late = "collect.max_requests_per_second is too low for collect.quiet_every (5m)";
        assert!(!described(59).0);
        assert_eq!(described(240), (true, false, format!("{turns} 5m")));
        assert_eq!(
            described(750),
            (true, true, format!("{turns} 12m 30s; {late}"))
        );
    }
}
