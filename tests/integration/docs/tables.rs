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
    match (&key["default"], &key["examples"][0]) {
        (Json::Null, Json::Null) => "none".to_owned(),
        (Json::Null, example) if required => format!("required; such as {}", code(example)),
        (Json::Null, example) => format!("none; such as {}", code(example)),
        (default, _) => code(default),
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

/// The metric families.
pub(super) fn metrics() -> String {
    let mut table = "| Metric | Kind | Labels | Meaning |\n|---|---|---|---|\n".to_owned();
    for family in ALL.iter() {
        let (name, kind, help) = (family.name, family.kind.as_str(), family.help);
        let labels = match family.labels {
            [] => String::new(),
            labels => format!("`{}`", labels.join("`, `")),
        };
        writeln!(table, "| `{name}` | {kind} | {labels} | {help} |").unwrap();
    }
    table
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
