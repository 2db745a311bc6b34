//! `kb-exporter rules`: the alert rules, rendered for an installation. The shipped text is changed line by line, and stays as it is
//! elsewhere, comments included.

use std::process::ExitCode;
use std::str::FromStr;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::cli::output::OutputArgs;
use crate::cli::web::SiteArgs;
use crate::cli::{address, output};

/// The shipped rules. A line `#   NAME = VALUE  MEANING` in the head lists a threshold, and a comment `# NAME` follows each use.
const SHIPPED: &str = include_str!("../../alerts/kb-exporter.yml");

/// What the shipped rules name, and an installation may name otherwise.
const RUNBOOK: &str = "https://git.example/kb-exporter/blob/main/alerts/runbook.md";
const GRAFANA: &str = "http://localhost:3000";
const EXPORTER: &str = "http://localhost:15732";
const JOB: &str = r#"job="kb-exporter""#;

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

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Form {
    #[default]
    Prometheus,
    // A `PrometheusRule` object for the Prometheus Operator.
    Kubernetes,
}

/// How the rules differ from the shipped ones.
#[derive(Debug, Args)]
pub(super) struct RulesArgs {
    #[command(flatten)]
    site: SiteArgs,
    /// Link each alert to its section of the runbook at this URL. [default: the document of the project]
    #[arg(long, value_name = "URL", value_parser = runbook_url)]
    runbook_url: Option<String>,
    /// Link each alert to a dashboard of the Grafana server at this URL. Without it, alerts have no `dashboard_url`; without
    /// `--web.external-url`, they have no `page_url`, the exporter's own page of the folder.
    #[arg(long, value_name = "URL", value_parser = address::site)]
    dashboard_url: Option<String>,
    /// Use this job name of the scrape configuration. [default: kb-exporter]
    #[arg(long, value_name = "NAME", value_parser = quoted)]
    job: Option<String>,
    /// Change a threshold. Repeatable. The rules list the names in their head.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Threshold>,
    #[command(flatten)]
    output: OutputArgs<Form>,
}

/// The value of a `--set`.
#[derive(Debug, Clone)]
struct Threshold {
    name: &'static str,
    value: f64,
}

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (wanted, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
        let found = thresholds().find(|(name, ..)| *name == wanted);
        let (name, _, meaning) = found.ok_or_else(|| {
            let names: Vec<_> = thresholds().map(|(name, ..)| name).collect();
            format!(
                "there is no threshold `{wanted}`; there are {}",
                names.join(", ")
            )
        })?;
        // The list says what 0 means where it is allowed. Elsewhere the alert would always fire.
        let (least, words) = if meaning.contains(" 0: ") {
            (0.0, "of 0 or more")
        } else {
            (f64::MIN_POSITIVE, "above 0")
        };
        let value = value.parse::<f64>().ok();
        let value = value.filter(|value| value.is_finite() && *value >= least);
        let value = value.ok_or_else(|| format!("{name} is a number {words}"))?;
        Ok(Self { name, value })
    }
}

impl Threshold {
    /// A line that lists or uses the threshold, with the new value.
    fn in_line(&self, line: &str) -> Option<String> {
        let Self { name, value } = self;
        if let Some(rest) = line.strip_prefix(&format!("#   {name} = ")) {
            let (_, meaning) = rest.split_once(' ')?;
            return Some(format!("#   {name} = {value} {meaning}"));
        }
        let used = line.strip_suffix(&format!(" # {name}"))?;
        let (before, _) = used.rsplit_once(' ')?;
        Some(format!("{before} {value} # {name}"))
    }
}

/// The name, the shipped value and the meaning of each threshold, in the order of the list.
fn thresholds() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    SHIPPED.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("#   ")?.split_once(" = ")?;
        let (value, meaning) = rest.split_once(' ')?;
        Some((name, value, meaning.trim_start()))
    })
}

/// Prints the rules.
pub(super) fn run(args: &RulesArgs) -> Result<ExitCode> {
    let rules = args.render();
    output::print(&match args.output.form() {
        Form::Prometheus => rules,
        Form::Kubernetes => kubernetes(&rules),
    })?;
    Ok(ExitCode::SUCCESS)
}

impl RulesArgs {
    /// The shipped rules with the changes that the arguments make, without links to what nobody serves.
    fn render(&self) -> String {
        let lines = SHIPPED.lines().filter(|line| self.is_linked(line));
        let text: String = lines.map(|line| self.line(line) + "\n").collect();
        let job = self.job.as_ref().map(|job| format!(r#"job="{job}""#));
        let changes = [
            (RUNBOOK, &self.runbook_url),
            (EXPORTER, &self.site.external_url),
            (GRAFANA, &self.dashboard_url),
            (JOB, &job),
        ];
        changes
            .into_iter()
            .fold(text, |text, (old, new)| match new {
                Some(new) => text.replace(old, new),
                None => text,
            })
    }

    /// Whether a line is no link, or one to what is served.
    fn is_linked(&self, line: &str) -> bool {
        let has = |link| line.trim_start().starts_with(link);
        (self.dashboard_url.is_some() || !has("dashboard_url: "))
            && (self.site.external_url.is_some() || !has("page_url: "))
    }

    /// A line with the thresholds that are changed. The last change counts.
    fn line(&self, line: &str) -> String {
        let mut changed = self.set.iter().rev().filter_map(|set| set.in_line(line));
        changed.next().unwrap_or_else(|| line.to_owned())
    }
}

/// The rules as an object of Kubernetes, for the Prometheus operator.
fn kubernetes(rules: &str) -> String {
    let indented = rules.lines().map(|line| match line {
        "" => "\n".to_owned(),
        line => format!("  {line}\n"),
    });
    KUBERNETES.to_owned() + &indented.collect::<String>()
}

/// The address of a runbook, to which `#` and the name of an alert are added.
fn runbook_url(text: &str) -> Result<String, String> {
    let url = address::linked(text)?;
    if url.fragment().is_some() {
        return Err("the name of the alert is added after `#`: remove that part".to_owned());
    }
    Ok(url.into())
}

/// The name of a job, escaped as in a string of `PromQL`.
fn quoted(text: &str) -> Result<String, String> {
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err("it is a line of text".to_owned());
    }
    Ok(text.replace('\\', r"\\").replace('"', r#"\""#))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_would_break_the_rules_are_refused() {
        type Accepts = fn(&str) -> bool;
        let runbook: Accepts = |text| runbook_url(text).is_ok();
        let site: Accepts = |text| address::site(text).is_ok();
        let job: Accepts = |text| quoted(text).is_ok();
        let set: Accepts = |text| text.parse::<Threshold>().is_ok();
        for (accepts, right, wrong) in [
            (
                runbook,
                "https://a.example/kb?v=1",
                "https://a.example/#top",
            ),
            (runbook, "https://a.example", "javascript:alert(1)"),
            (site, "https://a.example/", "https://a.example/a'b"),
            (site, "https://a.example/b", "https://a.example/?x={{ y }}"),
            (job, r#"a"b\c"#, "a\nb"),
            (job, "a", ""),
            (set, "most_failed_files=2.5", "most_failed_files=0"),
            (set, "spike_factor=0", "spike_factor=-1"),
            (set, "spike_factor=6", "spike_factor=NaN"),
            (set, "stuck_seconds=9", "spike=4"),
            (set, "stuck_seconds=1", "stuck_seconds=4 or vector(1)"),
        ] {
            assert!(accepts(right), "{right}");
            assert!(!accepts(wrong), "{wrong}");
        }
    }

    #[test]
    fn each_threshold_is_used_with_the_listed_value() {
        let rules = SHIPPED
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'));
        let uses = rules.filter_map(|line| line.split_once(" # "));
        let uses: Vec<_> = uses
            .map(|(used, name)| (name, used.rsplit(' ').next().unwrap_or(used)))
            .collect();
        let listed: Vec<_> = thresholds().map(|(name, value, _)| (name, value)).collect();
        assert!(!listed.is_empty() && listed.iter().all(|known| uses.contains(known)));
        assert!(uses.iter().all(|used| listed.contains(used)), "{uses:?}");
    }
}
