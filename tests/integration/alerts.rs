//! The alert rules: Prometheus accepts them, their tests hold, and they speak of what the program has.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use crate::dashboards;
use crate::support::process::{output, run, said};
use crate::support::repository::{root, text};
use crate::support::rules::{self, Rule};

/// The files of a folder that have an extension; at least one.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
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
    // It ends before it has much to collect, and takes a quarter less time.
    let mut promtool = Command::new("promtool");
    promtool.env("GOGC", "800").args(command).args(files);
    let result = run(&mut promtool, "");
    assert!(result.status.success(), "{}", said(&result));
}

/// The alerts of the rules, in their order.
fn alerts() -> impl Iterator<Item = Rule> {
    let rules = rules::all().into_iter();
    rules.filter(|rule| rule.alert.is_some())
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
    let files = Mutex::new(files("alerts/tests", "yml").into_iter());
    let next = || files.lock().unwrap().next();
    // One file at a time on each of two cores leaves something to the other tests.
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(file) = next() {
                    promtool(&["test", "rules"], &[file]);
                }
            });
        }
    });
}

/// The text of all tests.
fn tests_text() -> String {
    let files = files("alerts/tests", "yml");
    files.iter().map(text).collect()
}

/// The names of the alerts, each once.
fn names(alerts: &[Rule]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let names = alerts.iter().map(Rule::name);
    names.filter(|name| seen.insert(*name)).collect()
}

#[test]
fn every_alert_has_a_tested_message_and_a_section_of_the_runbook_that_its_link_leads_to() {
    let runbook = text("alerts/runbook.md");
    let sections = runbook.lines().filter_map(|line| line.strip_prefix("## "));
    let sections: BTreeSet<_> = sections.collect();
    let alerts: Vec<_> = alerts().collect();
    assert_eq!(
        sections,
        names(&alerts).into_iter().collect::<BTreeSet<_>>()
    );
    let tests = tests_text();
    for alert in &alerts {
        let name = alert.name();
        let link = format!("/runbook.md#{}", name.to_lowercase());
        let url = &alert.annotations["runbook_url"];
        assert!(url.ends_with(&link), "{name}: {url}");
        assert!(
            tests.contains(&format!("{link}'\n")),
            "{name} has no message"
        );
    }
}

/// An alert may have several rules that share a message.
#[test]
fn there_are_few_rules_and_each_can_be_read() {
    let rules = rules::all();
    let (alerts, records): (Vec<_>, Vec<_>) =
        rules.into_iter().partition(|rule| rule.alert.is_some());
    assert_eq!(names(&alerts).len(), 18);
    assert!(records.len() <= 12);
    assert!(rules::text().lines().count() <= 450);
    for rule in records.iter().chain(&alerts) {
        assert!(rule.expr.len() <= 400, "{}: {}", rule.name(), rule.expr);
    }
}

#[test]
fn every_alert_says_how_bad_it_is_and_what_is_wrong() {
    for alert in alerts() {
        let name = alert.name();
        assert!(name.starts_with("Kb"), "{name}");
        let severity = &*alert.labels["severity"];
        assert!(
            ["critical", "warning", "info"].contains(&severity),
            "{name}: {severity}"
        );
        let summary = &alert.annotations["summary"];
        assert!(
            !summary.is_empty() && !summary.contains("{{"),
            "{name}: {summary}"
        );
        let description = &alert.annotations["description"];
        assert!(description.contains("{{"), "{name}: {description}");
    }
}

#[test]
fn every_alert_leads_to_a_dashboard_and_chooses_by_variables_that_it_has() {
    let boards = dashboards::committed();
    for alert in alerts() {
        let url = &alert.annotations["dashboard_url"];
        let (_, target) = url.split_once("http://localhost:3000/d/").unwrap();
        let (uid, query) = target.split_once('?').unwrap();
        let uids = match uid {
            "kb-{{ if $labels.folder_id }}folder{{ else }}knowledge-base{{ end }}" => {
                ["kb-folder", "kb-knowledge-base"]
            }
            own => [own, own],
        };
        for uid in uids {
            let board = boards.iter().find(|board| board["uid"] == uid);
            let board = board.unwrap_or_else(|| panic!("no dashboard {uid}: {url}"));
            let variables = board["templating"]["list"].as_array().unwrap().iter();
            let variables: BTreeSet<_> =
                variables.map(|own| own["name"].as_str().unwrap()).collect();
            let chosen = query.split("var-").skip(1);
            let chosen: BTreeSet<_> = chosen.map(|rest| rest.split('=').next().unwrap()).collect();
            // The dashboard of all folders passes over the variable of one.
            let knows = |name: &&str| variables.contains(name) || *name == "folder";
            assert!(
                !chosen.is_empty() && chosen.iter().all(knows),
                "{uid}: {url}"
            );
        }
    }
}

/// Prints the rules with some arguments.
#[track_caller]
fn rendered(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kb-exporter"));
    output(command.arg("rules").args(arguments))
}

#[test]
fn the_command_prints_the_shipped_rules_and_those_of_an_installation() {
    let own = [
        "--dashboard-url=http://localhost:3000",
        "--web.external-url=http://localhost:15732",
    ];
    assert!(rendered(&own) == rules::text());
    assert!(!rendered(&[]).contains("localhost"), "nobody serves it");
    let shipped = rendered(&[]);
    let names = shipped.lines().filter_map(|line| line.strip_prefix("#   "));
    let names = names.filter_map(|line| Some(line.split_once(" = ")?.0));
    let names: Vec<_> = names.collect();
    assert!(names.contains(&"spike_factor"), "{names:?}");
    let settings: Vec<_> = names.iter().map(|name| format!("{name}=0.5")).collect();
    let mut arguments = vec![
        "--runbook-url=https://wiki.example/kb?view=plain",
        "--dashboard-url=https://example.org/grafana/",
        "--web.external-url=https://kb.example/",
        r#"--job=the "main" job: # 1"#,
    ];
    arguments.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    let text = rendered(&arguments);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.yml");
    fs::write(&file, &text).unwrap();
    promtool(&["check", "rules"], &[file]);
    for name in names {
        assert!(text.contains(&format!(" 0.5 # {name}\n")), "{name}");
    }
    for (alert, shipped) in rules::parse(&text).iter().zip(rules::all()) {
        assert_eq!(alert.name(), shipped.name());
        if shipped.alert.is_some() {
            let link = format!(
                "https://wiki.example/kb?view=plain#{}",
                shipped.name().to_lowercase()
            );
            assert_eq!(alert.annotations["runbook_url"], link);
            let board = shipped.annotations["dashboard_url"]
                .replace("http://localhost:3000", "https://example.org/grafana");
            assert_eq!(alert.annotations["dashboard_url"], board);
        }
    }
    assert!(!text.contains(r#"job="kb-exporter""#));
    let selected = text.matches(r#"{job="the \"main\" job: # 1"}"#).count();
    let shipped = rules::text().matches(r#"{job="kb-exporter"}"#).count();
    assert_eq!(selected, shipped);
}

#[test]
fn every_metric_of_the_rules_their_tests_and_the_runbook_is_one_of_the_program() {
    let mut sources = files("alerts", "md");
    sources.extend(files("alerts", "yml"));
    sources.extend(files("alerts/tests", "yml"));
    for source in sources {
        let text = text(&source);
        let names = rules::metrics_in(&text);
        assert!(!names.is_empty(), "{} names no metric", source.display());
        let unknown: Vec<_> = names
            .into_iter()
            .filter(|name| !rules::exists(name))
            .collect();
        assert!(unknown.is_empty(), "{}: {unknown:?}", source.display());
    }
}
