//! What connects to a portal: built anew when its certificate files were replaced.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::warn;

use crate::portal::build::{BuildError, Parts};
use crate::portal::transport::Transport;

/// The way to a portal.
pub(super) struct Connection {
    parts: Parts,
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
    pub fn new(parts: Parts) -> Self {
        Self {
            parts,
            in_use: Mutex::default(),
        }
    }

    /// Takes up certificate files that are new. Those in use stay while the new ones cannot be used. Blocks for small files.
    pub fn refresh(&self) -> Result<(), BuildError> {
        match self.build_if_changed() {
            Err(error) if self.in_use().is_some() => {
                let portal = &self.parts.portal.name;
                warn!(%portal, %error, "new certificate files cannot be used; the last ones stay in use");
                Ok(())
            }
            result => result,
        }
    }

    fn build_if_changed(&self) -> Result<(), BuildError> {
        let files = self.parts.read()?;
        let mut hasher = DefaultHasher::new();
        files.hash(&mut hasher);
        let hash = hasher.finish();
        if self.in_use().as_ref().map(|in_use| in_use.files) == Some(hash) {
            return Ok(());
        }
        let transport = Arc::new(self.parts.build(&files)?);
        *self.in_use() = Some(InUse {
            transport,
            files: hash,
        });
        Ok(())
    }

    /// What sends requests.
    pub fn transport(&self) -> Result<Arc<dyn Transport>, BuildError> {
        loop {
            if let Some(in_use) = &*self.in_use() {
                return Ok(Arc::clone(&in_use.transport));
            }
            self.build_if_changed()?;
        }
    }

    /// Sends all requests by this way.
    #[cfg(test)]
    pub fn connect_by(&self, transport: Arc<dyn Transport>) {
        self.build_if_changed().unwrap();
        if let Some(in_use) = &mut *self.in_use() {
            in_use.transport = transport;
        }
    }

    fn in_use(&self) -> MutexGuard<'_, Option<InUse>> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
