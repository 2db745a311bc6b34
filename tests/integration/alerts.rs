//! The alert rules and dashboards: Prometheus accepts them, and they speak of what the program has.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::support::process::run;

use kb_exporter::metrics::catalogue::ALL;
use serde_json::Value;

/// What a histogram's series add to the name of their family.
const SUFFIXES: [&str; 3] = ["_bucket", "_count", "_sum"];

/// The panels that every Grafana can draw without a plugin of its own, and that the dashboards keep to.
const PANEL_TYPES: [&str; 7] = [
    "timeseries",
    "stat",
    "gauge",
    "bargauge",
    "table",
    "text",
    "row",
];

fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap()
}

/// The files of a folder that have an extension; at least one.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(path(folder)).unwrap();
    let files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|file| file.extension().is_some_and(|found| found == extension))
        .collect();
    assert!(!files.is_empty(), "{folder} has no {extension} file");
    files
}

/// Runs promtool with a command and files; it must find no fault.
#[track_caller]
fn promtool(command: &[&str], files: &[PathBuf]) {
    let output = run(Command::new("promtool").args(command).args(files), "");
    let said = [output.stdout, output.stderr].concat();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&said)
    );
}

/// The names of the program's metrics that a text mentions.
fn metrics_in(text: &str) -> BTreeSet<&str> {
    let is_of_a_word = |letter: char| letter.is_ascii_alphanumeric() || "_:".contains(letter);
    text.split(|letter| !is_of_a_word(letter))
        .filter(|word| word.starts_with("kb_"))
        .collect()
}

/// Whether the program has a series of this name.
fn exists(name: &str) -> bool {
    ALL.iter().any(|family| {
        let suffix = name.strip_prefix(family.name);
        suffix.is_some_and(|suffix| suffix.is_empty() || SUFFIXES.contains(&suffix))
    })
}

/// The alerts of the rules, in their order.
fn alerts(rules: &str) -> Vec<&str> {
    rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "))
        .collect()
}

fn dashboards() -> Vec<Value> {
    let files = files("dashboards", "json");
    files
        .iter()
        .map(|file| serde_json::from_str(&text(file)).unwrap())
        .collect()
}

#[test]
fn prometheus_accepts_the_rules() {
    promtool(
        &["check", "rules", "--lint=all", "--lint-fatal"],
        &files("alerts", "yml"),
    );
}

#[test]
fn the_alerts_fire_and_keep_silent_as_their_tests_say() {
    // Each file takes seconds of one core, so they share the cores.
    thread::scope(|scope| {
        for file in files("alerts/tests", "yml") {
            scope.spawn(move || promtool(&["test", "rules"], &[file]));
        }
    });
}

#[test]
fn every_alert_is_tested_and_has_a_section_of_the_runbook_that_its_link_leads_to() {
    let rules = text(&path("alerts/kb-exporter.yml"));
    let runbook = text(&path("alerts/runbook.md"));
    let tests: String = files("alerts/tests", "yml")
        .iter()
        .map(|file| text(file))
        .collect();
    let sections: Vec<_> = runbook
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .collect();
    assert_eq!(alerts(&rules), sections);
    for alert in sections {
        let link = format!("/alerts/runbook.md#{}", alert.to_lowercase());
        assert!(rules.contains(&format!("{link}'\n")), "no link to {alert}");
        assert!(tests.contains(&format!("{link}\n")), "{alert} never fires");
    }
}

#[test]
fn every_metric_of_rules_tests_runbook_and_dashboards_is_one_of_the_program() {
    let mut sources = files("alerts", "yml");
    sources.extend(files("alerts", "md"));
    sources.extend(files("alerts/tests", "yml"));
    sources.extend(files("dashboards", "json"));
    for source in sources {
        let text = text(&source);
        let names = metrics_in(&text);
        assert!(!names.is_empty(), "{} names no metric", source.display());
        let unknown: Vec<_> = names.into_iter().filter(|name| !exists(name)).collect();
        assert!(unknown.is_empty(), "{}: {unknown:?}", source.display());
    }
}

#[test]
fn every_recorded_series_that_is_read_is_recorded() {
    let rules = text(&path("alerts/kb-exporter.yml"));
    let recorded: BTreeSet<_> = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- record: "))
        .collect();
    let is_of_a_name = |letter: char| letter.is_ascii_alphanumeric() || "_:".contains(letter);
    let read: BTreeSet<_> = rules
        .lines()
        .filter(|line| !line.trim().starts_with('#'))
        .flat_map(|line| line.split(|letter| !is_of_a_name(letter)))
        .filter(|word| word.starts_with("kb:"))
        .collect();
    assert_eq!(recorded, read);
}

#[test]
fn every_panel_says_what_it_shows_and_what_to_do() {
    for dashboard in dashboards() {
        assert_eq!(dashboard["schemaVersion"], 42);
        assert_eq!(dashboard["tags"][0], "kb-exporter");
        for panel in dashboard["panels"].as_array().unwrap() {
            let kind = panel["type"].as_str().unwrap();
            assert!(PANEL_TYPES.contains(&kind), "{panel}");
            let mut needed = vec!["/title"];
            if kind != "row" {
                needed.extend([
                    "/description",
                    "/fieldConfig/defaults/unit",
                    "/fieldConfig/defaults/noValue",
                ]);
            }
            for pointer in needed {
                let said = panel.pointer(pointer).and_then(Value::as_str);
                assert!(
                    said.is_some_and(|said| !said.is_empty()),
                    "{pointer}: {panel}"
                );
            }
        }
    }
}

#[test]
fn every_query_of_a_dashboard_keeps_to_the_variables() {
    for dashboard in dashboards() {
        let panels = dashboard["panels"].as_array().unwrap().iter();
        for target in panels.flat_map(|panel| panel["targets"].as_array().into_iter().flatten()) {
            let query = target["expr"].as_str().unwrap();
            let selectors = query.split('{').skip(1);
            for selector in selectors {
                for variable in ["job", "instance", "portal"] {
                    let matcher = format!("{variable}=~\"${variable}\"");
                    assert!(selector.contains(&matcher), "{variable}: {query}");
                }
            }
        }
    }
}
