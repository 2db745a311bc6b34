//! The keys of the file, as exporter-toolkit has them (docs/web-configuration.md in its repository).

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use governor::Quota;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::config::ConfigError;
use crate::config::value::section;
use crate::http::passwords::PasswordHash;

use super::tls::TlsKeys;

/// Headers that may be set, and the values that they may have, if these are limited.
const HEADERS: [(&str, &[&str]); 5] = [
    ("Content-Security-Policy", &[]),
    ("Strict-Transport-Security", &[]),
    ("X-Content-Type-Options", &["nosniff"]),
    ("X-Frame-Options", &["deny", "sameorigin"]),
    ("X-XSS-Protection", &[]),
];

/// The limiter counts nanoseconds, which end after five hundred years.
const LONGEST_BURST: Duration = Duration::from_hours(366 * 24);

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Document {
    #[serde(deserialize_with = "section")]
    pub tls_server_config: TlsKeys,
    #[serde(deserialize_with = "section")]
    pub http_server_config: HttpKeys,
    #[serde(deserialize_with = "section")]
    pub basic_auth_users: BTreeMap<String, PasswordHash>,
    #[serde(deserialize_with = "section")]
    pub rate_limit: RateKeys,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct HttpKeys {
    /// Has no effect: HTTP/2 is not offered, and a client that has it has HTTP/1.1 too.
    http2: Option<bool>,
    #[serde(deserialize_with = "section")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub headers: Headers,
}

#[derive(Default, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>")]
pub(super) struct Headers(pub HeaderMap);

impl TryFrom<BTreeMap<String, String>> for Headers {
    type Error = String;

    fn try_from(written: BTreeMap<String, String>) -> Result<Self, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in written {
            let known = HEADERS.iter().find(|(known, _)| *known == name);
            let (_, values) = known.ok_or_else(|| {
                let known = HEADERS.map(|(known, _)| known).join(", ");
                format!("this header cannot be configured; expected {known}")
            })?;
            if !values.is_empty() && !values.contains(&&*value) {
                return Err(format!("{name}: expected {}", values.join(" or ")));
            }
            let header = HeaderName::try_from(&name).ok();
            let header = header.zip(HeaderValue::try_from(&value).ok());
            let (header, set) = header.ok_or("a value that no header can have")?;
            if !value.is_empty() {
                headers.insert(header, set);
            }
        }
        Ok(Self(headers))
    }
}

/// One request in each `interval`, and bursts of `burst`; no limit if the interval is zero.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RateKeys {
    #[serde(deserialize_with = "duration")]
    #[schemars(with = "String")]
    interval: Duration,
    #[serde(deserialize_with = "section")]
    burst: u32,
}

impl RateKeys {
    pub fn quota(&self) -> Result<Option<Quota>, ConfigError> {
        let fault = |message| ConfigError::about("rate_limit", message);
        let Some(quota) = Quota::with_period(self.interval) else {
            return Ok(None);
        };
        let burst = NonZeroU32::new(self.burst);
        let burst = burst.ok_or_else(|| fault("burst must be at least 1"))?;
        if self.interval.saturating_mul(burst.get()) > LONGEST_BURST {
            return Err(fault("interval, times burst, must be at most a year"));
        }
        Ok(Some(quota.allow_burst(burst)))
    }
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text: Option<String> = Option::deserialize(deserializer)?;
    let duration = text.map(|text| humantime::parse_duration(&text));
    let duration = duration.transpose().map(Option::unwrap_or_default);
    duration.map_err(|_| D::Error::custom("expected a duration such as 500ms or 1s"))
}
