//! The tables of the documents, as the program would write them.

use std::fmt::Write as _;

use kb_exporter::config::schema::json_schema;
use kb_exporter::metrics::families::ALL;
use kb_exporter::policy::Reason;
use serde_json::{Map, Value as Json};

/// Overrides have every key of `reindex`; the table lists only the one that is their own.
const OVERRIDES: &str = "reindex.folders[]";

/// The keys of the configuration.
pub(super) fn configuration() -> String {
    let mut table = "| Key | Value | Default | Meaning |\n|---|---|---|---|\n".to_owned();
    add_rows(&mut table, "", &json_schema());
    table
}

fn add_rows(table: &mut String, parent: &str, section: &Json) {
    for (name, key) in properties(section).into_iter().flatten() {
        let path = match parent {
            "" => name.clone(),
            OVERRIDES if name != "match" => continue,
            _ => format!("{parent}.{name}"),
        };
        if properties(key).is_some() {
            add_rows(table, &path, key);
        } else if properties(&key["items"]).is_some() {
            add_rows(table, &format!("{path}[]"), &key["items"]);
        } else {
            let required = section["required"].as_array();
            let required = required.is_some_and(|keys| keys.contains(&name.as_str().into()));
            let (value, default) = (value(key), default(key, required));
            let meaning = key["description"].as_str().unwrap_or_default();
            writeln!(table, "| `{path}` | {value} | {default} | {meaning} |").unwrap();
        }
    }
}

/// The possible values of a key.
fn value(key: &Json) -> String {
    if let Some(title) = key["title"].as_str() {
        return title.to_owned();
    }
    if let Some(words) = key["enum"].as_array() {
        let words: Vec<_> = words.iter().map(code).collect();
        return words.join(", ");
    }
    match key["type"].as_str() {
        Some("array") => format!("a list; each is {}", value(&key["items"])),
        _ => "`true`, `false`".to_owned(),
    }
}

/// The value of a key that is absent.
fn default(key: &Json, required: bool) -> String {
    match &key["default"] {
        Json::Null if required => "required".to_owned(),
        Json::Null => "none".to_owned(),
        default => code(default),
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

/// The metric families: a table for each subject, whose labels it names once.
pub(super) fn metrics() -> String {
    let mut tables = String::new();
    for (subject, common) in SUBJECTS {
        let labels = match common {
            [] => String::new(),
            common => format!(", with the labels `{}`", common.join("`, `")),
        };
        write!(tables, "\n**{subject}**{labels}:\n\n").unwrap();
        tables.push_str("| Metric | Kind | Meaning |\n|---|---|---|\n");
        for family in ALL
            .iter()
            .filter(|family| common_of(family.labels) == common)
        {
            let (name, kind, help) = (family.name, family.kind.as_str(), family.help);
            let own = match &family.labels[common.len()..] {
                [] => String::new(),
                own => format!("{{{}}}", own.join(",")),
            };
            writeln!(tables, "| `{name}{own}` | {kind} | {help} |").unwrap();
        }
    }
    tables.push('\n');
    tables
}

/// The labels of the first subject that a metric with these labels is about.
fn common_of(labels: &[&str]) -> &'static [&'static str] {
    let mut common = SUBJECTS.into_iter().map(|(_, common)| common);
    common.find(|common| labels.starts_with(common)).unwrap()
}

/// The reasons of decisions about reindexing.
pub(super) fn reasons() -> String {
    let mut table = "| Reason | Meaning | What to do |\n|---|---|---|\n".to_owned();
    for reason in Reason::ALL {
        let (sentence, advice) = (reason.sentence(), reason.advice());
        writeln!(table, "| `{reason}` | {sentence} | {advice} |").unwrap();
    }
    table
}
