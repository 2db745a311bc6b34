//! What is known of one portal: where it is, its limits, and the files that are read to ask it.

use std::sync::Arc;

use tokio::time::timeout;
use tracing::warn;
use url::Url;

use crate::config::{Collect, Portal, Request};
use crate::portal::connection::{BuildError, Connection, Transport};
use crate::portal::error::PortalError;
use crate::portal::key::{ApiKey, KeyError};
use crate::portal::observe::Observer;
use crate::portal::throttle::{Throttle, Throttles};

/// The client of one portal.
pub struct Client {
    portal: Portal,
    concurrency: usize,
    /// Locked while files are read.
    last: Arc<tokio::sync::Mutex<LastRead>>,
    pub(super) throttle: Arc<Throttle>,
    pub(super) request: Request,
    pub(super) observer: Arc<dyn Observer>,
}

/// What came of the certificate files and the key when they were read last.
#[derive(Default)]
struct LastRead {
    connection: Option<Connection>,
    key: Option<ApiKey>,
}

impl Client {
    /// A client for one portal, with the throttle of its address. Its files are read when it is asked first: one that is missing is that
    /// portal's trouble, until it is there.
    pub fn new(
        portal: &Portal,
        collect: &Collect,
        request: &Request,
        observer: Arc<dyn Observer>,
        throttles: &Throttles,
    ) -> Arc<Self> {
        Arc::new(Self {
            portal: portal.clone(),
            concurrency: collect.concurrency.get(),
            last: Arc::default(),
            throttle: throttles.of(portal, collect),
            request: request.clone(),
            observer,
        })
    }

    /// Sends all requests by this way.
    #[cfg(test)]
    pub(crate) fn connect_by(&self, transport: Arc<dyn Transport>) {
        let files = self.connect(None).unwrap().files;
        self.last.try_lock().unwrap().connection = Some(Connection { transport, files });
    }

    pub(super) fn base(&self) -> &Url {
        self.portal.base_url.as_url()
    }

    /// Checks that the certificate files can be used. Blocks for small files.
    pub fn prepare(&self) -> Result<(), BuildError> {
        self.connect(None).map(drop)
    }

    /// Reads the key, and certificate files that were replaced, within the time limit of a request. Of a file system that does not answer,
    /// one thread at most waits.
    pub(super) async fn open(
        self: &Arc<Self>,
    ) -> Result<(Arc<dyn Transport>, ApiKey), PortalError> {
        let (client, limit) = (Arc::clone(self), self.request.timeout);
        let read = async {
            let mut last = Arc::clone(&self.last).lock_owned().await;
            let read = tokio::task::spawn_blocking(move || client.read_files(&mut last));
            read.await
                .unwrap_or_else(|_| Err(KeyError::unknown().into()))
        };
        let late = |_| Err(KeyError::late(&self.portal.key, limit).into());
        timeout(limit, read).await.unwrap_or_else(late)
    }

    fn read_files(&self, last: &mut LastRead) -> Result<(Arc<dyn Transport>, ApiKey), PortalError> {
        let connection = match (self.connect(last.connection.as_ref()), &last.connection) {
            (Err(error), Some(last)) => {
                let portal = &self.portal.name;
                warn!(%portal, %error, "new certificate files cannot be used; the last ones stay in use");
                last.clone()
            }
            (connection, _) => connection?,
        };
        let transport = Arc::clone(&last.connection.insert(connection).transport);
        let key = or_last(ApiKey::read(&self.portal.key), &mut last.key)?;
        Ok((transport, key))
    }

    /// The last connection, or another one if there are other certificate files.
    fn connect(&self, last: Option<&Connection>) -> Result<Connection, BuildError> {
        Connection::new(&self.portal, &self.request, self.concurrency, last)
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
    use crate::config::{FileError, HiddenPath, KeySource};

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
