//! What connects to a portal: built anew when its certificate files were replaced.

mod build;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::{Request, Response};
use tracing::warn;

use crate::config::Portal;

pub use build::BuildError;

use build::CertificateFiles;

/// Sends a request and returns the head of the answer: over HTTP, and in tests without a network.
pub(crate) trait Transport: Send + Sync {
    fn send(&self, request: Request) -> Sending<'_>;
}

pub(super) type Sending<'a> = Pin<Box<dyn Future<Output = reqwest::Result<Response>> + Send + 'a>>;

impl Transport for reqwest::Client {
    fn send(&self, request: Request) -> Sending<'_> {
        Box::pin(self.execute(request))
    }
}

/// The way to a portal.
pub(super) struct Connection {
    portal: Portal,
    connect_timeout: Duration,
    concurrency: usize,
    in_use: Mutex<Option<InUse>>,
}

#[derive(Clone)]
struct InUse {
    transport: Arc<dyn Transport>,
    /// A hash of the certificate files that it was built from.
    files: u64,
}

impl Connection {
    /// The certificate files are read when the portal is asked first: one that is missing is that portal's trouble, until it is there.
    pub fn new(portal: Portal, connect_timeout: Duration, concurrency: usize) -> Self {
        Self {
            portal,
            connect_timeout,
            concurrency,
            in_use: Mutex::default(),
        }
    }

    /// What sends requests, with the certificate files as they are now; with the last ones while these cannot be used. Blocks for
    /// small files.
    pub fn refreshed(&self) -> Result<Arc<dyn Transport>, BuildError> {
        let mut in_use = self.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        let current = match (self.current(in_use.as_ref()), &*in_use) {
            (Err(error), Some(last)) => {
                let portal = &self.portal.name;
                warn!(%portal, %error, "new certificate files cannot be used; the last ones stay in use");
                last.clone()
            }
            (current, _) => current?,
        };
        Ok(Arc::clone(&in_use.insert(current).transport))
    }

    fn current(&self, last: Option<&InUse>) -> Result<InUse, BuildError> {
        let files = CertificateFiles::read(&self.portal)?;
        let mut hasher = DefaultHasher::new();
        files.hash(&mut hasher);
        let hash = hasher.finish();
        Ok(match last.filter(|last| last.files == hash) {
            Some(last) => last.clone(),
            None => InUse {
                transport: Arc::new(self.build(&files)?),
                files: hash,
            },
        })
    }

    /// Sends all requests by this way.
    #[cfg(test)]
    pub fn connect_by(&self, transport: Arc<dyn Transport>) {
        let files = self.current(None).unwrap().files;
        *self.in_use.lock().unwrap() = Some(InUse { transport, files });
    }
}
