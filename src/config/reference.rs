//! The keys of the configuration, for people: the table in docs/configuration.md, and what errors say about unknown keys.

mod rows;

use std::fmt::Write as _;

use rows::ROWS;

/// Where overrides stand: they take every key of [`OVERRIDDEN`] but `folders`.
const OVERRIDES: &str = "reindex.folders[]";
const OVERRIDDEN: &str = "reindex";

/// One key.
struct Row {
    /// Its path; `[]` stands for each entry of a list.
    key: &'static str,
    value: Value,
    meaning: &'static str,
}

/// What a key holds when it is left out, in YAML.
enum Value {
    /// This.
    Default(&'static str),
    /// Nothing; it may hold a value such as this.
    Optional(&'static str),
    /// It cannot be left out; this is an example.
    Required(&'static str),
}

impl Value {
    fn yaml(&self) -> &'static str {
        match self {
            Self::Default(yaml) | Self::Optional(yaml) | Self::Required(yaml) => yaml,
        }
    }
}

/// The configuration reference as a Markdown table, with a line break at its end.
#[must_use]
pub fn reference_markdown() -> String {
    let mut table = "| Key | Default | Meaning |\n|---|---|---|\n".to_owned();
    for row in ROWS {
        let default = match row.value {
            Value::Default(value) => format!("`{value}`"),
            Value::Optional(example) => format!("none; such as `{example}`"),
            Value::Required(example) => format!("required; such as `{example}`"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| `{}` | {default} | {} |", row.key, row.meaning);
    }
    table
}

/// The keys of the mapping at `path`, where entries of lists may be numbered.
pub(super) fn keys_of(path: &str) -> Vec<&'static str> {
    let path = without_numbers(path);
    match path.strip_prefix(OVERRIDES) {
        Some("") => {
            let own = children(&path);
            let overridden = children(OVERRIDDEN)
                .into_iter()
                .filter(|key| *key != "folders");
            own.into_iter().chain(overridden).collect()
        }
        Some(below) => children(&format!("{OVERRIDDEN}{below}")),
        None => children(&path),
    }
}

/// What a key could hold.
pub(super) fn example(key: &str) -> Option<&'static str> {
    let key = without_numbers(key);
    let row = ROWS.iter().find(|row| row.key == key)?;
    Some(row.value.yaml())
}

fn children(path: &str) -> Vec<&'static str> {
    let mut keys: Vec<_> = ROWS.iter().filter_map(|row| child(row.key, path)).collect();
    keys.dedup();
    keys
}

/// The key right below `path` on the way to `key`.
fn child(key: &'static str, path: &str) -> Option<&'static str> {
    let below = match path {
        "" => key,
        _ => key.strip_prefix(path)?.strip_prefix('.')?,
    };
    below.split(['.', '[']).next()
}

/// `portals[0].name` as `portals[].name`
fn without_numbers(path: &str) -> String {
    let mut in_brackets = false;
    path.chars()
        .filter(|character| {
            in_brackets = *character == '[' || in_brackets && *character != ']';
            !in_brackets || *character == '['
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::document::Document;
    use crate::config::key::KeySource;
    use crate::config::{Collect, Config, Errors, Proxy, ReindexRules, Request, State};
    use serde_json::{Value as Json, json};
    use std::collections::BTreeSet;

    /// JSON is YAML too.
    fn document<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> Json {
        let mut root = json!({});
        for (key, yaml) in entries {
            let value = serde_json::from_str(yaml).unwrap_or_else(|_| json!(yaml));
            *place(&mut root, key) = value;
        }
        root
    }

    fn place<'a>(root: &'a mut Json, path: &str) -> &'a mut Json {
        path.split('.')
            .filter(|key| !key.is_empty())
            .fold(root, |node, key| {
                let Some(list) = key.strip_suffix("[]") else {
                    return &mut node[key];
                };
                if node[list].is_null() {
                    node[list] = json!([{}]);
                }
                &mut node[list][0]
            })
    }

    fn every_key() -> impl Iterator<Item = (&'static str, &'static str)> {
        ROWS.iter().map(|row| (row.key, row.value.yaml()))
    }

    #[test]
    fn the_parser_takes_every_key_with_its_default_or_example() {
        let text = document(every_key()).to_string();
        if let Err(fault) = Document::parse(&text) {
            panic!("{}", fault.of("reference"));
        }
    }

    #[test]
    fn the_defaults_are_those_of_a_file_that_leaves_them_out() {
        let entries = ROWS.iter().filter_map(|row| match row.value {
            Value::Default(yaml) | Value::Required(yaml) => Some((row.key, yaml)),
            Value::Optional(_) => None,
        });
        let mut text = document(entries.filter(|(key, _)| {
            !key.starts_with(OVERRIDES)
                && !key.starts_with("errors.rules")
                && !key.starts_with("errors.masks")
        }));
        text["portals"][0]["api_key_env"] = json!("KB_API_KEY");
        let config = Config::from_yaml("reference", &text.to_string()).unwrap();
        assert_eq!(config.collect, Collect::default());
        assert_eq!(config.request, Request::default());
        assert_eq!(config.errors, Errors::default());
        assert_eq!(config.reindex.rules, ReindexRules::default());
        assert_eq!(config.state, State::default());
        let portal = &config.portals[0];
        assert_eq!(portal.key, KeySource::Environment("KB_API_KEY".to_owned()));
        assert_eq!(portal.proxy, Proxy::None);
    }

    /// What the parser says it knows at `path`, where it met a key that nobody has.
    fn known_to_the_parser(path: &str) -> BTreeSet<&'static str> {
        let mut root = document(every_key());
        place(&mut root, path)["nobody_has_this"] = json!(1);
        let error = serde_saphyr::from_str::<Document>(&root.to_string())
            .err()
            .unwrap();
        match error.without_snippet() {
            serde_saphyr::Error::SerdeUnknownField { expected, .. } => {
                expected.iter().copied().collect()
            }
            other => panic!("{path}: {other}"),
        }
    }

    #[test]
    fn no_key_that_the_parser_knows_is_missing() {
        let parents = ROWS
            .iter()
            .filter_map(|row| Some(row.key.rsplit_once('.')?.0));
        for path in parents.chain([""]) {
            let mut known = known_to_the_parser(path);
            match path {
                "portals[]" => known.retain(|key| !["api_key", "key", "token"].contains(key)),
                OVERRIDDEN => known.retain(|key| *key != "match"),
                OVERRIDES => known.retain(|key| *key != "folders"),
                _ => {}
            }
            let told: BTreeSet<_> = keys_of(path).into_iter().collect();
            assert_eq!(told, known, "{path:?}");
        }
    }

    #[test]
    fn the_keys_of_an_entry_are_found_whatever_its_number() {
        assert_eq!(keys_of("portals[12].folders"), ["include", "exclude"]);
        assert_eq!(
            keys_of("reindex.folders[3].budget"),
            ["actions", "files", "per"]
        );
    }

    #[test]
    fn the_table_has_three_cells_in_each_row() {
        let table = reference_markdown();
        assert_eq!(table.lines().count(), ROWS.len() + 2);
        for line in table.lines() {
            assert_eq!(line.matches('|').count(), 4, "{line}");
        }
    }
}
