//! What is known of one portal: where it is, its limits, and the files that are read to ask it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;
use url::Url;

use crate::config::{Collect, KeySource, Portal, Request};
use crate::portal::connection::{BuildError, Connection, Transport};
use crate::portal::error::PortalError;
use crate::portal::key::{ApiKey, KeyError};
use crate::portal::observe::Observer;
use crate::portal::throttle::{Throttle, Throttles};

/// The client of one portal.
pub struct Client {
    connection: Connection,
    key: KeySource,
    /// The key that was read last.
    last_key: Mutex<Option<ApiKey>>,
    /// Held while files are read.
    reading: Arc<tokio::sync::Mutex<()>>,
    pub(super) base: Url,
    pub(super) throttle: Arc<Throttle>,
    pub(super) retries: u32,
    /// How long a request may take.
    pub(super) timeout: Duration,
    pub(super) max_body_bytes: usize,
    pub(super) observer: Arc<dyn Observer>,
}

impl Client {
    /// A client for one portal, with the throttle of its address.
    pub fn new(
        portal: &Portal,
        collect: &Collect,
        request: &Request,
        observer: Arc<dyn Observer>,
        throttles: &Throttles,
    ) -> Arc<Self> {
        Arc::new(Self {
            connection: Connection::new(
                portal.clone(),
                request.connect_timeout,
                collect.concurrency.get(),
            ),
            key: portal.key.clone(),
            last_key: Mutex::default(),
            reading: Arc::default(),
            base: portal.base_url.as_url().clone(),
            throttle: throttles.of(portal, collect),
            retries: request.retries,
            timeout: request.timeout,
            max_body_bytes: request.max_body_bytes,
            observer,
        })
    }

    /// Sends all requests by this way.
    #[cfg(test)]
    pub(crate) fn connect_by(&self, transport: Arc<dyn Transport>) {
        self.connection.connect_by(transport);
    }

    /// Checks that the certificate files can be used. Blocks for small files.
    pub fn prepare(&self) -> Result<(), BuildError> {
        self.connection.refreshed().map(drop)
    }

    /// Reads the key, and certificate files that were replaced, within the time limit of a request. Of a file system that does not answer,
    /// one thread at most waits.
    pub(super) async fn open(
        self: &Arc<Self>,
    ) -> Result<(Arc<dyn Transport>, ApiKey), PortalError> {
        let client = Arc::clone(self);
        let read = async {
            let reading = Arc::clone(&self.reading).lock_owned().await;
            let read = tokio::task::spawn_blocking(move || {
                let _reading = reading;
                Ok((client.connection.refreshed()?, client.read_key()?))
            });
            read.await
                .unwrap_or_else(|_| Err(KeyError::unknown().into()))
        };
        let late = |_| Err(KeyError::late(&self.key, self.timeout).into());
        timeout(self.timeout, read).await.unwrap_or_else(late)
    }

    fn read_key(&self) -> Result<ApiKey, KeyError> {
        let mut last = self.last_key.lock().unwrap_or_else(PoisonError::into_inner);
        or_last(ApiKey::read(&self.key), &mut last)
    }
}

/// The key that was read, or the last one while no descriptor is free to read it with.
fn or_last(read: Result<ApiKey, KeyError>, last: &mut Option<ApiKey>) -> Result<ApiKey, KeyError> {
    match (read, &*last) {
        (Ok(key), _) => Ok(last.insert(key).clone()),
        (Err(KeyError::File(error)), Some(last)) if error.lacks_descriptors() => Ok(last.clone()),
        (Err(error), _) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;
    use crate::config::{FileError, HiddenPath};

    #[test]
    fn the_last_key_is_used_while_no_descriptor_is_free_and_only_then() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "a-key").unwrap();
        let path = HiddenPath::file("api_key_file", file.path());
        let refused = |errno: Errno| Err(FileError::new(&path, errno.into()).into());
        let mut last = None;
        assert!(or_last(refused(Errno::MFILE), &mut last).is_err());
        let read = ApiKey::read(&KeySource::File(path.clone()));
        assert!(or_last(read, &mut last).is_ok());
        for (errno, is_used) in [
            (Errno::MFILE, true),
            (Errno::NFILE, true),
            (Errno::NOENT, false),
        ] {
            let key = or_last(refused(errno), &mut last);
            assert_eq!(key.is_ok(), is_used, "{errno}");
        }
    }
}
