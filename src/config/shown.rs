//! The configuration as it was written, for people, without the values that messages hide.

use serde_json::Value as Json;

use crate::config::schema::json_schema;

/// The keys and values of a file that was read before. Comments are left out.
pub(super) fn of_file(text: &str) -> Json {
    let mut written = serde_saphyr::from_str(text).unwrap_or_default();
    hide(&mut written, &json_schema());
    written
}

/// Replaces each value that the schema does not want to be shown.
fn hide(value: &mut Json, schema: &Json) {
    match value {
        _ if schema["writeOnly"] == true => *value = "[not shown]".into(),
        Json::Array(list) => list
            .iter_mut()
            .for_each(|item| hide(item, &schema["items"])),
        Json::Object(keys) => keys
            .iter_mut()
            .for_each(|(key, value)| hide(value, &schema["properties"][key])),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_secrets_and_comments_are_left_out_and_all_else_is_shown() {
        let shown = of_file(
            "# s3cret\nportals:\n  - name: main # s3cret\n    api_key_file: s3cret\n  - {name: other, api_key_env: s3cret, ca_file: s3cret}\ncollect:\n  max_folders: 10\nstate: {path: /state, postgres_url_file: s3cret}\n",
        );
        let expected = serde_json::json!({
            "portals": [
                {"name": "main", "api_key_file": "[not shown]"},
                {"name": "other", "api_key_env": "[not shown]", "ca_file": "[not shown]"},
            ],
            "collect": {"max_folders": 10},
            "state": {"path": "/state", "postgres_url_file": "[not shown]"},
        });
        assert_eq!(shown, expected);
    }
}
