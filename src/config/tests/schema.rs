//! The schema, and the documents that follow from it.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::full_example;
use crate::config::{Config, json_schema};

fn properties(schema: &Json) -> Option<&Map<String, Json>> {
    schema["properties"].as_object()
}

/// The text of a document as JSON.
fn json_of(yaml: &str) -> Json {
    serde_saphyr::from_str(yaml).unwrap()
}

/// A document with what `of` says of each key, by the path of its section. Lists of sections have one entry.
fn document(section: &Json, of: &dyn Fn(&Json, bool) -> Option<Json>) -> Json {
    let mut document = Map::new();
    let required = section["required"].as_array();
    for (name, key) in properties(section).unwrap() {
        let required = required.is_some_and(|keys| keys.contains(&json!(name)));
        let value = if properties(key).is_some() {
            Some(self::document(key, of))
        } else if properties(&key["items"]).is_some() {
            Some(json!([self::document(&key["items"], of)]))
        } else {
            of(key, required)
        };
        document.extend(value.map(|value| (name.clone(), value)));
    }
    document.into()
}

#[test]
fn the_parser_accepts_every_key_with_its_default_or_example() {
    let mut every = document(&json_schema(), &|key, _| {
        let value = [&key["default"], &key["examples"][0]];
        value.into_iter().find(|value| !value.is_null()).cloned()
    });
    for both_cannot_stand in ["api_key_file", "cert_file", "key_file"] {
        every["portals"][0]
            .as_object_mut()
            .unwrap()
            .remove(both_cannot_stand)
            .unwrap();
    }
    every["state"]
        .as_object_mut()
        .unwrap()
        .remove("postgres_url_file")
        .unwrap();
    // JSON is YAML too.
    Config::from_yaml("every key", every.to_string()).unwrap();
}

/// The values of a document by their paths. A number is the same as an integer and as a fraction.
fn values(document: &Json, path: &str, found: &mut BTreeMap<String, Json>) {
    match document {
        Json::Object(keys) => keys
            .iter()
            .for_each(|(key, value)| values(value, &format!("{path}.{key}"), found)),
        Json::Array(list) if list.first().is_some_and(Json::is_object) => {
            values(&list[0], path, found);
        }
        value => {
            let number = value.as_f64().map(Json::from);
            found.insert(path.to_owned(), number.unwrap_or_else(|| value.clone()));
        }
    }
}

fn values_of(document: &Json) -> BTreeMap<String, Json> {
    let mut found = BTreeMap::new();
    values(document, "", &mut found);
    found
}

#[test]
fn the_example_has_every_key_with_its_default() {
    let mut defaults = document(&json_schema(), &|key, required| match &key["default"] {
        Json::Null => required.then(|| key["examples"][0].clone()),
        default => Some(default.clone()),
    });
    for (section, list) in [
        ("errors", "rules"),
        ("errors", "masks"),
        ("reindex", "folders"),
    ] {
        defaults[section][list] = json!([]);
    }
    defaults["portals"][0]["api_key_file"] = json!("/run/secrets/kb-key");
    // The parser reads `off` as the boolean.
    defaults["reindex"]["mode"] = json!(false);
    assert_eq!(values_of(&json_of(&full_example())), values_of(&defaults));
}
