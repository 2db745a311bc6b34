//! Settings that are valid and probably wrong.

use humantime::format_duration;

use crate::config::{Config, Mode, Rate, ReindexRules};

/// The fewest requests that a collection needs: the list, and a folder that was never counted.
const LEAST_REQUESTS: u32 = 12;

impl Config {
    /// What is probably wrong.
    pub fn warnings(&self) -> Vec<String> {
        let found = self.too_slow().into_iter();
        let found = found.chain(self.nothing_watched());
        let found = found.chain(self.nothing_sent());
        found.chain(self.same_address()).collect()
    }

    fn too_slow(&self) -> Option<String> {
        let Rate(rate) = self.collect.max_requests_per_second;
        let requests = rate * self.collect.timeout.as_secs_f64();
        let timeout = format_duration(self.collect.timeout);
        (requests < f64::from(LEAST_REQUESTS)).then(|| format!(
            "at {rate} requests a second (collect.max_requests_per_second) fewer than {LEAST_REQUESTS} fit into collect.timeout ({timeout}), too few to count a folder"
        ))
    }

    fn nothing_watched(&self) -> impl Iterator<Item = String> {
        let portals = self.portals.iter().enumerate();
        let portals = portals.filter(|(_, portal)| portal.folders.excludes_all());
        portals.map(|(index, _)| {
            format!("portals[{index}].folders.exclude has \"*\": no folder is watched")
        })
    }

    fn nothing_sent(&self) -> Option<String> {
        let sends_nothing =
            |rules: &ReindexRules| rules.mode == Mode::Enforce && rules.budget.files == 0;
        let warning = "reindex.budget.files is 0 under enforce: no file is sent";
        let mut rules = self.reindex.all_rules();
        rules.any(sends_nothing).then(|| warning.to_owned())
    }

    fn same_address(&self) -> impl Iterator<Item = String> {
        let addresses = self
            .portals
            .iter()
            .map(|portal| portal.base_url.normalised());
        let addresses: Vec<_> = addresses.collect();
        (0..addresses.len()).filter_map(move |index| {
            let mut before = addresses[..index].iter();
            let first = before.position(|other| *other == addresses[index])?;
            Some(format!(
                "portals[{index}].base_url is the address of portals[{first}] too: folders that both watch are read and counted twice"
            ))
        })
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
    fn settings_that_are_probably_wrong_are_reported_and_the_defaults_are_not() {
        assert_eq!(warnings(PORTAL), [""; 0]);
        let slow = "at 0.001 requests a second (collect.max_requests_per_second) fewer than 12 fit into collect.timeout (10m), too few to count a folder";
        let settings = "collect: {max_requests_per_second: 0.001}";
        assert_eq!(warnings(&format!("{PORTAL}\n{settings}")), [slow]);
        let settings = "collect: {max_requests_per_second: 0.5}";
        assert_eq!(warnings(&format!("{PORTAL}\n{settings}")), [""; 0]);
        let settings = "reindex: {mode: enforce, budget: {files: 0}}";
        let none = "reindex.budget.files is 0 under enforce: no file is sent";
        assert_eq!(warnings(&format!("{PORTAL}\n{settings}")), [none]);
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
