//! The keys of the file, as exporter-toolkit has them (docs/web-configuration.md in its repository).

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use bcrypt::HashParts;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::error::Fault;
use crate::config::value::section;

use super::WebConfig;
use super::tls::TlsSection;

/// Headers that may be set, and the values that they may have, if these are limited.
const HEADERS: [(&str, &[&str]); 5] = [
    ("Content-Security-Policy", &[]),
    ("Strict-Transport-Security", &[]),
    ("X-Content-Type-Options", &["nosniff"]),
    ("X-Frame-Options", &["deny", "sameorigin"]),
    ("X-XSS-Protection", &[]),
];

/// Costs of bcrypt. A lower one is not defined, and a check with a higher one would take minutes.
const COSTS: RangeInclusive<u32> = 4..=20;

/// The limiter counts nanoseconds, which end after five hundred years.
const LONGEST_BURST: Duration = Duration::from_hours(366 * 24);

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Document {
    tls_server_config: Option<TlsSection>,
    #[serde(deserialize_with = "section")]
    http_server_config: HttpSection,
    #[serde(deserialize_with = "section")]
    basic_auth_users: BTreeMap<String, String>,
    #[serde(deserialize_with = "section")]
    rate_limit: RateLimit,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct HttpSection {
    /// Has no effect: HTTP/2 is not offered, and a client that has it has HTTP/1.1 too.
    http2: Option<bool>,
    #[serde(deserialize_with = "section")]
    headers: BTreeMap<String, String>,
}

/// One request in each `interval`, and bursts of `burst`; no limit if the interval is zero.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct RateLimit {
    #[serde(deserialize_with = "duration")]
    #[schemars(with = "String")]
    interval: Duration,
    #[serde(deserialize_with = "section")]
    burst: u32,
}

fn duration<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text: String = section(deserializer)?;
    if text.is_empty() || text == "0" {
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

    /// Reads the files that the document names, and checks everything.
    pub(super) fn check(self) -> Result<WebConfig, Fault> {
        for hash in self.basic_auth_users.values() {
            let cost = hash.parse().map(|parts: HashParts| parts.get_cost());
            let advice = match cost {
                Err(_) => "not a bcrypt hash; make one with htpasswd -nBC 10 USER",
                Ok(cost) if !COSTS.contains(&cost) => "a hash whose cost is not from 4 to 20",
                Ok(_) => continue,
            };
            return Err(Fault::about("basic_auth_users", advice));
        }
        let tls = self.tls_server_config.filter(TlsSection::is_enabled);
        Ok(WebConfig {
            tls: tls.map(TlsSection::server).transpose()?,
            users: self.basic_auth_users,
            headers: headers(self.http_server_config.headers)?,
            limiter: limiter(&self.rate_limit)?,
        })
    }
}

fn headers(written: BTreeMap<String, String>) -> Result<HeaderMap, Fault> {
    let mut headers = HeaderMap::new();
    for (name, value) in written {
        let key = "http_server_config.headers";
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
        let named = HeaderName::try_from(name).ok();
        let named = named.zip(HeaderValue::try_from(value).ok());
        let Some((name, value)) = named else {
            return Err(Fault::about(key, "not a value that a header can have"));
        };
        headers.insert(name, value);
    }
    Ok(headers)
}

fn limiter(limit: &RateLimit) -> Result<Option<DefaultDirectRateLimiter>, Fault> {
    let RateLimit { interval, burst } = *limit;
    if interval.saturating_mul(burst.max(1)) > LONGEST_BURST {
        let advice = "interval, times burst, must be at most a year";
        return Err(Fault::about("rate_limit.interval", advice));
    }
    let Some(quota) = Quota::with_period(interval) else {
        return Ok(None);
    };
    let burst = NonZeroU32::new(burst);
    let burst = burst.ok_or_else(|| Fault::about("rate_limit.burst", "must be at least 1"))?;
    Ok(Some(RateLimiter::direct(quota.allow_burst(burst))))
}
