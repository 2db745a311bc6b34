//! How many folders a configuration can keep up with, and which of its limits contradict each other, for `--config.check`.

use std::time::Duration;

use chrono::{DateTime, Utc};
use humantime::format_duration;

use crate::clock::Moment;
use crate::config::{Collect, Config, Rate, Schedule, Strategy};
use crate::model::Shard;

/// The fewest requests that a collection needs: the list, and a folder that was never counted.
const LEAST_REQUESTS: u64 = 12;

/// A line about the shard, if there are several; a line for each portal: how many requests fit into an interval, and what happens to the
/// other folders; and one for each contradiction.
pub(super) fn notes(config: &Config, shard: Shard) -> String {
    let mut config = config.clone();
    let rate = &mut config.collect.max_requests_per_second;
    let processes = shard.processes();
    *rate = rate.divided_by(processes);
    let part = (processes.get() > 1).then(|| {
        format!("{shard}: it collects its share of the folders, at 1/{processes} of collect.max_requests_per_second\n")
    });
    let allowed = allowed(&config.collect);
    let portals = config.portals.iter().map(|portal| &portal.name);
    let portals =
        portals.filter_map(|name| Some(format!("portal {name}: {}\n", allowed.as_ref()?)));
    let contradictions = contradictions(&config).into_iter();
    let contradictions = contradictions.map(|sentence| format!("warning: {sentence}\n"));
    part.into_iter()
        .chain(portals)
        .chain(contradictions)
        .collect()
}

/// Limits that contradict each other.
fn contradictions(config: &Config) -> Vec<String> {
    let (collect, request) = (&config.collect, &config.request);
    let [timeout, answer, full_every] =
        [collect.timeout, request.timeout, collect.full_every].map(format_duration);
    let mut found = Vec::new();
    if request.timeout >= collect.timeout {
        found.push(format!(
            "request.timeout ({answer}) lets one answer take as long as a whole collection (collect.timeout, {timeout})"
        ));
    }
    let Rate::PerSecond(rate) = collect.max_requests_per_second else {
        return found;
    };
    if let Some(fit) = collect.max_requests_per_second.requests_in(collect.timeout)
        && fit < LEAST_REQUESTS
    {
        found.push(format!(
            "at {rate} requests a second (collect.max_requests_per_second) {fit} requests fit into collect.timeout ({timeout}), too few to count a folder"
        ));
    }
    let pages = collect.max_pages_per_folder.get();
    let fits = collect
        .max_requests_per_second
        .requests_in(collect.full_every);
    if collect.strategy != Strategy::Full && fits.is_some_and(|fits| pages > fits) {
        found.push(format!(
            "{pages} pages (collect.max_pages_per_folder) cannot be read within collect.full_every ({full_every}) at {rate} requests a second"
        ));
    }
    found
}

/// What the rate allows; `None` if it has no limit, or if there is only one collection.
fn allowed(collect: &Collect) -> Option<String> {
    let limit = collect.max_requests_per_second;
    let Rate::PerSecond(rate) = limit else {
        return None;
    };
    let interval = interval(collect)?;
    let requests = limit.requests_in(interval)?;
    let quiet_every = collect.quiet_every.max(interval);
    let collections = quiet_every.as_millis() / interval.as_millis().max(1);
    let collections = u64::try_from(collections).unwrap_or(u64::MAX);
    // Quiet folders that are due in time when nothing else is read.
    let quiet = requests.saturating_sub(1).saturating_mul(collections);
    let [interval, quiet_every] = [interval, quiet_every].map(format_duration);
    Some(format!(
        "at {rate} requests a second, {requests} requests fit into an interval of {interval}, one of them for the list; \
         quiet folders are counted every {quiet_every}, up to {quiet} folders of one request each; if more folders are due, they take turns"
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
        let usual = allowed(&Collect::default()).unwrap();
        assert_eq!(
            usual,
            "at 5 requests a second, 300 requests fit into an interval of 1m, one of them for the list; quiet folders \
             are counted every 10m, up to 2990 folders of one request each; if more folders are due, they take turns"
        );
        let seldom = allowed(&Collect {
            schedule: Schedule::parse("0 */10 * * * *").unwrap(),
            max_requests_per_second: Rate::PerSecond(0.5),
            ..Collect::default()
        });
        assert_eq!(
            seldom.unwrap(),
            "at 0.5 requests a second, 300 requests fit into an interval of 10m, one of them for the list; quiet folders \
             are counted every 10m, up to 299 folders of one request each; if more folders are due, they take turns"
        );
    }

    #[test]
    fn a_rate_without_a_limit_allows_everything() {
        let collect = Collect {
            max_requests_per_second: Rate::Unlimited,
            ..Collect::default()
        };
        assert_eq!(allowed(&collect), None);
    }

    fn contradictions_of(collect: &str) -> Vec<String> {
        let portal =
            "portals: [{name: main, base_url: 'https://portal.example', api_key_env: KEY}]";
        let config = Config::from_yaml("kb.yml", &format!("{portal}\n{collect}")).unwrap();
        contradictions(&config)
    }

    #[test]
    fn limits_that_do_not_fit_together_are_reported_and_the_defaults_do() {
        assert_eq!(contradictions_of(""), [""; 0]);
        for (collect, expected) in [
            (
                "collect: {timeout: 30s}",
                "request.timeout (30s) lets one answer take as long as a whole collection (collect.timeout, 30s)",
            ),
            (
                "collect: {max_requests_per_second: 0.01}",
                "at 0.01 requests a second (collect.max_requests_per_second) 6 requests fit into collect.timeout (10m), too few to count a folder",
            ),
            (
                "collect: {max_requests_per_second: 2}",
                "200000 pages (collect.max_pages_per_folder) cannot be read within collect.full_every (1day) at 2 requests a second",
            ),
        ] {
            let found = contradictions_of(collect);
            assert!(found.iter().any(|found| found == expected), "{found:?}");
        }
        let full = contradictions_of("collect: {strategy: full, max_requests_per_second: 2}");
        assert_eq!(full, [""; 0]);
    }
}
