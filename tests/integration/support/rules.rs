//! The shipped alert rules, read as Prometheus reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use kb_exporter::metrics::families::ALL;
use regex::{Captures, Regex};
use serde::Deserialize;

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

/// The text of the file with every length of time divided by a number, but for those that are compared in seconds.
pub(crate) fn faster(by: u64) -> String {
    let time = Regex::new(r"(\[|:|offset |interval: |for: )((?:[0-9]+[smhd])+)").unwrap();
    let rules = text();
    let divided = |found: &Captures<'_>| format!("{}{}ms", &found[1], milliseconds(&found[2]) / by);
    time.replace_all(&rules, divided).into_owned()
}

/// The names in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
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

/// The names of the program's metrics that a text mentions.
pub(crate) fn metrics_in(text: &str) -> BTreeSet<&str> {
    words(text).filter(|word| word.starts_with("kb_")).collect()
}

/// The family that a series belongs to: a histogram's have a suffix.
pub(crate) fn family(series: &str) -> &str {
    let mut stripped = ["_bucket", "_count", "_sum"]
        .iter()
        .filter_map(|suffix| series.strip_suffix(suffix));
    let is_family = |name: &&str| ALL.iter().any(|family| family.name == *name);
    stripped.find(is_family).unwrap_or(series)
}

/// Whether the program has a series of this name.
pub(crate) fn exists(series: &str) -> bool {
    ALL.iter().any(|known| known.name == family(series))
}
