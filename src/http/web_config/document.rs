//! The keys of the file, as exporter-toolkit has them (docs/web-configuration.md in its repository).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use bcrypt::HashParts;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::clock::Moment;
use crate::config::error::Fault;

use super::WebConfig;
use super::limiter::Limiter;
use super::tls::TlsSection;

/// Headers that may be set, and the values that they may have, if these are limited.
const HEADERS: [(&str, &[&str]); 5] = [
    ("Content-Security-Policy", &[]),
    ("Strict-Transport-Security", &[]),
    ("X-Content-Type-Options", &["nosniff"]),
    ("X-Frame-Options", &["deny", "sameorigin"]),
    ("X-XSS-Protection", &[]),
];

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Document {
    tls_server_config: Option<TlsSection>,
    http_server_config: HttpSection,
    basic_auth_users: BTreeMap<String, String>,
    rate_limit: RateLimit,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct HttpSection {
    http2: bool,
    headers: BTreeMap<String, String>,
}

/// One request in each `interval`, and bursts of `burst`; no limit if the interval is zero.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RateLimit {
    #[serde(deserialize_with = "duration")]
    #[schemars(with = "String")]
    pub(super) interval: Duration,
    pub(super) burst: u32,
}

fn duration<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let expected = "expected a duration such as 500ms or 1s";
    humantime::parse_duration(&text).map_err(|_| serde::de::Error::custom(expected))
}

impl Document {
    /// Resolves relative paths against the folder of the file.
    pub(super) fn resolve(mut self, file: &Path) -> Self {
        if let (Some(tls), Some(folder)) = (&mut self.tls_server_config, file.parent()) {
            tls.resolve(folder);
        }
        self
    }

    /// The files that the document names.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.tls_server_config.iter().flat_map(TlsSection::files)
    }

    /// The keys that are set and protect the server.
    fn protections(&self) -> Vec<&'static str> {
        let mut keys = Vec::new();
        if let Some(tls) = &self.tls_server_config {
            keys.extend(tls.protections());
        }
        let further = [
            (
                "http_server_config.headers",
                !self.http_server_config.headers.is_empty(),
            ),
            ("basic_auth_users", !self.basic_auth_users.is_empty()),
            ("rate_limit", !self.rate_limit.interval.is_zero()),
        ];
        keys.extend(
            further
                .iter()
                .filter(|(_, is_set)| *is_set)
                .map(|(key, _)| key),
        );
        keys
    }

    /// Reads the files that the document names, and checks everything.
    pub(super) fn check(self) -> Result<WebConfig, Fault> {
        if self.http_server_config.http2 {
            let advice = "HTTP/2 is not supported; remove the key or set it to false";
            return Err(Fault::about("http_server_config.http2", advice));
        }
        for (user, hash) in &self.basic_auth_users {
            if hash.parse::<HashParts>().is_err() {
                let advice = "not a bcrypt hash; make one with htpasswd -nBC 10 USER";
                return Err(Fault::about(format!("basic_auth_users.{user}"), advice));
            }
        }
        let protections = self.protections();
        let tls = self.tls_server_config.filter(TlsSection::is_enabled);
        let server = tls.as_ref().map(TlsSection::server).transpose()?;
        Ok(WebConfig {
            optional_client_certificate: tls.as_ref().is_some_and(TlsSection::verifies_if_given),
            certificate: server.as_ref().map(|server| server.certificate.clone()),
            tls: server.map(|server| Arc::new(server.config)),
            users: self.basic_auth_users,
            headers: headers(self.http_server_config.headers)?,
            limiter: limiter(self.rate_limit)?,
            protections,
        })
    }
}

fn headers(written: BTreeMap<String, String>) -> Result<HeaderMap, Fault> {
    let mut headers = HeaderMap::new();
    for (name, value) in written {
        let key = format!("http_server_config.headers.{name}");
        let Some((_, values)) = HEADERS.iter().find(|(known, _)| *known == name) else {
            let known = HEADERS.map(|(known, _)| known).join(", ");
            let advice = format!("this header cannot be configured; expected {known}");
            return Err(Fault::about(key, advice));
        };
        if !values.is_empty() && !values.contains(&value.as_str()) {
            let advice = format!("expected {}", values.join(" or "));
            return Err(Fault::about(key, advice));
        }
        if value.is_empty() {
            continue;
        }
        let Ok(value) = HeaderValue::try_from(value) else {
            return Err(Fault::about(key, "not a value that a header can have"));
        };
        let Ok(name) = HeaderName::try_from(name) else {
            return Err(Fault::about(key, "not the name of a header"));
        };
        headers.insert(name, value);
    }
    Ok(headers)
}

fn limiter(limit: RateLimit) -> Result<Option<Limiter>, Fault> {
    match limit {
        RateLimit { interval, .. } if interval.is_zero() => Ok(None),
        RateLimit { burst: 0, .. } => Err(Fault::about("rate_limit.burst", "must be at least 1")),
        _ => Ok(Some(Limiter::new(limit, Moment::now().steady))),
    }
}
