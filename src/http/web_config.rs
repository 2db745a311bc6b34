//! The file of `--web.config.file`: TLS, passwords, headers and a rate limit, in the format of Prometheus' exporter-toolkit.
//!
//! Each connection and each request uses the current version. A file that was emptied or cut short must not open the server to everybody, so what
//! protects it can be changed, but not taken away.

mod client_auth;
mod document;
mod file;
mod tls;

use std::collections::BTreeMap;

use axum::http::HeaderMap;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use crate::config::ConfigError;
use crate::http::passwords::PasswordHash;
pub use client_auth::ClientAuth;
use document::Document;
use file::Files;
pub use file::WebConfigFile;
use tls::TlsServer;

#[derive(Default)]
pub struct WebConfig {
    /// Serves TLS with this; plain HTTP if there is none.
    pub tls: Option<TlsServer>,
    /// The hash of each user's password. Without users no password is asked for.
    pub users: BTreeMap<String, PasswordHash>,
    pub headers: HeaderMap,
    pub limit: Option<Limit>,
}

/// The rate limit: what it allows, and what counts the requests.
pub struct Limit {
    quota: Quota,
    limiter: DefaultDirectRateLimiter,
}

impl Limit {
    fn new(quota: Quota) -> Self {
        Self {
            quota,
            limiter: RateLimiter::direct(quota),
        }
    }

    /// Whether one more request is allowed now.
    pub fn allows_one(&self) -> bool {
        self.limiter.check().is_ok()
    }
}

impl WebConfig {
    fn new(document: Document, files: &mut Files) -> Result<Self, ConfigError> {
        let mut names = document.basic_auth_users.keys();
        // A client sends the name and the password with a colon between them (RFC 7617).
        if names.any(|name| name.is_empty() || name.contains(':')) {
            let expected =
                "expected names that are not empty and have no colon: nobody else can log in";
            return Err(ConfigError::about("basic_auth_users", expected));
        }
        Ok(Self {
            tls: document.tls_server_config.server(files)?,
            users: document.basic_auth_users,
            headers: document.http_server_config.headers.0,
            limit: document.rate_limit.quota()?.map(Limit::new),
        })
    }

    /// The keys that protect the server, and how much they do.
    fn protections(&self) -> [(&'static str, u128); 7] {
        let tls = |rank: fn(&TlsServer) -> u128| self.tls.as_ref().map_or(0, rank);
        let limit = |rank: fn(Quota) -> u128| self.limit.as_ref().map_or(0, |it| rank(it.quota));
        let client_auth = tls(|tls| tls.client_auth as u128);
        let min_version = tls(|tls| tls.needs_tls13.into());
        let allowed_names = tls(|tls| tls.allowed_names.is_some().into());
        [
            ("tls_server_config", tls(|_| 1)),
            ("tls_server_config.min_version", min_version),
            ("tls_server_config.client_auth_type", client_auth),
            ("tls_server_config.client_allowed_sans", allowed_names),
            ("basic_auth_users", (!self.users.is_empty()).into()),
            (
                "rate_limit.interval",
                limit(|quota| quota.replenish_interval().as_nanos()),
            ),
            (
                "rate_limit.burst",
                limit(|quota| u128::MAX - u128::from(quota.burst_size().get())),
            ),
        ]
    }

    /// Refuses what protects less than before. Of headers it cannot be told, so those in use stay as they are.
    fn replacing(self, before: &Self) -> Result<Self, ConfigError> {
        let protections = before.protections().into_iter().zip(self.protections());
        let mut weaker = protections.filter(|((_, before), (_, now))| now < before);
        let advice = "would protect less than what is in use; only a restart can do that";
        let mut headers = before.headers.iter();
        let has_all = headers.all(|(name, value)| self.headers.get(name) == Some(value));
        let headers = (!has_all).then_some("http_server_config.headers");
        match weaker.next().map(|((key, _), _)| key).or(headers) {
            Some(key) => Err(ConfigError::about(key, advice)),
            None => Ok(self),
        }
    }
}

impl From<rustls::Error> for ConfigError {
    fn from(error: rustls::Error) -> Self {
        Self::about("tls_server_config", error.to_string())
    }
}

#[cfg(test)]
mod tests;
