//! Changes the text of the shipped rules, line by line. Everything else stays as it is, comments included.

use std::collections::BTreeMap;
use std::time::Duration;

use super::RulesArgs;
use crate::cli::address;
use crate::cli::rules::shipped::Threshold;

/// The runbook, as the shipped rules name it.
const RUNBOOK: &str = "https://git.example/kb-exporter/blob/main/alerts/runbook.md";

/// Grafana, as the shipped rules name it.
const GRAFANA: &str = "http://localhost:3000";

/// The exporter, as the shipped rules name it.
const EXPORTER: &str = "http://localhost:15732";

/// The annotation that links to Grafana, which not everybody has.
const DASHBOARD: &str = "dashboard_url: ";

/// The annotation that links to the page of the exporter, whose address not every command knows.
const PAGE: &str = "page_url: ";

/// The job, as the shipped rules name it.
const JOB: &str = r#"job="kb-exporter""#;

/// For how long the last value of a series is used: with scrape intervals up to [`SHORT`].
const GAP: &str = "[5m]";

/// Labels that the rules aggregate by, or drop.
const USED_LABELS: [&str; 10] = [
    "job",
    "instance",
    "portal",
    "folder_id",
    "folder",
    "status",
    "reason",
    "store",
    "problem",
    "error",
];

/// The longest scrape interval for which the shipped rules are made.
const SHORT: Duration = Duration::from_mins(2);

/// The longest scrape interval: Prometheus itself uses a sample for five minutes.
const LONGEST: Duration = Duration::from_mins(5);

/// What precedes the groups of rules in an object of Kubernetes.
const KUBERNETES: &str = "\
# Written by `kb-exporter rules --output kubernetes`.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: kb-exporter
  labels: {app.kubernetes.io/name: kb-exporter}
spec:
";

impl RulesArgs {
    /// The shipped rules with the changes that the arguments make.
    pub(super) fn render(&self, shipped: &str) -> String {
        let replacements = self.replacements();
        let mut text = String::with_capacity(shipped.len());
        let has = |line: &&str, link| line.trim_start().starts_with(link);
        let is_dead = |line: &&str| {
            self.dashboard_url.is_none() && has(line, DASHBOARD)
                || self.site.external_url.is_none() && has(line, PAGE)
        };
        for line in shipped.lines().filter(|line| !is_dead(line)) {
            let line = self.with_threshold(line).unwrap_or_else(|| {
                let apply = |line: String, (old, new): &(String, String)| line.replace(old, new);
                replacements.iter().fold(line.to_owned(), apply)
            });
            text.push_str(&line);
            text.push('\n');
        }
        text
    }

    /// A line that lists or uses a threshold, with its new value.
    fn with_threshold(&self, line: &str) -> Option<String> {
        if let Some(listed) = Threshold::listed(line) {
            let value = self.settings.changes.get(listed.name)?.all?;
            return Some(line.replacen(&format!(" = {}", listed.value), &format!(" = {value}"), 1));
        }
        let (used, name) = line.split_once(" # ")?;
        let change = self.settings.changes.get(name)?;
        let (before, shipped) = used.rsplit_once(' ')?;
        let value = change.all.map_or(shipped.to_owned(), |all| all.to_string());
        let value = by_folder(value, &change.folders);
        Some(format!("{before} {value} # {name}"))
    }

    /// Texts that are replaced in every place.
    fn replacements(&self) -> Vec<(String, String)> {
        let mut replacements = Vec::new();
        let mut replace = |old: &str, new: String| replacements.push((old.to_owned(), new));
        if let Some(url) = &self.runbook_url {
            replace(RUNBOOK, url.clone());
        }
        if let Some(url) = &self.site.external_url {
            replace(EXPORTER, url.clone());
        }
        if let Some(url) = &self.dashboard_url {
            replace(GRAFANA, url.clone());
        }
        if !self.by.is_empty() {
            let by = self.by.join(", ");
            for modifier in ["by", "on"] {
                replace(
                    &format!("{modifier} (job"),
                    format!("{modifier} (job, {by}"),
                );
            }
        }
        if let Some(job) = &self.job {
            replace(JOB, format!(r#"job="{job}""#));
        }
        if self.scrape_interval > SHORT {
            let gap = self.scrape_interval * 5 / 2;
            replace(GAP, format!("[{}s]", gap.as_secs()));
        }
        replacements
    }
}

/// A number that follows an operator, as a vector by folder if some folders have one of their own. What is of no folder has that of
/// the others.
fn by_folder(others: String, folders: &BTreeMap<String, f64>) -> String {
    if folders.is_empty() {
        return others;
    }
    let own = |(id, value): (&String, &f64)| {
        format!(r#"label_replace(vector({value}), "folder_id", "{id}", "", "")"#)
    };
    let own: Vec<_> = folders.iter().map(own).collect();
    let own = own.join(" or ");
    format!(
        "on (folder_id) group_left () ({own} or on (folder_id) {others} * group by (folder_id) (kb:entries) or on (folder_id) vector({others}))"
    )
}

/// The rules as an object of Kubernetes, for the Prometheus operator.
pub(super) fn kubernetes(rules: &str) -> String {
    let indented = rules.lines().fold(String::new(), |text, line| {
        let indent = if line.is_empty() { "" } else { "  " };
        text + indent + line + "\n"
    });
    format!("{KUBERNETES}{indented}")
}

/// The address of a runbook, to which `#` and the name of an alert are added.
pub(super) fn runbook_url(text: &str) -> Result<String, String> {
    let url = address::linked(text)?;
    if url.fragment().is_some() {
        return Err("the name of the alert is added after `#`: remove that part".to_owned());
    }
    Ok(url.into())
}

/// The name of a job, escaped as in a string of `PromQL`.
pub(super) fn quoted(text: &str) -> Result<String, String> {
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err("it is a line of text".to_owned());
    }
    Ok(text.replace('\\', r"\\").replace('"', r#"\""#))
}

/// The name of a label that all series have.
pub(super) fn label(text: &str) -> Result<String, String> {
    let is_of_a_label = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let begins = text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    if !begins || !text.chars().all(is_of_a_label) || text.starts_with("__") {
        return Err("it is no name of a label".to_owned());
    }
    if USED_LABELS.contains(&text) {
        return Err("the rules use this label already".to_owned());
    }
    Ok(text.to_owned())
}

pub(super) fn scrape_interval(text: &str) -> Result<Duration, String> {
    let interval = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if interval.is_zero() || interval > LONGEST {
        return Err(
            "expected more than 0s, and 5m at most: Prometheus uses a sample for five minutes"
                .to_owned(),
        );
    }
    Ok(interval)
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches as _};

    use super::*;
    use crate::cli::rules::shipped::SHIPPED;

    fn args(words: &[&str]) -> RulesArgs {
        let command = RulesArgs::augment_args(clap::Command::new("rules")).no_binary_name(true);
        RulesArgs::from_arg_matches(&command.get_matches_from(words)).unwrap()
    }

    #[test]
    fn without_changes_the_rules_are_the_shipped_ones() {
        let own = [
            "--dashboard-url=http://localhost:3000",
            "--web.external-url=http://localhost:15732",
        ];
        let rendered = args(&own).render(SHIPPED);
        assert!(rendered == SHIPPED);
        let rendered = args(&[]).render(SHIPPED);
        assert!(!rendered.contains(DASHBOARD) && !rendered.contains("localhost"));
        let alerts = |text: &str| text.matches("- alert: ").count();
        assert_eq!(alerts(&rendered), alerts(SHIPPED));
    }

    #[test]
    fn a_change_replaces_each_place_and_nothing_else() {
        let changes = args(&[
            "--by=cluster",
            "--runbook-url=https://wiki.example/runbook",
            "--dashboard-url=https://grafana.intra/path",
            "--web.external-url=https://kb.intra",
            r#"--job=kb "main""#,
            "--scrape-interval=3m",
            "--set=spike_factor=6.5",
        ]);
        let rendered = changes.render(SHIPPED);
        for gone in [
            RUNBOOK,
            GRAFANA,
            EXPORTER,
            JOB,
            GAP,
            " 4 # spike_factor",
            "(job, portal",
        ] {
            assert!(SHIPPED.contains(gone) && !rendered.contains(gone), "{gone}");
        }
        for new in [
            "#   spike_factor = 6.5",
            " 6.5 # spike_factor\n",
            "by (job, cluster, portal, folder_id)",
            "on (job, cluster) max_over_time(up",
            "runbook_url: https://wiki.example/runbook#kbportalunreadable\n",
            "'https://grafana.intra/path/d/kb-reindexing?",
            "'https://kb.intra/{{ if",
            r#"absent_over_time(up{job="kb \"main\""}["#,
            "(kb_portal_up[450s])",
        ] {
            assert!(rendered.contains(new), "{new}");
        }
        let lines = |text: &str| text.lines().count();
        assert_eq!(lines(&rendered), lines(SHIPPED));
    }

    #[test]
    fn addresses_and_names_that_would_break_the_rules_are_refused() {
        type Parse = fn(&str) -> Result<String, String>;
        let accepted: [(Parse, &str, &str); 3] = [
            (
                runbook_url,
                "https://a.example/kb?v=1",
                "https://a.example/kb?v=1",
            ),
            (address::site, "https://a.example/", "https://a.example"),
            (quoted, r#"a"b\c"#, r#"a\"b\\c"#),
        ];
        for (parse, text, expected) in accepted {
            assert_eq!(parse(text).unwrap(), expected);
        }
        let refused: [(Parse, &[&str]); 4] = [
            (
                runbook_url,
                &["https://a.example/#top", "wiki/kb", "javascript:alert(1)"],
            ),
            (
                address::site,
                &[
                    "https://a.example/a'b",
                    "https://a.example/?x={{ $labels }}",
                ],
            ),
            (quoted, &["a\nb", ""]),
            (label, &["", "a-b", "0a", "__name__", "portal", "a,b"]),
        ];
        for (parse, texts) in refused {
            for text in texts {
                assert!(parse(text).is_err(), "{text}");
            }
        }
        assert!(scrape_interval("5m").is_ok() && scrape_interval("6m").is_err());
        assert!(scrape_interval("0s").unwrap_err().contains("more than 0s"));
    }
}
