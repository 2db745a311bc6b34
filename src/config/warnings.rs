//! Settings that are valid and probably wrong: limits that contradict each other, and durations in an unusual unit.

use humantime::format_duration;
use serde_json::Value as Json;

use crate::config::keys::child;
use crate::config::{Config, Mode, Strategy};

/// The fewest requests that a collection needs: the list, and a folder that was never counted.
const LEAST_REQUESTS: u32 = 12;

impl Config {
    /// What is probably wrong.
    pub fn warnings(&self) -> Vec<String> {
        let mut found = Vec::new();
        for section in ["collect", "request", "reindex"] {
            months(section, &self.written[section], &mut found);
        }
        found.extend(self.contradictions());
        found.extend(self.too_slow());
        found.extend(self.nothing_to_do());
        found.extend(self.said_twice());
        found.extend(self.errors.warnings());
        found
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

    fn too_slow(&self) -> Option<String> {
        let rate = self.collect.max_requests_per_second.number()?;
        let requests = rate * self.collect.timeout.as_secs_f64();
        let timeout = format_duration(self.collect.timeout);
        (requests < f64::from(LEAST_REQUESTS)).then(|| format!(
            "at {rate} requests a second (collect.max_requests_per_second) fewer than {LEAST_REQUESTS} fit into collect.timeout ({timeout}), too few to count a folder"
        ))
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
                continue;
            }
            for (included, excluded) in portal.folders.included_in_vain() {
                found.push(format!(
                    "portals[{index}].folders.include[{included}] is never used: exclude[{excluded}] matches all of its folders"
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

/// Finds durations with `M`, which is a month, where a minute may be meant.
fn months(path: &str, written: &Json, found: &mut Vec<String>) {
    match written {
        Json::String(text) if text.contains('M') => {
            found.extend(humantime::parse_duration(text).ok().map(|time| {
                let time = format_duration(time);
                format!("{path} is {time}: in a duration, M is a month and m is a minute")
            }));
        }
        Json::Array(parts) => {
            for (index, part) in parts.iter().enumerate() {
                months(&format!("{path}[{index}]"), part, found);
            }
        }
        Json::Object(parts) => {
            for (key, part) in parts {
                months(&child(path, key), part, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORTAL: &str =
        "portals: [{name: main, base_url: 'https://portal.example', api_key_env: KEY}]";

    fn warnings(config: &str) -> Vec<String> {
        let config = Config::from_yaml("kb.yml", config).unwrap();
        config.warnings()
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
                "collect: {max_requests_per_second: 0.001}",
                "at 0.001 requests a second (collect.max_requests_per_second) fewer than 12 fit into collect.timeout (10m), too few to count a folder",
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
                "reindex: {folders: [{match: a, cooldown: 1M}]}",
                "reindex.folders[0].cooldown is 1month: in a duration, M is a month and m is a minute",
            ),
            (
                "errors: {max_classes: 5}",
                "errors.max_classes (5) is less than errors.max_classes_per_folder (20), which no folder reaches",
            ),
            (
                "errors: {rules: [{match: a, class: b}, {match: c, class: d}, {match: a, class: e}]}",
                "errors.rules[2] is never used: errors.rules[0] matches all of its reasons, and the first match applies",
            ),
            (
                "errors: {rules: [{match: .*, class: all}, {match: a, class: b}]}",
                "errors.rules[1] is never used: errors.rules[0] matches all of its reasons, and the first match applies",
            ),
            (
                "errors: {masks: [{match: a+, name: b}, {match: a+, name: c}]}",
                "errors.masks[1] is never used: errors.masks[0] replaces all of its matches",
            ),
            (
                "reindex: {folders: [{match: a}, {match: 'In*'}, {match: Inbox}]}",
                "reindex.folders[2] is never used: reindex.folders[1] matches all of its folders, and the first match applies",
            ),
        ] {
            let found = warnings(&format!("{PORTAL}\n{settings}"));
            assert!(found.iter().any(|found| found == expected), "{found:?}");
        }
        for settings in [
            "collect: {strategy: full, full_every: 5m}",
            "collect: {max_requests_per_second: 0.5}",
            "collect: {full_every: 1y, stale_after: 2months}",
            "reindex: {cooldown: 30d, budget: {per: 90d}}",
            "errors: {rules: [{match: a, class: b}, {match: '[a-z]', class: c}, {match: .+, class: d}]}",
            "errors: {masks: [{match: a+, name: b}, {match: b+, name: b}]}",
        ] {
            assert_eq!(warnings(&format!("{PORTAL}\n{settings}")), [""; 0]);
        }
        let twice = PORTAL.replace(
            ']',
            ", {name: other, base_url: 'https://portal.example/', api_key_env: KEY}]",
        );
        let said = "portals[1].base_url is the address of portals[0] too: folders that both watch are read and counted twice";
        assert_eq!(warnings(&twice), [said]);
        let excluded = PORTAL.replace("KEY", "KEY, folders: {exclude: [a, '*']}");
        let nothing = "portals[0].folders.exclude has \"*\": no folder is watched";
        assert_eq!(warnings(&excluded), [nothing]);
        let filter = "KEY, folders: {include: ['A*', Inbox], exclude: [old, 'In*']}";
        let vain =
            "portals[0].folders.include[1] is never used: exclude[1] matches all of its folders";
        assert_eq!(warnings(&PORTAL.replace("KEY", filter)), [vain]);
    }
}
