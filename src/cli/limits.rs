//! How many requests a configuration allows, for `--config.check`.

use std::time::Duration;

use chrono::{DateTime, Utc};
use humantime::format_duration;

use crate::clock::Moment;
use crate::config::{Collect, Config, Rate, Schedule};
use crate::model::Shard;

/// A line about the shard, if there are several, and a line for each portal.
pub(super) fn notes(config: &Config, shard: Shard) -> String {
    let processes = shard.processes();
    let limit = config.collect.max_requests_per_second.divided_by(processes);
    let part = (processes.get() > 1).then(|| {
        format!("{shard}: it collects its share of the folders, at 1/{processes} of collect.max_requests_per_second\n")
    });
    let allowed = allowed(&config.collect, limit);
    let portals = config.portals.iter().filter_map(|portal| {
        let (name, allowed) = (&portal.name, allowed.as_ref()?);
        Some(format!("portal {name}: {allowed}\n"))
    });
    part.into_iter().chain(portals).collect()
}

/// What the rate allows; `None` if it has no limit, or if there is only one collection.
fn allowed(collect: &Collect, limit: Rate) -> Option<String> {
    let Rate::PerSecond(rate) = limit else {
        return None;
    };
    let interval = interval(collect)?;
    let requests = limit.requests_in(interval)?;
    let [interval, quiet_every] =
        [interval, collect.quiet_every.max(interval)].map(format_duration);
    Some(format!(
        "at {rate} requests a second, {requests} requests fit into an interval of {interval} at most, one of them for the list; quiet folders \
         are counted every {quiet_every}; if more folders are due, they take turns"
    ))
}

/// The time between two collections: of a cron line, between the next two.
fn interval(collect: &Collect) -> Option<Duration> {
    match &collect.schedule {
        Schedule::Every(interval) => Some(*interval),
        Schedule::Cron(line) => {
            let now = DateTime::<Utc>::from(Moment::now().wall).with_timezone(&collect.timezone);
            let next = line.next_after(&now)?;
            let after = line.next_after(&next)?;
            (after - next).to_std().ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_into_an_interval_and_what_becomes_of_the_others() {
        let usual = allowed(&Collect::default(), Rate::PerSecond(5.0));
        assert_eq!(
            usual.unwrap(),
            "at 5 requests a second, 300 requests fit into an interval of 1m at most, one of them for the list; quiet folders \
             are counted every 10m; if more folders are due, they take turns"
        );
        let seldom = Collect {
            schedule: Schedule::parse("0 */10 * * * *").unwrap(),
            ..Collect::default()
        };
        let seldom = allowed(&seldom, Rate::PerSecond(0.5)).unwrap();
        let fits = "at 0.5 requests a second, 300 requests fit into an interval of 10m";
        assert!(seldom.starts_with(fits), "{seldom}");
        assert_eq!(allowed(&Collect::default(), Rate::Unlimited), None);
    }
}
