//! The configuration as it was written, for people, without anything that looks secret.

use serde_json::Value as Json;
use url::Url;

use crate::config::redact::redact;

/// The keys and values of a file. Comments are left out.
pub(super) fn of_file(text: &str) -> Json {
    let written = serde_saphyr::from_str(text).unwrap_or_default();
    without_secrets(written)
}

/// Replaces what looks like a key, and the passwords of addresses.
fn without_secrets(value: Json) -> Json {
    match value {
        Json::String(text) => redact(&without_password(text)).into(),
        Json::Array(values) => values.into_iter().map(without_secrets).collect(),
        Json::Object(keys) => {
            let keys = keys.into_iter();
            keys.map(|(key, value)| (redact(&key), without_secrets(value)))
                .collect()
        }
        other => other,
    }
}

fn without_password(text: String) -> String {
    match Url::parse(&text) {
        Ok(mut address) if address.password().is_some() => {
            // It fails only for addresses without a host, which have no password.
            let _ = address.set_password(Some("xxxxx"));
            address.into()
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_comments_are_left_out_and_all_else_is_shown() {
        let shown = of_file(
            "# kbk_4fZq81xWm27TsYbN\nportals:\n  - name: main # secret\n    proxy_url: http://me:s3cret@proxy.example:3128/\n    user_agent: kbk_4fZq81xWm27TsYbN\n    api_key_file: /run/kb-key\ncollect:\n  max_folders: 10\n",
        );
        let expected = serde_json::json!({
            "portals": [{
                "name": "main",
                "proxy_url": "http://me:xxxxx@proxy.example:3128/",
                "user_agent": "[not shown]",
                "api_key_file": "/run/kb-key",
            }],
            "collect": {"max_folders": 10},
        });
        assert_eq!(shown, expected);
    }
}
