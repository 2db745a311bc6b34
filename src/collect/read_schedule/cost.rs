//! What a portal is going to be asked, for people.

use std::fmt;
use std::time::Duration;

use crate::collect::read_schedule::Often;
use crate::config::Rate;
use crate::snapshot::whole_seconds;

/// What counting the folders of a portal costs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// Requests for a read each folder.
    pub reads: u64,
    /// How often folders are read.
    pub often: Often,
    /// Requests that the portal is sent, at most.
    pub rate: Rate,
}

impl Cost {
    /// Requests a minute while each folder is read so often: the reads, and the list in each interval.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "people are told about so many, it is not negative, and the cast saturates"
    )]
    fn a_minute(&self, every: Duration) -> u64 {
        let times = |every: Duration| 60.0 / every.as_secs_f64().max(f64::MIN_POSITIVE);
        let wanted = self.reads as f64 * times(every) + times(self.often.interval);
        let most = match self.rate {
            Rate::Unlimited => f64::MAX,
            Rate::PerSecond(rate) => rate * 60.0,
        };
        wanted.min(most).ceil() as u64
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Often { interval, .. } = self.often;
        let (quiet, busy) = (self.a_minute(self.often.quiet()), self.a_minute(interval));
        let [interval, quiet_every] = [interval, self.often.quiet()].map(whole_seconds);
        write!(
            f,
            "about {quiet} requests a minute while nothing changes, {busy} at most: a folder that changes or holds files not done is counted every \
             {interval} (collect.schedule), a quiet one every {quiet_every} (collect.quiet_every), as far as collect.max_requests_per_second allows"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(reads: u64, interval: u64, quiet: u64, rate: Rate) -> String {
        let cost = Cost {
            reads,
            often: Often {
                interval: Duration::from_millis(interval),
                quiet: Duration::from_secs(quiet),
            },
            rate,
        };
        cost.to_string()
    }

    #[test]
    fn the_cost_tells_how_much_is_asked_how_often_and_what_changes_it() {
        assert_eq!(
            said(300, 59_700, 300, Rate::PerSecond(5.0)),
            "about 62 requests a minute while nothing changes, 300 at most: a folder that changes or holds files not done is counted every \
             1m (collect.schedule), a quiet one every 5m (collect.quiet_every), as far as collect.max_requests_per_second allows"
        );
        for (reads, interval, quiet, rate, numbers) in [
            (10, 60_000, 300, Rate::PerSecond(5.0), (3, 11)),
            (10, 60_000, 1, Rate::PerSecond(5.0), (11, 11)),
            (10_000, 60_000, 300, Rate::PerSecond(5.0), (300, 300)),
            (10_000, 60_000, 300, Rate::Unlimited, (2_001, 10_001)),
            (10, 3_600_000, 300, Rate::PerSecond(5.0), (1, 1)),
        ] {
            let said = said(reads, interval, quiet, rate);
            let (quiet, busy) = numbers;
            let begins =
                format!("about {quiet} requests a minute while nothing changes, {busy} at most");
            assert!(said.starts_with(&begins), "{said}");
        }
    }
}
