//! The keys of the file, as exporter-toolkit has them (docs/web-configuration.md in its repository).

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use bcrypt::HashParts;
use governor::{Quota, RateLimiter};
use serde::Deserialize;
use serde_path_to_error::Track;
use serde_saphyr::Error as YamlError;

use crate::config::yaml;

use super::error::{Fault, WebConfigError};
use super::tls::TlsSection;
use super::{Limiter, WebConfig};

/// Headers that may be set, and the values that they may have, where these are limited.
const HEADERS: [(&str, &[&str]); 5] = [
    ("Content-Security-Policy", &[]),
    ("Strict-Transport-Security", &[]),
    ("X-Content-Type-Options", &["nosniff"]),
    ("X-Frame-Options", &["deny", "sameorigin"]),
    ("X-XSS-Protection", &[]),
];

/// The whole file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Document {
    tls_server_config: Option<TlsSection>,
    http_server_config: HttpSection,
    basic_auth_users: BTreeMap<String, String>,
    rate_limit: RateLimit,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct HttpSection {
    http2: bool,
    headers: BTreeMap<String, String>,
}

/// One request in each `interval`, and bursts of `burst`; no limit where the interval is zero.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RateLimit {
    #[serde(deserialize_with = "duration")]
    interval: Duration,
    burst: u32,
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
    /// Reads the text of a file. Relative paths in it are resolved against the folder of the file.
    pub(super) fn parse(file: &Path, text: &str) -> Result<Self, WebConfigError> {
        let mut track = Track::new();
        let read =
            serde_saphyr::with_deserializer_from_str_with_options(text, yaml::options(), |yaml| {
                Self::deserialize(serde_path_to_error::Deserializer::new(yaml, &mut track))
            });
        let mut document = match read {
            Ok(document) => document,
            Err(YamlError::Eof { .. }) => Self::default(),
            Err(error) => {
                let path = track.path().to_string();
                return Err(WebConfigError::of_yaml(file, &path, &error));
            }
        };
        if let (Some(tls), Some(folder)) = (&mut document.tls_server_config, file.parent()) {
            tls.resolve(folder);
        }
        Ok(document)
    }

    /// The files that the document names.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.tls_server_config.iter().flat_map(TlsSection::files)
    }

    /// Reads the files that the document names, and checks everything.
    pub(super) fn check(self) -> Result<WebConfig, Fault> {
        if self.http_server_config.http2 {
            let advice = "HTTP/2 is not supported; remove the key or set it to false";
            return Err(Fault::value("http_server_config.http2", advice));
        }
        for (user, hash) in &self.basic_auth_users {
            if hash.parse::<HashParts>().is_err() {
                let advice = "not a bcrypt hash; make one with htpasswd -nBC 10 USER";
                return Err(Fault::value(format!("basic_auth_users.{user}"), advice));
            }
        }
        let tls = self.tls_server_config.filter(TlsSection::is_enabled);
        let server = tls.as_ref().map(TlsSection::server).transpose()?;
        Ok(WebConfig {
            optional_client_certificate: tls.as_ref().is_some_and(TlsSection::verifies_if_given),
            certificate: server.as_ref().map(|server| server.certificate.clone()),
            tls: server.map(|server| Arc::new(server.config)),
            users: self.basic_auth_users,
            headers: headers(self.http_server_config.headers)?,
            limiter: limiter(self.rate_limit)?,
        })
    }
}

fn headers(written: BTreeMap<String, String>) -> Result<HeaderMap, Fault> {
    let mut headers = HeaderMap::new();
    for (name, value) in written {
        let key = format!("http_server_config.headers.{name}");
        let Some((_, values)) = HEADERS.iter().find(|(known, _)| *known == name) else {
            let known = HEADERS.map(|(known, _)| known).join(", ");
            let advice = format!("this header cannot be configured; {known} can");
            return Err(Fault::value(key, advice));
        };
        if !values.is_empty() && !values.contains(&value.as_str()) {
            let advice = format!("expected {}", values.join(" or "));
            return Err(Fault::value(key, advice));
        }
        if value.is_empty() {
            continue;
        }
        let Ok(value) = HeaderValue::try_from(value) else {
            return Err(Fault::value(key, "not a value that a header can have"));
        };
        let Ok(name) = HeaderName::try_from(name) else {
            return Err(Fault::value(key, "not the name of a header"));
        };
        headers.insert(name, value);
    }
    Ok(headers)
}

fn limiter(limit: RateLimit) -> Result<Option<Limiter>, Fault> {
    let Some(quota) = Quota::with_period(limit.interval) else {
        return Ok(None);
    };
    let Some(burst) = NonZeroU32::new(limit.burst) else {
        return Err(Fault::value("rate_limit.burst", "must be at least 1"));
    };
    Ok(Some(Limiter {
        limit,
        requests: Arc::new(RateLimiter::direct(quota.allow_burst(burst))),
    }))
}
