//! The shortest possible cycle: the time in which every folder is read once.

use std::time::Duration;

use tokio::time::Instant;

use crate::collect::read_schedule::OVERDUE_SHARE;
use crate::collect::read_schedule::request_budget::{RequestBudget, scaled};
use crate::snapshot::ReadCycle;

/// A cycle is logged again when it is longer or shorter than the logged one by this ratio.
const MATERIAL: (u32, u32) = (3, 2);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Load {
    /// Requests for folders that are read whenever there is budget: they changed, or have files that move.
    pub pressing: u64,
    pub quiet: u64,
}

impl Load {
    pub fn add(&mut self, requests: u64, pressing: bool) {
        let sum = if pressing {
            &mut self.pressing
        } else {
            &mut self.quiet
        };
        *sum = sum.saturating_add(requests);
    }

    pub fn total(self) -> u64 {
        self.pressing.saturating_add(self.quiet)
    }

    /// The time in which every folder is read: the quiet ones get the remaining budget, but at least their share.
    pub fn cycle(self, budget: RequestBudget) -> Duration {
        let requests = budget.requests;
        let share = (requests / OVERDUE_SHARE).max(1);
        let for_quiet = requests.saturating_sub(self.pressing).max(share);
        let interval = budget.interval;
        let time = |needed, per_interval| {
            let millis = scaled(needed, interval.as_millis(), u128::from(per_interval));
            Duration::from_millis(millis)
        };
        time(self.total(), requests)
            .max(time(self.quiet, for_quiet))
            .max(interval)
    }
}

/// The cycles of a portal, collection by collection.
#[derive(Debug, Default)]
pub(crate) struct ReadCycles {
    logged: Option<ReadCycle>,
    /// When the longest cycle that was reported so far ends.
    longest_until: Option<Instant>,
}

/// A change of the cycle that is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CycleChange {
    /// It became longer than an interval or than `quiet_every`, or changed much.
    Changed(ReadCycle),
    /// All folders fit into an interval again.
    Fits,
}

impl ReadCycles {
    /// Notes the cycle of an interval, and returns what is new about it.
    pub fn update(&mut self, cycle: Option<ReadCycle>, now: Instant) -> Option<CycleChange> {
        if let Some(cycle) = cycle {
            let until = now.checked_add(cycle.takes);
            self.longest_until = self.longest_until.max(until);
        }
        let cycle = cycle.filter(|cycle| cycle.takes_turns());
        let before = self.logged;
        if let (Some(before), Some(cycle)) = (before, cycle)
            && is_alike(before, cycle)
        {
            return None;
        }
        self.logged = cycle;
        match cycle {
            Some(cycle) => Some(CycleChange::Changed(cycle)),
            None => before.map(|_| CycleChange::Fits),
        }
    }

    /// The cycle that counts may have waited for: it grows at once, and shrinks no faster than time passes.
    pub fn longest(&self, now: Instant) -> Duration {
        let until = self.longest_until;
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }
}

fn is_alike(logged: ReadCycle, cycle: ReadCycle) -> bool {
    let (more, less) = MATERIAL;
    let [short, long] = if logged.takes < cycle.takes {
        [logged.takes, cycle.takes]
    } else {
        [cycle.takes, logged.takes]
    };
    logged.is_late() == cycle.is_late() && long * less < short * more
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::config::Rate;

    const MINUTE: Duration = Duration::from_mins(1);

    fn cycle(minutes: u64) -> ReadCycle {
        ReadCycle {
            takes: MINUTE * u32::try_from(minutes).unwrap(),
            interval: MINUTE,
            quiet_every: 5 * MINUTE,
        }
    }

    #[test]
    fn the_quiet_have_what_the_others_leave_and_a_quarter_at_least() {
        // 300 requests an interval, one of them for the list.
        let budget =
            RequestBudget::new(Rate::PerSecond(301.0 / 60.0), MINUTE, 10 * MINUTE).unwrap();
        assert_eq!(budget.requests, 300);
        for (pressing, quiet, minutes) in [
            (0, 0, 1),
            (0, 300, 1),
            (100, 200, 1),
            (0, 1_500, 5),
            (150, 1_500, 10),
            (290, 750, 10),
            (3_000, 0, 10),
            (3_000, 1_500, 20),
        ] {
            let load = Load { pressing, quiet };
            assert_eq!(load.cycle(budget), MINUTE * minutes, "{load:?}");
        }
        let endless = Load {
            pressing: u64::MAX,
            quiet: u64::MAX,
        };
        assert!(endless.cycle(budget) > Duration::from_hours(24 * 365));
    }

    #[test]
    fn a_cycle_is_logged_once_and_again_when_it_changes_much() {
        let mut cycles = ReadCycles::default();
        let now = Moment::now().steady;
        let changed = |minutes| Some(CycleChange::Changed(cycle(minutes)));
        for (minutes, news) in [
            (1, None),
            (3, changed(3)),
            (4, None),
            (6, changed(6)),
            (8, None),
            (9, changed(9)),
            (5, changed(5)),
            (1, Some(CycleChange::Fits)),
            (1, None),
        ] {
            assert_eq!(cycles.update(Some(cycle(minutes)), now), news, "{minutes}");
        }
        assert_eq!(cycles.update(None, now), None);
    }

    #[test]
    fn a_long_cycle_is_waited_for_until_it_is_over() {
        let mut cycles = ReadCycles::default();
        let start = Moment::now().steady;
        let after = |minutes: u32| start + MINUTE * minutes;
        cycles.update(Some(cycle(20)), start);
        assert_eq!(cycles.longest(start), 20 * MINUTE);
        cycles.update(Some(cycle(2)), after(5));
        assert_eq!(cycles.longest(after(5)), 15 * MINUTE);
        cycles.update(Some(cycle(30)), after(6));
        assert_eq!(cycles.longest(after(6)), 30 * MINUTE);
        assert_eq!(cycles.longest(after(60)), Duration::ZERO);
    }
}
