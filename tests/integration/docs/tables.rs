//! The tables and lists of the documents, as the program would write them.

use std::fmt::Write as _;

use kb_exporter::config::json_schema;
use kb_exporter::metrics::families::{ALL, Kind};
use kb_exporter::policy::Reason;
use serde_json::{Map, Value as Json};

/// Overrides have every key of `reindex`; the table lists only the one that is their own.
const OVERRIDES: &str = "reindex.folders[]";

/// The keys of the configuration, by section.
pub(super) fn configuration() -> String {
    let schema = json_schema();
    let mut lists = String::new();
    for (name, section) in properties(&schema).into_iter().flatten() {
        write!(lists, "\n### {name}\n\n").unwrap();
        add_key(&mut lists, name, section, false);
    }
    lists.push('\n');
    lists
}

fn add_keys(list: &mut String, parent: &str, section: &Json) {
    for (name, key) in properties(section).into_iter().flatten() {
        let required = section["required"].as_array();
        let required = required.is_some_and(|keys| keys.contains(&name.as_str().into()));
        if parent != OVERRIDES || name == "match" {
            add_key(list, &format!("{parent}.{name}"), key, required);
        }
    }
}

/// A key, or those in it.
fn add_key(list: &mut String, path: &str, key: &Json, required: bool) {
    if properties(key).is_some() {
        add_keys(list, path, key);
    } else if properties(&key["items"]).is_some() {
        add_keys(list, &format!("{path}[]"), &key["items"]);
    } else {
        let (value, default) = (value(key), default(key, required));
        let meaning = key["description"].as_str().unwrap_or_default();
        writeln!(list, "- `{path}` ({value}{default}): {meaning}").unwrap();
    }
}

/// The possible values of a key.
fn value(key: &Json) -> String {
    if let Some(title) = key["title"].as_str() {
        let range = title.strip_prefix("a whole number from ");
        let range = range.or_else(|| title.strip_prefix("a duration of "));
        return range.unwrap_or(title).to_owned();
    }
    if let Some(words) = key["enum"].as_array() {
        let words: Vec<_> = words.iter().map(code).collect();
        return words.join(", ");
    }
    match key["type"].as_str() {
        Some("array") => format!("a list; each is {}", value(&key["items"])),
        Some("string") => "a text".to_owned(),
        _ => "`true`, `false`".to_owned(),
    }
}

/// The value of a key that is absent, behind its possible values.
fn default(key: &Json, required: bool) -> String {
    match &key["default"] {
        Json::Null if required => "; required".to_owned(),
        Json::Null => String::new(),
        default => format!("; default {}", code(default)),
    }
}

/// A value as it is written in YAML.
fn code(value: &Json) -> String {
    match (value.as_str(), value.as_f64()) {
        (Some(text), _) => format!("`{text}`"),
        (None, Some(number)) => format!("`{number}`"),
        (None, None) => format!("`{value}`"),
    }
}

fn properties(schema: &Json) -> Option<&Map<String, Json>> {
    schema["properties"].as_object()
}

/// What metrics are about, by the labels that all of them have.
const SUBJECTS: [(&str, &[&str]); 3] = [
    ("Folders", &["portal", "folder_id", "folder"]),
    ("Portals", &["portal"]),
    ("The exporter", &[]),
];

/// The metric families: a list for each subject, which names its labels once.
pub(super) fn metrics() -> String {
    let mut lists = String::new();
    for (subject, common) in SUBJECTS {
        let labels = match common {
            [] => String::new(),
            common => format!(" (`{}`)", common.join("`, `")),
        };
        write!(lists, "\n**{subject}**{labels}:\n\n").unwrap();
        for family in ALL
            .iter()
            .filter(|family| common_of(family.labels) == common)
        {
            let own = match &family.labels[common.len()..] {
                [] => String::new(),
                own => format!("{{{}}}", own.join(",")),
            };
            let kind = match family.kind {
                Kind::Histogram => " (histogram)",
                Kind::Counter | Kind::Gauge => "",
            };
            writeln!(lists, "- `{}{own}`{kind}: {}", family.name, family.help).unwrap();
        }
    }
    lists.push('\n');
    lists
}

/// The labels of the first subject that a metric with these labels is about.
fn common_of(labels: &[&str]) -> &'static [&'static str] {
    let mut common = SUBJECTS.into_iter().map(|(_, common)| common);
    common.find(|common| labels.starts_with(common)).unwrap()
}

/// The reasons of decisions about reindexing, with what to do.
pub(super) fn reasons() -> String {
    let mut list = "\n".to_owned();
    for reason in Reason::ALL {
        let advice = match reason {
            Reason::Eligible => String::new(),
            reason => format!(" *Do:* {}.", reason.advice()),
        };
        writeln!(list, "- `{reason}`: {}.{advice}", reason.sentence()).unwrap();
    }
    list.push('\n');
    list
}
