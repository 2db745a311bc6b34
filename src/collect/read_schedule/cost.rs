//! The cost of reading a portal, for people.

use std::fmt;
use std::time::Duration;

use crate::collect::read_schedule::ReadIntervals;
use crate::config::Rate;
use crate::snapshot::whole_seconds;

/// The cost of counting the folders of a portal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// Requests for one read of each folder.
    pub reads: u64,
    /// The time between two reads of a folder.
    pub intervals: ReadIntervals,
    /// Requests that the portal is sent, at most.
    pub rate: Rate,
}

impl Cost {
    /// Requests per minute while each folder is read at this gap: the reads, and the list in each interval.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate is enough for people, it is not negative, and the cast saturates"
    )]
    fn a_minute(&self, every: Duration) -> u64 {
        let times = |every: Duration| 60.0 / every.as_secs_f64().max(f64::MIN_POSITIVE);
        let wanted = self.reads as f64 * times(every) + times(self.intervals.interval);
        let most = match self.rate {
            Rate::Unlimited => f64::MAX,
            Rate::PerSecond(rate) => rate * 60.0,
        };
        wanted.min(most).ceil() as u64
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReadIntervals { interval, .. } = self.intervals;
        let (quiet, busy) = (
            self.a_minute(self.intervals.quiet()),
            self.a_minute(interval),
        );
        let [interval, quiet_every] = [interval, self.intervals.quiet()].map(whole_seconds);
        write!(
            f,
            "about {quiet} requests a minute while nothing changes, {busy} at most: a folder that changes or has pending or processing files is counted every \
             {interval} (collect.schedule), a quiet one every {quiet_every} (collect.quiet_every), if collect.max_requests_per_second allows it"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(reads: u64, interval: u64, quiet: u64, rate: Rate) -> String {
        let cost = Cost {
            reads,
            intervals: ReadIntervals {
                interval: Duration::from_millis(interval),
                quiet_every: Duration::from_secs(quiet),
            },
            rate,
        };
        cost.to_string()
    }

    #[test]
    fn the_cost_says_how_much_is_asked_how_often_and_what_changes_it() {
        assert_eq!(
            sentence(300, 59_700, 300, Rate::PerSecond(5.0)),
            "about 62 requests a minute while nothing changes, 300 at most: a folder that changes or has pending or processing files is counted every \
             1m (collect.schedule), a quiet one every 5m (collect.quiet_every), if collect.max_requests_per_second allows it"
        );
        for (reads, interval, quiet, rate, numbers) in [
            (10, 60_000, 300, Rate::PerSecond(5.0), (3, 11)),
            (10, 60_000, 1, Rate::PerSecond(5.0), (11, 11)),
            (10_000, 60_000, 300, Rate::PerSecond(5.0), (300, 300)),
            (10_000, 60_000, 300, Rate::Unlimited, (2_001, 10_001)),
            (10, 3_600_000, 300, Rate::PerSecond(5.0), (1, 1)),
        ] {
            let sentence = sentence(reads, interval, quiet, rate);
            let (quiet, busy) = numbers;
            let begins =
                format!("about {quiet} requests a minute while nothing changes, {busy} at most");
            assert!(sentence.starts_with(&begins), "{sentence}");
        }
    }
}
