//! Queries as Prometheus gets them, and which metrics they use. That each has an answer is seen in [`live`](super::live).

use std::collections::{BTreeMap, BTreeSet};

use kb_exporter::metrics::families::ALL;
use serde_json::Value;

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

#[test]
fn every_metric_of_the_program_is_used_by_a_dashboard_or_a_rule() {
    let boards = committed();
    let queries = boards.iter().flat_map(panels).flat_map(targets);
    let queries = queries.map(|target| target["expr"].as_str().unwrap().to_owned());
    let asked = boards.iter().flat_map(variables);
    let asked = asked.map(|variable| asked_by(variable).0);
    let texts: Vec<String> = queries.chain(asked).chain([rules::text()]).collect();
    let used = texts.iter().flat_map(|text| rules::metrics_in(text));
    let used: BTreeSet<_> = used.map(rules::family).collect();
    let unused: BTreeMap<_, _> = UNUSED.iter().copied().collect();
    for family in ALL.iter() {
        let listed = unused.contains_key(family.name);
        assert_ne!(used.contains(family.name), listed, "{}", family.name);
    }
}
