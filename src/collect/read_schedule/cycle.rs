//! The cycle that can be reached: the time in which every folder has its turn.

use std::time::{Duration, Instant};

use crate::collect::read_schedule::OVERDUE_SHARE;
use crate::collect::read_schedule::request_budget::{RequestBudget, scaled};
use crate::snapshot::ReadCycle;

/// A cycle is said again when it is to what was said as three to two, or two to three.
const MATERIAL: (u32, u32) = (3, 2);

/// What reads all folders take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Load {
    /// Requests for folders that are read whenever there is budget: they changed, or hold files not done.
    pub pressing: u64,
    /// Requests for all others.
    pub quiet: u64,
}

impl Load {
    /// Adds a folder.
    pub fn add(&mut self, requests: u64, pressing: bool) {
        let sum = if pressing {
            &mut self.pressing
        } else {
            &mut self.quiet
        };
        *sum = sum.saturating_add(requests);
    }

    /// The time in which every folder has its turn: the quiet ones have what the others leave, and their share at least.
    pub fn cycle(self, room: RequestBudget) -> Duration {
        let requests = room.requests();
        let share = (requests / OVERDUE_SHARE).max(1);
        let left = requests.saturating_sub(self.pressing).max(share);
        let all = self.pressing.saturating_add(self.quiet);
        let interval = room.interval();
        let times = |number, room| {
            let millis = scaled(number, interval.as_millis(), u128::from(room));
            Duration::from_millis(millis)
        };
        times(all, requests)
            .max(times(self.quiet, left))
            .max(interval)
    }
}

/// The cycles of a portal as they come.
#[derive(Debug, Default)]
pub(crate) struct ReadCycles {
    said: Option<ReadCycle>,
    /// Whether a collection has chosen its folders before.
    begun: bool,
    /// Until when counts that were promised the longest of them are waited for.
    held_until: Option<Instant>,
}

/// What is new about a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    /// Nothing that matters.
    Nothing,
    /// It was or became longer than an interval, or than it should be, or changed much.
    Said(ReadCycle),
    /// All folders fit into an interval again.
    Fits,
}

impl ReadCycles {
    /// Whether this is the first time that it is asked.
    pub fn is_first(&mut self) -> bool {
        !std::mem::replace(&mut self.begun, true)
    }

    /// Takes in the cycle of an interval, and tells what is new about it.
    pub fn take(&mut self, cycle: Option<ReadCycle>, now: Instant) -> News {
        if let Some(cycle) = cycle {
            let until = now.checked_add(cycle.takes);
            self.held_until = self.held_until.max(until);
        }
        let turns = cycle.filter(|cycle| cycle.takes_turns());
        match (self.said, turns) {
            (None, None) => News::Nothing,
            (Some(_), None) => {
                self.said = None;
                News::Fits
            }
            (Some(said), Some(cycle)) if is_alike(said, cycle) => News::Nothing,
            (_, Some(cycle)) => {
                self.said = turns;
                News::Said(cycle)
            }
        }
    }

    /// The cycle that counts may have waited for: it grows at once, and shrinks no faster than time passes.
    pub fn held(&self, now: Instant) -> Duration {
        let held = self
            .held_until
            .map(|until| until.saturating_duration_since(now));
        held.unwrap_or_default()
    }
}

fn is_alike(said: ReadCycle, cycle: ReadCycle) -> bool {
    let (more, less) = MATERIAL;
    let [short, long] = if said.takes < cycle.takes {
        [said.takes, cycle.takes]
    } else {
        [cycle.takes, said.takes]
    };
    said.is_late() == cycle.is_late() && long * less < short * more
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let room = RequestBudget::new(Rate::PerSecond(301.0 / 60.0), MINUTE, 10 * MINUTE).unwrap();
        assert_eq!(room.requests(), 300);
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
            assert_eq!(load.cycle(room), MINUTE * minutes, "{load:?}");
        }
        let endless = Load {
            pressing: u64::MAX,
            quiet: u64::MAX,
        };
        assert!(endless.cycle(room) > Duration::from_hours(24 * 365));
    }

    #[test]
    fn a_round_is_said_once_and_again_when_it_changes_much() {
        let mut cycles = ReadCycles::default();
        let now = Instant::now();
        for (minutes, news) in [
            (1, News::Nothing),
            (3, News::Said(cycle(3))),
            (4, News::Nothing),
            (6, News::Said(cycle(6))),
            (8, News::Nothing),
            (9, News::Said(cycle(9))),
            (5, News::Said(cycle(5))),
            (1, News::Fits),
            (1, News::Nothing),
        ] {
            assert_eq!(cycles.take(Some(cycle(minutes)), now), news, "{minutes}");
        }
        assert_eq!(cycles.take(None, now), News::Nothing);
    }

    #[test]
    fn a_round_that_was_long_is_waited_for() {
        let mut cycles = ReadCycles::default();
        let start = Instant::now();
        let after = |minutes: u32| start + MINUTE * minutes;
        cycles.take(Some(cycle(20)), start);
        assert_eq!(cycles.held(start), 20 * MINUTE);
        cycles.take(Some(cycle(2)), after(5));
        assert_eq!(cycles.held(after(5)), 15 * MINUTE);
        cycles.take(Some(cycle(30)), after(6));
        assert_eq!(cycles.held(after(6)), 30 * MINUTE);
        assert_eq!(cycles.held(after(60)), Duration::ZERO);
    }
}
