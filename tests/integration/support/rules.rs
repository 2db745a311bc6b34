//! The shipped alert rules, read as Prometheus reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use regex::{Captures, Regex};
use serde::Deserialize;
use serde_json::Value;

use super::promql::{Reading, Registry, read};

/// Where they are.
pub(crate) const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/alerts/kb-exporter.yml");

#[derive(Deserialize)]
struct File {
    groups: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    rules: Vec<Rule>,
}

/// One rule: it records a series, or is an alert.
#[derive(Deserialize)]
pub(crate) struct Rule {
    pub(crate) record: Option<String>,
    pub(crate) alert: Option<String>,
    pub(crate) expr: String,
    #[serde(default)]
    pub(crate) labels: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) annotations: BTreeMap<String, String>,
}

impl Rule {
    /// What it is called.
    pub(crate) fn name(&self) -> &str {
        self.record.as_deref().or(self.alert.as_deref()).unwrap()
    }
}

/// The text of the file.
pub(crate) fn text() -> String {
    fs::read_to_string(FILE).unwrap()
}

/// The text of the file with every length of time divided by a number, and the time between two evaluations by another one.
pub(crate) fn faster(by: u64, evaluations: u64) -> String {
    let time = Regex::new(r"(\[|:|offset |interval: |for: )((?:[0-9]+[smhd])+)").unwrap();
    let rules = text();
    let replaced = time.replace_all(&rules, |found: &Captures<'_>| {
        let by = if &found[1] == "interval: " {
            evaluations
        } else {
            by
        };
        format!("{}{}ms", &found[1], milliseconds(&found[2]) / by)
    });
    replaced.into_owned()
}

/// The rules for a tool that evaluates all groups alike: what is evaluated every 15 minutes only records at such a time, and its
/// alerts keep their state until the next one. Only those that a test names, and what they read: the others would take most of its time.
pub(crate) fn at_real_intervals(test: &str) -> String {
    let needed = needed_by(test);
    let mut file: Value = serde_saphyr::from_str(&text()).unwrap();
    for group in file["groups"].as_array_mut().unwrap() {
        let is_slow = group["interval"] == "15m";
        let rules = group["rules"].as_array_mut().unwrap();
        rules.retain(|rule| {
            let name = rule.get("record").or(rule.get("alert"));
            needed.contains(name.unwrap().as_str().unwrap())
        });
        for rule in rules.iter_mut().filter(|_| is_slow) {
            let expression = rule["expr"].as_str().unwrap();
            rule["expr"] = format!("(\n{expression}\n) and on () vector(time()) % 900 == 0").into();
            if rule.get("alert").is_some() {
                rule["keep_firing_for"] = "14m".into();
            }
        }
    }
    file.to_string()
}

/// The names of the rules that a text mentions, and of those whose series they read.
fn needed_by(text: &str) -> BTreeSet<String> {
    let rules = all();
    let (mut needed, mut unread) = (BTreeSet::new(), vec![text]);
    while let Some(text) = unread.pop() {
        let new = words(text).filter(|word| !needed.contains(*word));
        let new: BTreeSet<&str> = new.collect();
        // Some series are recorded by several rules.
        for rule in rules.iter().filter(|rule| new.contains(rule.name())) {
            needed.insert(rule.name().to_owned());
            unread.push(&rule.expr);
        }
    }
    needed
}

/// The names in a text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_of_a_word = |letter: char| letter.is_ascii_alphanumeric() || "_:".contains(letter);
    text.split(move |letter| !is_of_a_word(letter))
}

/// The length of a time such as `15m1s`.
pub(crate) fn milliseconds(time: &str) -> u64 {
    let part = Regex::new("([0-9]+)([smhd])").unwrap();
    let parts = part.captures_iter(time).map(|found| {
        let number: u64 = found[1].parse().unwrap();
        let unit = match &found[2] {
            "s" => 1,
            "m" => 60,
            "h" => 3600,
            _ => 86_400,
        };
        number * unit * 1000
    });
    parts.sum()
}

/// Every rule, in the order in which they are evaluated.
pub(crate) fn all() -> Vec<Rule> {
    parse(&text())
}

/// Every rule of a file's text, in the order in which they are evaluated.
pub(crate) fn parse(text: &str) -> Vec<Rule> {
    let file: File = serde_saphyr::from_str(text).unwrap();
    file.groups
        .into_iter()
        .flat_map(|group| group.rules)
        .collect()
}

/// Reads each rule's expression; what one records is known to all.
pub(crate) fn read_all() -> Vec<(Rule, Reading)> {
    let mut registry = Registry::of_the_program();
    let mut read_one = |rule: Rule| {
        let mut reading = read(&rule.expr, &registry);
        reading.labels.extend(rule.labels.keys().cloned());
        if let Some(name) = &rule.record {
            registry.record(name, reading.labels.clone());
        }
        (rule, reading)
    };
    // Groups read each other's series, and some rules their own: only the second time, all are known.
    let _first: Vec<_> = all().into_iter().map(&mut read_one).collect();
    all().into_iter().map(read_one).collect()
}
