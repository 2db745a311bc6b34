//! How many folders a configuration can keep up with, for `--config.check`.

use std::fmt::Write;
use std::time::Duration;

use chrono::Utc;
use humantime::format_duration;

use crate::collect::attention::{Room, in_all};
use crate::config::{Collect, Config, Rate, Schedule};

/// A line for each portal: what fits into an interval, and what becomes of folders that do not.
pub(super) fn notes(config: &Config) -> String {
    let mut notes = String::new();
    let Some(allowed) = Allowed::by(&config.collect) else {
        return notes;
    };
    for portal in &config.portals {
        // Writing to a text cannot fail.
        let _ = writeln!(notes, "portal {}: {}", portal.name, allowed.sentence());
    }
    notes
}

/// What the rate allows.
struct Allowed {
    rate: f64,
    interval: Duration,
    /// In an interval, the one for the list included.
    requests: u64,
    quiet_every: Duration,
    /// Quiet folders of one request each that have their turn in time when nothing else is looked at.
    quiet: u64,
}

impl Allowed {
    /// Nothing where the rate has no limit, or no collection follows the first.
    fn by(collect: &Collect) -> Option<Self> {
        let rate = collect.max_requests_per_second;
        let Rate::PerSecond(number) = rate else {
            return None;
        };
        let interval = interval(collect)?;
        let quiet_every = collect.quiet_every.max(interval);
        let room = Room::new(rate, interval, collect.timeout)?;
        let collections = quiet_every.as_millis() / interval.as_millis().max(1);
        let collections = u64::try_from(collections).unwrap_or(u64::MAX);
        Some(Self {
            rate: number,
            interval,
            requests: in_all(rate, interval)?,
            quiet_every,
            quiet: room.requests().saturating_mul(collections),
        })
    }

    fn sentence(&self) -> String {
        let Self {
            rate,
            interval,
            requests,
            quiet_every,
            quiet,
        } = self;
        let [interval, quiet_every] = [interval, quiet_every].map(|time| format_duration(*time));
        format!(
            "at {rate} requests a second, {requests} requests fit into an interval of {interval}, one of them for the list; \
             folders that need more take turns, the quiet ones every {quiet_every} for up to {quiet} folders of one request each"
        )
    }
}

/// The time between two collections: of a cron line, between the next two.
fn interval(collect: &Collect) -> Option<Duration> {
    match &collect.schedule {
        Schedule::Every(interval) => Some(*interval),
        Schedule::Cron(line) => {
            let now = Utc::now().with_timezone(&collect.timezone);
            let next = line.next_after(&now)?;
            let after = line.next_after(&next)?;
            (after - next).to_std().ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(collect: &Collect) -> Option<String> {
        Allowed::by(collect).map(|allowed| allowed.sentence())
    }

    #[test]
    fn what_fits_into_an_interval_and_what_becomes_of_the_others() {
        let usual = said(&Collect::default()).unwrap();
        assert_eq!(
            usual,
            "at 5 requests a second, 300 requests fit into an interval of 1m, one of them for the list; folders that \
             need more take turns, the quiet ones every 5m for up to 1495 folders of one request each"
        );
        let seldom = said(&Collect {
            schedule: Schedule::parse("0 */10 * * * *").unwrap(),
            max_requests_per_second: Rate::PerSecond(0.5),
            ..Collect::default()
        });
        assert_eq!(
            seldom.unwrap(),
            "at 0.5 requests a second, 300 requests fit into an interval of 10m, one of them for the list; folders that \
             need more take turns, the quiet ones every 10m for up to 299 folders of one request each"
        );
    }

    #[test]
    fn a_rate_without_a_limit_allows_everything() {
        let collect = Collect {
            max_requests_per_second: Rate::Unlimited,
            ..Collect::default()
        };
        assert_eq!(said(&collect), None);
    }
}
