//! The file of `--web.config.file`: TLS, passwords, headers and a rate limit, in the format of Prometheus' exporter-toolkit.
//!
//! The file and the files that it names are read again when they change. Each connection and each request uses the current version. A file
//! that was emptied or cut short must not open the server to everybody, so what protects it can be changed, but not taken away.

mod client_auth;
mod document;
mod tls;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::HeaderMap;
use governor::DefaultDirectRateLimiter;

use crate::clock::Moment;
use crate::config::error::Fault;
use crate::config::{ConfigError, read as file};
use crate::metrics::WebConfigFacts;
use crate::model::Timestamp;
pub use client_auth::ClientAuth;
use document::Document;
use tls::TlsServer;

pub struct WebConfig {
    /// Serves TLS with this; plain HTTP if there is none.
    pub tls: Option<TlsServer>,
    /// The bcrypt hash of each user's password. Without users no password is asked for.
    pub users: BTreeMap<String, String>,
    pub headers: HeaderMap,
    pub limiter: Option<DefaultDirectRateLimiter>,
}

/// The web configuration file, read again when it changes.
pub struct WebConfigFile {
    path: PathBuf,
    loaded: Mutex<Loaded>,
}

struct Loaded {
    stamps: Vec<(PathBuf, Stamp)>,
    config: Arc<WebConfig>,
    /// When the files that are in use were read.
    since: Timestamp,
    /// Whether the files as they are now are in use.
    successful: bool,
}

/// A file as it was when it was read: inode, size, and the time of the last change in seconds and nanoseconds; `None` if there is no file.
/// Another one in its place, or another text in it, has another stamp.
type Stamp = Option<(u64, u64, i64, i64)>;

fn stamp(file: &Path) -> Stamp {
    let file = fs::metadata(file).ok()?;
    Some((file.ino(), file.size(), file.ctime(), file.ctime_nsec()))
}

impl WebConfigFile {
    /// Reads the file and the files that it names.
    pub fn open(path: &Path) -> Result<Self, ConfigError> {
        let (stamps, config) = read(path);
        Ok(Self {
            path: path.to_owned(),
            loaded: Mutex::new(Loaded {
                stamps,
                config: Arc::new(config?),
                since: Moment::now().wall,
                successful: true,
            }),
        })
    }

    /// The configuration in use.
    pub fn current(&self) -> Arc<WebConfig> {
        Arc::clone(&self.loaded().config)
    }

    /// What the metrics show.
    pub fn facts(&self) -> WebConfigFacts {
        let loaded = self.loaded();
        WebConfigFacts {
            reload_successful: loaded.successful,
            loaded: loaded.since,
            certificate_expiry: loaded.config.tls.as_ref().and_then(|tls| tls.expiry),
        }
    }

    /// Reads files that changed. If they cannot be used, this is logged once, and the previous ones stay in use.
    fn loaded(&self) -> MutexGuard<'_, Loaded> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stamps = loaded.stamps.iter();
        if stamps.any(|(file, before)| stamp(file) != *before) {
            let (stamps, config) = read(&self.path);
            let config = config.and_then(|config| {
                let kept = config.keeps_protections_of(&loaded.config);
                kept.map(|()| config)
                    .map_err(|fault| fault.in_file(&self.path.display().to_string()))
            });
            loaded.stamps = stamps;
            loaded.successful = config.is_ok();
            match config {
                Ok(config) => {
                    loaded.config = Arc::new(config);
                    loaded.since = Moment::now().wall;
                    tracing::info!(file = %self.path.display(), "the web configuration was reloaded");
                }
                Err(error) => {
                    tracing::error!(%error, "the changed web configuration cannot be used; the previous one stays in use");
                }
            }
        }
        loaded
    }
}

impl WebConfig {
    /// The keys that protect the server, and how much they do.
    fn protections(&self) -> [(&'static str, u8); 6] {
        let tls = |rank: fn(&TlsServer) -> u8| self.tls.as_ref().map_or(0, rank);
        [
            ("tls_server_config", tls(|_| 1)),
            (
                "tls_server_config.client_auth_type",
                tls(|tls| tls.client_auth as u8),
            ),
            (
                "tls_server_config.client_allowed_sans",
                tls(|tls| tls.allowed_names.is_some().into()),
            ),
            ("basic_auth_users", (!self.users.is_empty()).into()),
            (
                "http_server_config.headers",
                (!self.headers.is_empty()).into(),
            ),
            ("rate_limit", self.limiter.is_some().into()),
        ]
    }

    fn keeps_protections_of(&self, before: &Self) -> Result<(), Fault> {
        let protections = before.protections().into_iter().zip(self.protections());
        for ((key, before), (_, rank)) in protections {
            if rank < before {
                let advice = "would protect less than what is in use; only a restart can do that";
                return Err(Fault::about(key, advice));
            }
        }
        Ok(())
    }
}

impl From<rustls::Error> for Fault {
    fn from(error: rustls::Error) -> Self {
        Self::about("tls_server_config", error.to_string())
    }
}

/// Reads everything. The stamps are from before, so that a change while it is read is seen the next time.
fn read(path: &Path) -> (Vec<(PathBuf, Stamp)>, Result<WebConfig, ConfigError>) {
    let stamped = |file: &Path| (file.to_owned(), stamp(file));
    let mut stamps = vec![stamped(path)];
    let name = path.display().to_string();
    let document = file::bytes_of(path).and_then(|bytes| file::yaml(&name, &bytes));
    let config = document.and_then(|document: Option<Document>| {
        let document = document.unwrap_or_default().resolve(path);
        stamps.extend(document.files().map(|file| stamped(file)));
        document.check().map_err(|fault| fault.in_file(&name))
    });
    (stamps, config)
}

#[cfg(test)]
mod tests;
