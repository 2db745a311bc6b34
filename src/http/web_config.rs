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
use governor::{DefaultDirectRateLimiter, RateLimiter};

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
    pub limiter: Option<DefaultDirectRateLimiter>,
}

impl WebConfig {
    fn new(document: Document, files: &mut Files) -> Result<Self, ConfigError> {
        Ok(Self {
            tls: document.tls_server_config.server(files)?,
            users: document.basic_auth_users,
            headers: document.http_server_config.headers.0,
            limiter: document.rate_limit.quota()?.map(RateLimiter::direct),
        })
    }

    /// The keys that protect the server, and how much they do.
    fn protections(&self) -> [(&'static str, u8); 6] {
        let tls = |rank: fn(&TlsServer) -> u8| self.tls.as_ref().map_or(0, rank);
        let client_auth = tls(|tls| tls.client_auth as u8);
        let allowed_names = tls(|tls| tls.allowed_names.is_some().into());
        [
            ("tls_server_config", tls(|_| 1)),
            ("tls_server_config.client_auth_type", client_auth),
            ("tls_server_config.client_allowed_sans", allowed_names),
            ("basic_auth_users", (!self.users.is_empty()).into()),
            (
                "http_server_config.headers",
                (!self.headers.is_empty()).into(),
            ),
            ("rate_limit", self.limiter.is_some().into()),
        ]
    }

    /// Refuses what protects less than before.
    fn replacing(self, before: &Self) -> Result<Self, ConfigError> {
        let protections = before.protections().into_iter().zip(self.protections());
        let mut weaker = protections.filter(|((_, before), (_, now))| now < before);
        let advice = "would protect less than what is in use; only a restart can do that";
        match weaker.next() {
            Some(((key, _), _)) => Err(ConfigError::about(key, advice)),
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
