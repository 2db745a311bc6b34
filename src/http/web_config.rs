//! The file of `--web.config.file`: TLS, passwords, headers and a rate limit, in the format of Prometheus' exporter-toolkit.
//!
//! The file and the files that it names are read again when they change. Each connection and each request uses what holds then.

mod client_auth;
mod document;
mod error;
mod tls;

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, fs};

use axum::http::HeaderMap;
use governor::DefaultDirectRateLimiter;
use rustls::ServerConfig;
use rustls::pki_types::CertificateDer;

use document::{Document, RateLimit};
use error::Fault;

pub use error::WebConfigError;

/// What the file says.
pub struct WebConfig {
    /// Serves TLS with this; plain HTTP where there is none.
    pub tls: Option<Arc<ServerConfig>>,
    /// The certificate of the server.
    pub certificate: Option<CertificateDer<'static>>,
    /// Whether clients may show a certificate, which is verified, or none.
    pub optional_client_certificate: bool,
    /// The bcrypt hash of each user's password. Without users no password is asked for.
    pub users: BTreeMap<String, String>,
    /// Headers of every response.
    pub headers: HeaderMap,
    /// Limits all requests together.
    pub limiter: Option<Limiter>,
}

/// A rate limiter, and what it was made from.
#[derive(Clone)]
pub struct Limiter {
    limit: RateLimit,
    /// Admits requests, or does not.
    pub requests: Arc<DefaultDirectRateLimiter>,
}

/// The web configuration file, read again when it changes.
pub struct WebConfigFile {
    path: PathBuf,
    loaded: Mutex<Loaded>,
}

struct Loaded {
    stamps: Vec<Stamp>,
    config: Arc<WebConfig>,
}

/// A file as it was when it was read. Another one in its place, or another text in it, has another stamp.
#[derive(PartialEq, Eq)]
struct Stamp {
    file: PathBuf,
    /// Inode, size, and the times of the last changes in seconds and nanoseconds; none where there is no file.
    state: Option<(u64, u64, [i64; 4])>,
}

impl Stamp {
    fn of(file: &Path) -> Self {
        let metadata = fs::metadata(file).ok();
        Self {
            file: file.to_owned(),
            state: metadata.map(|file| {
                let times = [
                    file.mtime(),
                    file.mtime_nsec(),
                    file.ctime(),
                    file.ctime_nsec(),
                ];
                (file.ino(), file.size(), times)
            }),
        }
    }
}

impl fmt::Debug for WebConfigFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WebConfigFile")
            .field(&self.path)
            .finish_non_exhaustive()
    }
}

impl WebConfigFile {
    /// Reads the file and the files that it names.
    pub fn open(path: &Path) -> Result<Self, WebConfigError> {
        let (stamps, config) = read(path);
        Ok(Self {
            path: path.to_owned(),
            loaded: Mutex::new(Loaded {
                stamps,
                config: Arc::new(config?),
            }),
        })
    }

    /// What holds now. Files that changed and cannot be used are logged once, and what held before stays in use.
    #[must_use]
    pub fn current(&self) -> Arc<WebConfig> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded
            .stamps
            .iter()
            .any(|stamp| *stamp != Stamp::of(&stamp.file))
        {
            let (stamps, config) = read(&self.path);
            loaded.stamps = stamps;
            match config {
                Ok(config) => {
                    loaded.config = Arc::new(config.with_limiter_of(&loaded.config));
                    tracing::info!(file = %self.path.display(), "the web configuration was read again");
                }
                Err(error) => {
                    tracing::error!(%error, "the web configuration changed and cannot be used; the one before stays in use");
                }
            }
        }
        Arc::clone(&loaded.config)
    }
}

impl WebConfig {
    /// Goes on with a limiter whose limit is the same, so that reading the file again admits no further burst.
    fn with_limiter_of(mut self, before: &Self) -> Self {
        if let (Some(limiter), Some(before)) = (&mut self.limiter, &before.limiter)
            && limiter.limit == before.limit
        {
            *limiter = before.clone();
        }
        self
    }
}

/// Reads everything. The stamps are from before, so that a change while it is read is seen the next time.
fn read(path: &Path) -> (Vec<Stamp>, Result<WebConfig, WebConfigError>) {
    let mut stamps = vec![Stamp::of(path)];
    let config = fs::read_to_string(path)
        .map_err(|error| Fault::Unreadable(error).in_file(path))
        .and_then(|text| Document::parse(path, &text))
        .and_then(|document| {
            stamps.extend(document.files().map(|file| Stamp::of(file)));
            document.check().map_err(|fault| fault.in_file(path))
        });
    (stamps, config)
}

#[cfg(test)]
mod tests;
