//! The cycle of a portal's folders, as it was measured: how long a folder waits from one read to the next when the rate does not allow all
//! that are due.

use std::time::Duration;

use tokio::time::Instant;

use crate::snapshot::ReadCycle;

/// A cycle is logged again when it is longer or shorter than the logged one by this ratio.
const MATERIAL: (u32, u32) = (3, 2);

/// The cycles of a portal, collection by collection.
#[derive(Debug, Default)]
pub(super) struct ReadCycles {
    logged: Option<ReadCycle>,
    /// When the longest cycle that was measured so far ends.
    longest_until: Option<Instant>,
}

/// A change of the cycle that is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CycleChange {
    /// Folders came to take turns, it became longer than `quiet_every`, or it changed much.
    Changed(ReadCycle),
    /// All folders fit into an interval again.
    Fits,
}

impl ReadCycles {
    /// Notes the cycle of an interval, if folders took turns in it, and returns what is new about it.
    pub fn update(&mut self, cycle: Option<ReadCycle>, now: Instant) -> Option<CycleChange> {
        if let Some(cycle) = cycle {
            let until = now.checked_add(cycle.takes);
            self.longest_until = self.longest_until.max(until);
        } else if self.longest(now) > Duration::ZERO {
            // It is too early to tell that no folder waits any more.
            return None;
        }
        let before = std::mem::replace(&mut self.logged, cycle);
        match (before, cycle) {
            (Some(before), Some(cycle)) if is_alike(before, cycle) => {
                self.logged = Some(before);
                None
            }
            (_, Some(cycle)) => Some(CycleChange::Changed(cycle)),
            (before, None) => before.map(|_| CycleChange::Fits),
        }
    }

    /// The cycle while folders take turns.
    pub fn current(&self) -> Option<ReadCycle> {
        self.logged
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

    const MINUTE: Duration = Duration::from_mins(1);

    fn cycle(minutes: u32) -> ReadCycle {
        ReadCycle {
            takes: minutes * MINUTE,
            interval: MINUTE,
            quiet_every: 5 * MINUTE,
        }
    }

    #[test]
    fn a_cycle_is_logged_once_and_again_when_it_changes_much() {
        let mut cycles = ReadCycles::default();
        let start = Moment::now().steady;
        let changed = |minutes| Some(CycleChange::Changed(cycle(minutes)));
        for (at, minutes, news) in [
            (0, None, None),
            (1, Some(3), changed(3)),
            (2, Some(4), None),
            (3, Some(6), changed(6)),
            (4, Some(8), None),
            (5, Some(9), changed(9)),
            (6, Some(5), changed(5)),
            (13, None, None),
            (14, None, Some(CycleChange::Fits)),
            (15, None, None),
        ] {
            let news_now = cycles.update(minutes.map(cycle), start + at * MINUTE);
            assert_eq!(news_now, news, "{at}");
        }
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
