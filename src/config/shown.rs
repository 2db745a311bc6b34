//! The configuration in use, for people, without the values that messages hide.

use serde_json::{Map, Value as Json};

use crate::config::keys::properties;
use crate::config::node::{Node, Value};
use crate::config::{Config, Schedule, json_schema};

/// The keys and values of a file, and the defaults of the keys that it does not have. Comments are left out.
pub(super) fn of_file(file: &Node) -> Json {
    let mut written = json(file);
    show(&mut written, &json_schema());
    written
}

/// The defaults, which hold where there is no file. The environment has the portal and the state.
pub(super) fn defaults() -> Json {
    let mut shown = Map::new().into();
    show(&mut shown, &json_schema());
    if let Some(keys) = shown.as_object_mut() {
        keys.remove("state");
    }
    shown
}

impl Config {
    /// [`Config::written`] with what is in use where it differs.
    pub fn shown(&self) -> Json {
        let mut shown = (*self.written).clone();
        let collect = &self.collect;
        let longest = match collect.schedule {
            Schedule::Every(interval) => Schedule::longest_jitter(interval),
            Schedule::Cron(_) => collect.jitter,
        };
        if longest < collect.jitter {
            let longest = humantime::format_duration(longest).to_string();
            shown["collect"]["jitter"] = longest.into();
        }
        let portals = shown.get_mut("portals").and_then(Json::as_array_mut);
        for (shown, portal) in portals.into_iter().flatten().zip(&self.portals) {
            shown["user_agent"] = portal.user_agent.as_str().into();
        }
        shown
    }
}

fn json(node: &Node) -> Json {
    let parts = node.parts.iter();
    match &node.value {
        Value::Nothing => Json::Null,
        Value::Scalar(text) => text.as_str().into(),
        Value::List => parts.map(json).collect(),
        Value::Map => parts.map(|part| (part.key.clone(), json(part))).collect(),
    }
}

/// Replaces each value that the schema does not want to be shown, and adds defaults.
fn show(value: &mut Json, schema: &Json) {
    match value {
        _ if schema["writeOnly"] == true => *value = "[not shown]".into(),
        Json::String(text) if schema["type"] != "string" => {
            if let Ok(number) = serde_json::from_str(text) {
                *value = number;
            }
        }
        Json::Array(list) => list
            .iter_mut()
            .for_each(|item| show(item, &schema["items"])),
        Json::Object(keys) => {
            let properties = properties(schema).into_iter().flatten();
            for (key, schema) in properties {
                add_default(keys, key, schema);
            }
            keys.iter_mut()
                .for_each(|(key, value)| show(value, &schema["properties"][key]));
        }
        _ => {}
    }
}

/// Adds the default of a key, or those of the keys in its section.
fn add_default(keys: &mut Map<String, Json>, key: &str, schema: &Json) {
    let is_set = keys.get(key).is_some_and(|value| !value.is_null());
    // One of the two places of the state is used.
    if is_set || key == "path" && keys.contains_key("postgres_url_file") {
        return;
    }
    let section = || properties(schema).map(|_| Map::new().into());
    let Some(mut default) = schema.get("default").cloned().or_else(section) else {
        return;
    };
    show(&mut default, schema);
    if default
        .as_object()
        .is_none_or(|section| !section.is_empty())
    {
        keys.insert(key.to_owned(), default);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of_text(text: &str) -> Json {
        of_file(&Node::parse(text.as_bytes(), &mut Vec::new()).unwrap())
    }

    #[test]
    fn what_is_in_use_is_shown_where_more_was_written() {
        let shown = |collect: &str| {
            let text = format!(
                "portals: [{{name: main, base_url: 'https://portal.example', api_key_env: KEY}}]\ncollect: {collect}"
            );
            let shown = Config::from_yaml("kb.yml", text).unwrap().shown();
            let agent = format!("kb-exporter/{}", env!("CARGO_PKG_VERSION"));
            assert_eq!(shown["portals"][0]["user_agent"], agent.as_str());
            shown["collect"]["jitter"].clone()
        };
        assert_eq!(shown("{}"), "6s");
        assert_eq!(shown("{schedule: 5s}"), "500ms");
        assert_eq!(shown("{schedule: 1m, jitter: 1s}"), "1s");
        assert_eq!(shown("{schedule: 0 0 * * * *}"), "10s");
        let from_environment = Config::from_environment(|name| match name {
            "KB_BASE_URL" => Some("https://portal.example".to_owned()),
            "KB_API_KEY" => Some("kbk_secret".to_owned()),
            _ => None,
        });
        let shown = from_environment.unwrap().shown();
        assert_eq!(shown["collect"]["jitter"], "6s");
        assert!(shown.get("portals").is_none());
    }

    #[test]
    fn paths_of_secrets_and_comments_are_left_out_and_all_else_is_shown_with_the_defaults() {
        let shown = of_text(
            "# s3cret\nportals:\n  - name: main # s3cret\n    api_key_file: s3cret\n  - {name: other, api_key_env: s3cret, ca_file: s3cret}\ncollect:\n  max_folders: 10\nrequest:\nreindex:\n  budget: {files: 7}\n  folders: [{match: A*, mode: enforce}]\nstate: {postgres_url_file: s3cret}\n",
        );
        let portals = &shown["portals"];
        let main = json!({
            "name": "main", "api_key_file": "[not shown]", "proxy_url": "none", "allow_plain_http": false,
            "user_agent": "kb-exporter/VERSION", "folders": {"include": ["*"], "exclude": []},
        });
        assert_eq!(portals[0], main);
        assert_eq!(portals[1]["api_key_env"], "[not shown]");
        assert_eq!(portals[1]["ca_file"], "[not shown]");
        assert_eq!(shown["collect"]["max_folders"], 10);
        assert_eq!(shown["collect"]["schedule"], "1m");
        assert_eq!(shown["request"]["retries"], 4);
        assert_eq!(
            shown["reindex"]["budget"],
            json!({"files": 7, "per": "24h"})
        );
        let overrides = json!([{"match": "A*", "mode": "enforce"}]);
        assert_eq!(
            shown["reindex"]["folders"], overrides,
            "what is not set is as above"
        );
        let state = json!({"postgres_url_file": "[not shown]", "lease": "30s"});
        assert_eq!(shown["state"], state);
        assert_eq!(
            of_text("portals: []")["state"]["path"],
            "/var/lib/kb-exporter"
        );
        let defaults = defaults();
        assert_eq!(defaults["collect"]["schedule"], "1m");
        assert!(defaults["portals"].is_null() && defaults["state"].is_null());
    }
}
