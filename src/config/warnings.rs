//! Settings that are valid and probably wrong: limits that contradict each other, and durations in an unusual unit.

use std::num::NonZeroU32;
use std::time::Duration;

use humantime::format_duration;

use crate::config::{Config, Mode, Rate, Strategy};

/// The fewest requests that a collection needs: the list, and a folder that was never counted.
const LEAST_REQUESTS: u64 = 12;

/// A longer time to wait for something was hardly meant.
const UNUSUAL: Duration = Duration::from_hours(28 * 24);

impl Config {
    /// What is probably wrong, for one of `processes` that share the folders.
    pub fn warnings(&self, processes: NonZeroU32) -> Vec<String> {
        let rate = self.collect.max_requests_per_second.divided_by(processes);
        let mut found: Vec<_> = self.unusual_times().collect();
        found.extend(self.contradictions());
        found.extend(self.contradictions_of_the_rate(rate));
        found.extend(self.nothing_to_do());
        found.extend(self.said_twice());
        found.extend(self.errors.warnings());
        found
    }

    /// Durations of months: `M` is a month, and `m` a minute.
    fn unusual_times(&self) -> impl Iterator<Item = String> {
        let (collect, request) = (&self.collect, &self.request);
        let mut times = vec![
            ("collect.jitter", collect.jitter),
            ("collect.full_every", collect.full_every),
            ("collect.quiet_every", collect.quiet_every),
            ("collect.timeout", collect.timeout),
            ("collect.stale_after", collect.stale_after),
            ("request.timeout", request.timeout),
            ("request.connect_timeout", request.connect_timeout),
        ];
        for rules in self.reindex.all_rules() {
            times.push(("reindex.min_age", rules.min_age));
            times.push(("reindex.cooldown", rules.cooldown));
        }
        times.dedup();
        let times = times.into_iter().filter(|(_, time)| *time >= UNUSUAL);
        times.map(|(key, time)| {
            let time = format_duration(time);
            format!("{key} is {time}: in a duration, M is a month and m is a minute")
        })
    }

    fn contradictions(&self) -> impl Iterator<Item = String> {
        let (collect, request) = (&self.collect, &self.request);
        let [timeout, answer, connect, full, quiet] = [
            collect.timeout,
            request.timeout,
            request.connect_timeout,
            collect.full_every,
            collect.quiet_every,
        ]
        .map(format_duration);
        let found = [
            (request.timeout >= collect.timeout).then(|| format!(
                "request.timeout ({answer}) lets one answer take as long as a whole collection (collect.timeout, {timeout})"
            )),
            (request.connect_timeout > request.timeout).then(|| format!(
                "request.connect_timeout ({connect}) is longer than request.timeout ({answer}), which ends the request before"
            )),
            (collect.strategy != Strategy::Full && collect.full_every < collect.quiet_every).then(|| format!(
                "collect.full_every ({full}) is shorter than collect.quiet_every ({quiet}): quiet folders are read in full every {quiet}"
            )),
        ];
        found.into_iter().flatten()
    }

    fn contradictions_of_the_rate(&self, limit: Rate) -> Vec<String> {
        let collect = &self.collect;
        let [timeout, full_every] = [collect.timeout, collect.full_every].map(format_duration);
        let mut found = Vec::new();
        let Rate::PerSecond(rate) = limit else {
            return found;
        };
        if let Some(fit) = limit.requests_in(collect.timeout)
            && fit < LEAST_REQUESTS
        {
            found.push(format!(
                "at {rate} requests a second (collect.max_requests_per_second) {fit} requests fit into collect.timeout ({timeout}), too few to count a folder"
            ));
        }
        let pages = collect.max_pages_per_folder.get();
        let fits = limit.requests_in(collect.full_every);
        if collect.strategy != Strategy::Full && fits.is_some_and(|fits| pages > fits) {
            found.push(format!(
                "{pages} pages (collect.max_pages_per_folder) cannot be read within collect.full_every ({full_every}) at {rate} requests a second"
            ));
        }
        found
    }

    /// Portals and overrides of which an earlier one is about the same.
    fn said_twice(&self) -> Vec<String> {
        let mut found = Vec::new();
        let portals = || self.portals.iter().enumerate();
        for (index, portal) in portals() {
            let address = portal.base_url.normalised();
            let mut before = portals().take(index);
            if let Some((first, _)) = before.find(|(_, one)| one.base_url.normalised() == address) {
                found.push(format!(
                    "portals[{index}].base_url is the address of portals[{first}] too: folders that both watch are read and counted twice"
                ));
            }
        }
        for index in 0..self.reindex.overrides.len() {
            if let Some(first) = self.reindex.covering(index) {
                found.push(format!(
                    "reindex.folders[{index}] is never used: reindex.folders[{first}] matches all of its folders, and the first match applies"
                ));
            }
        }
        found
    }

    /// Settings by which nothing is watched or sent.
    fn nothing_to_do(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (index, portal) in self.portals.iter().enumerate() {
            if portal.folders.excludes_all() {
                found.push(format!(
                    "portals[{index}].folders.exclude has \"*\": no folder is watched"
                ));
            }
        }
        let is_stuck = |rules: &crate::config::ReindexRules| {
            rules.mode == Mode::Enforce && rules.budget.files == 0
        };
        if self.reindex.all_rules().any(is_stuck) {
            let none = "reindex.budget.files is 0 under enforce: no file is sent";
            found.push(none.to_owned());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORTAL: &str =
        "portals: [{name: main, base_url: 'https://portal.example', api_key_env: KEY}]";

    fn warnings(config: &str) -> Vec<String> {
        let config = Config::from_yaml("kb.yml", config).unwrap();
        config.warnings(NonZeroU32::MIN)
    }

    #[test]
    fn settings_that_do_not_fit_together_are_reported_and_the_defaults_do() {
        assert_eq!(warnings(PORTAL), [""; 0]);
        for (settings, expected) in [
            (
                "collect: {timeout: 30s}",
                "request.timeout (30s) lets one answer take as long as a whole collection (collect.timeout, 30s)",
            ),
            (
                "request: {connect_timeout: 40s}",
                "request.connect_timeout (40s) is longer than request.timeout (30s), which ends the request before",
            ),
            (
                "collect: {full_every: 5m}",
                "collect.full_every (5m) is shorter than collect.quiet_every (10m): quiet folders are read in full every 10m",
            ),
            (
                "collect: {max_requests_per_second: 0.01}",
                "at 0.01 requests a second (collect.max_requests_per_second) 6 requests fit into collect.timeout (10m), too few to count a folder",
            ),
            (
                "collect: {max_requests_per_second: 2}",
                "200000 pages (collect.max_pages_per_folder) cannot be read within collect.full_every (1day) at 2 requests a second",
            ),
            (
                "collect: {stale_after: 5M}",
                "collect.stale_after is 5months: in a duration, M is a month and m is a minute",
            ),
            (
                "reindex: {mode: enforce, budget: {files: 0}}",
                "reindex.budget.files is 0 under enforce: no file is sent",
            ),
            (
                "reindex: {cooldown: 1M}",
                "reindex.cooldown is 1month: in a duration, M is a month and m is a minute",
            ),
            (
                "reindex: {folders: [{match: a}, {match: 'In*'}, {match: Inbox}]}",
                "reindex.folders[2] is never used: reindex.folders[1] matches all of its folders, and the first match applies",
            ),
        ] {
            let found = warnings(&format!("{PORTAL}\n{settings}"));
            assert!(found.iter().any(|found| found == expected), "{found:?}");
        }
        let full = "collect: {strategy: full, max_requests_per_second: 2, full_every: 5m}";
        assert_eq!(warnings(&format!("{PORTAL}\n{full}")), [""; 0]);
        let twice = PORTAL.replace(
            ']',
            ", {name: other, base_url: 'https://portal.example/', api_key_env: KEY}]",
        );
        let said = "portals[1].base_url is the address of portals[0] too: folders that both watch are read and counted twice";
        assert_eq!(warnings(&twice), [said]);
        let excluded = PORTAL.replace("KEY", "KEY, folders: {exclude: [a, '*']}");
        let nothing = "portals[0].folders.exclude has \"*\": no folder is watched";
        assert_eq!(warnings(&excluded), [nothing]);
    }
}
