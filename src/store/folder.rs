//! A state folder belongs to one process at a time.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::store::error::StoreError;

/// The name of the file that is locked.
const LOCK_NAME: &str = "lock";

/// A state folder. Cheap to clone; other processes can use the folder when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct StateFolder {
    path: PathBuf,
    lock: Arc<Mutex<Option<File>>>,
}

impl StateFolder {
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            lock: Arc::default(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Locks the folder for this process, unless it is locked, and makes it if it is missing. Returns its path.
    pub fn hold(&self) -> Result<&Path, StoreError> {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if lock.is_none() {
            *lock = Some(take_lock(&self.path)?);
        }
        Ok(&self.path)
    }
}

fn take_lock(folder: &Path) -> Result<File, StoreError> {
    let refused = |cause| StoreError::path(folder, &cause);
    fs::create_dir_all(folder).map_err(refused)?;
    let file = File::options()
        .create(true)
        .append(true)
        .open(folder.join(LOCK_NAME))
        .map_err(refused)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse {
            path: folder.to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(refused(error)),
    }
}
