//! What every query must be like: the rules of Grafana's dashboard-linter about targets, and that it names what there is.

use std::collections::{BTreeMap, BTreeSet};

use kb_exporter::metrics::families::ALL;
use serde_json::Value;

use crate::support::promql::{Labels, Reading, Registry, Selector, family, read};
use crate::support::rules;

use super::{committed, panels, targets, variables};

/// Metrics that neither a dashboard nor a rule uses, and why.
const UNUSED: &[(&str, &str)] = &[
    (
        "kb_collection_panics_total",
        "for a report of a fault; the runbook asks for it",
    ),
    (
        "kb_error_classes",
        "to choose errors.max_classes; the page of the exporter shows the classes",
    ),
    (
        "kb_error_overflow_files",
        "the same; the table of classes has the class other",
    ),
    (
        "kb_exporter_config_last_reload_success_timestamp_seconds",
        "to see that a change was read; an alert tells when one was not",
    ),
    (
        "kb_exporter_http_requests_total",
        "for questions about clients that are refused, which the log names",
    ),
    (
        "kb_exporter_web_config_last_reload_success_timestamp_seconds",
        "to see that a new certificate was read; an alert tells when one was not",
    ),
    (
        "kb_folder_full_read_difference",
        "to judge the ways of counting; the inconsistent folders are drawn",
    ),
    (
        "kb_folder_size_bytes",
        "for questions about storage, which nobody has while files fail",
    ),
    (
        "kb_portal_retries_total",
        "for questions about the network; the requests by code are drawn",
    ),
    (
        "kb_state_write_duration_seconds",
        "for questions about the disk; an alert tells when nothing can be written",
    ),
];

/// Parts of a query that Grafana replaces.
const INTERVALS: [(&str, &str); 2] = [("$__rate_interval", "5m"), ("$__range", "6h")];

/// A query as Prometheus gets it, but for the variables in its matchers.
pub(super) fn replaced(expression: &str) -> String {
    INTERVALS
        .iter()
        .fold(expression.to_owned(), |text, (name, value)| {
            text.replace(name, value)
        })
}

/// The expression in a variable's query, and the label whose values it asks for.
pub(super) fn asked_by(variable: &Value) -> (String, Option<String>) {
    let query = variable["query"]["query"].as_str().unwrap();
    let (function, rest) = query.split_once('(').unwrap();
    let inside = rest.strip_suffix(')').unwrap();
    match function {
        "label_values" => {
            let (expression, label) = inside.rsplit_once(", ").unwrap();
            (expression.to_owned(), Some(label.to_owned()))
        }
        "query_result" => (inside.to_owned(), None),
        _ => panic!("{query}"),
    }
}

/// Every expression of a dashboard, read.
fn readings(board: &Value) -> Vec<(String, Reading)> {
    let registry = Registry::of_the_program();
    let queries = panels(board)
        .flat_map(targets)
        .map(|target| replaced(target["expr"].as_str().unwrap()));
    let asked = variables(board).map(|variable| asked_by(variable).0);
    queries
        .chain(asked)
        .map(|expression| {
            let reading = read(&expression, &registry);
            (expression, reading)
        })
        .collect()
}

#[test]
fn every_metric_and_label_that_a_query_or_variable_names_is_there() {
    for board in committed() {
        for (expression, reading) in readings(&board) {
            assert!(
                reading.problems.is_empty(),
                "{:?}: {expression}",
                reading.problems
            );
        }
        for variable in variables(&board) {
            let (expression, label) = asked_by(variable);
            let labels = read(&expression, &Registry::of_the_program()).labels;
            let named = label.into_iter().chain(groups(variable));
            named.for_each(|label| assert!(labels.contains(&label), "{label}: {variable}"));
        }
    }
}

/// The labels that a variable's regular expression looks for.
fn groups(variable: &Value) -> impl Iterator<Item = String> {
    let regex = variable["regex"].as_str().unwrap();
    let parts = regex.split("=\"").collect::<Vec<_>>();
    let before: Vec<_> = parts[..parts.len() - 1]
        .iter()
        .map(|part| word_at_the_end(part))
        .collect();
    before.into_iter()
}

fn word_at_the_end(text: &str) -> String {
    let is_of_a_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let start = text
        .rfind(|letter| !is_of_a_word(letter))
        .map_or(0, |at| at + 1);
    text[start..].to_owned()
}

#[test]
fn every_name_of_a_series_is_made_of_labels_that_it_has() {
    for board in committed() {
        for target in panels(&board).flat_map(targets) {
            let expression = target["expr"].as_str().unwrap();
            let labels: Labels = read(&replaced(expression), &Registry::of_the_program()).labels;
            let legend = target["legendFormat"].as_str().unwrap();
            assert!(!legend.is_empty(), "{expression}");
            for part in legend.split("{{").skip(1) {
                let label = part.split("}}").next().unwrap();
                assert!(labels.contains(label), "{legend}: {expression}");
            }
        }
    }
}

#[test]
fn every_selector_keeps_to_the_variables_that_its_series_knows() {
    for board in committed() {
        let names: Vec<_> = variables(&board)
            .map(|own| own["name"].as_str().unwrap())
            .collect();
        let registry = Registry::of_the_program();
        let queries = panels(&board)
            .flat_map(targets)
            .map(|target| target["expr"].as_str().unwrap());
        for expression in queries {
            for selector in read(&replaced(expression), &registry).selectors {
                let labels = registry.labels(&selector.name).unwrap();
                for variable in &names {
                    let label = if *variable == "folder" {
                        "folder_id"
                    } else {
                        variable
                    };
                    // An alert may be about no portal and no instance; each is about a job.
                    if selector.name == "ALERTS" && *variable != "job" {
                        continue;
                    }
                    let matcher = format!("{label}=~\"${variable}\"");
                    let keeps = selector.matchers.contains(&matcher);
                    assert!(keeps || !labels.contains(label), "{matcher}: {expression}");
                }
            }
        }
    }
}

#[test]
fn counters_are_read_by_their_growth_and_nothing_else_is() {
    for board in committed() {
        for (expression, reading) in readings(&board) {
            for Selector { name, inside, .. } in &reading.selectors {
                let counts = ["_total", "_bucket", "_count", "_sum"]
                    .iter()
                    .any(|end| name.ends_with(end));
                let innermost = inside.first().map(String::as_str);
                let grows = matches!(innermost, Some("rate" | "increase"));
                assert_eq!(counts, grows, "{name}: {expression}");
            }
        }
    }
}

#[test]
fn a_range_is_that_of_the_step_or_else_the_time_shown_as_a_whole() {
    for board in committed() {
        for target in panels(&board).flat_map(targets) {
            let expression = target["expr"].as_str().unwrap();
            for range in expression.split('[').skip(1) {
                let (range, after) = range.split_once(']').unwrap();
                let whole = target["instant"] == true || after.starts_with(" @ end()");
                // What was there a while ago is missing now. A rate of an hour and a share of a week say so.
                let own = ["30m", "1h", "7d"].contains(&range) && whole || range == "30m";
                let fits = range == "$__rate_interval" || range == "$__range" && whole || own;
                assert!(fits, "{range}: {expression}");
            }
        }
    }
}

#[test]
fn what_is_absent_is_not_made_a_number() {
    for board in committed() {
        for (expression, _) in readings(&board) {
            assert!(!expression.contains("vector("), "{expression}");
        }
    }
}

#[test]
fn every_metric_of_the_program_is_used_by_a_dashboard_or_a_rule() {
    let boards = committed();
    let drawn = boards.iter().flat_map(readings).map(|(_, reading)| reading);
    let ruled = rules::read_all().into_iter().map(|(_, reading)| reading);
    let used: BTreeSet<_> = drawn
        .chain(ruled)
        .flat_map(|reading| reading.selectors)
        .map(|selector| family(&selector.name).to_owned())
        .collect();
    let unused: BTreeMap<_, _> = UNUSED.iter().copied().collect();
    for family in ALL.iter() {
        let listed = unused.contains_key(family.name);
        assert_ne!(used.contains(family.name), listed, "{}", family.name);
    }
}
