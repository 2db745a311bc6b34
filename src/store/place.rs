//! Where the database is, and what a process may do with it. A state folder belongs to one process at a time.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::config::{HiddenPath, State};
use crate::store::error::StoreError;

/// Where the database is. Cheap to clone.
#[derive(Debug, Clone)]
pub enum Place {
    /// In this folder.
    Folder(StateFolder),
    /// In PostgreSQL. The file has the URL.
    Server(HiddenPath),
}

impl Place {
    pub fn folder(path: &Path) -> Self {
        Self::Folder(StateFolder::new(path))
    }

    /// Where a configuration stores its state; `None` if it is temporary.
    pub fn of(state: &State) -> Option<Self> {
        match state {
            State::Path(path) => Some(Self::folder(path)),
            State::Postgres(shared) => Some(Self::Server(shared.url_file.clone())),
            State::Temporary => None,
        }
    }

    pub(super) const fn is_server(&self) -> bool {
        matches!(self, Self::Server(_))
    }
}

/// What a process may do with a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// It is the service: it has the lock of the folder, and makes the tables where they are missing.
    Serve,
    /// It writes to tables that are there.
    Write,
    Read,
}

/// The name of the database in a state folder,
const DATABASE: &str = "state.db";

/// and of the file that is locked. It names the process that has the lock.
const LOCK: &str = "lock";

/// A state folder. Cheap to clone; other processes can use the folder when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct StateFolder {
    path: PathBuf,
    lock: Arc<Mutex<Option<Lock>>>,
}

/// The locked file. It locks nothing any more when another file has its name.
#[derive(Debug)]
struct Lock {
    _file: File,
    identity: FileIdentity,
}

impl StateFolder {
    fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            lock: Arc::default(),
        }
    }

    pub(super) fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    /// Locks the folder for this process, unless it has the lock. The first time, it makes the folder if it is missing. A folder that was made anew
    /// meanwhile is another one.
    pub(super) fn hold(&self) -> Result<(), StoreError> {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = lock.is_none();
        let is_held = lock
            .as_ref()
            .is_some_and(|held| held.identity.check().is_ok());
        if !is_held {
            *lock = Some(take_lock(&self.path, is_first)?);
        }
        Ok(())
    }
}

fn take_lock(folder: &Path, is_first: bool) -> Result<Lock, StoreError> {
    let refused = |cause| StoreError::path(folder, &cause);
    if is_first {
        // Names of files and errors are nobody else's.
        let mut new = DirBuilder::new();
        new.recursive(true).mode(0o700);
        new.create(folder).map_err(refused)?;
    }
    let mut options = File::options();
    let options = options.create(true).truncate(false).read(true).write(true);
    let path = folder.join(LOCK);
    let mut file = options.mode(0o600).open(&path).map_err(refused)?;
    match file.try_lock() {
        Ok(()) => {
            name_holder(&mut file).map_err(refused)?;
            Ok(Lock {
                identity: FileIdentity::of(&path)?,
                _file: file,
            })
        }
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse {
            path: folder.to_owned(),
            holder: holder(&mut file),
        }),
        Err(TryLockError::Error(error)) => Err(refused(error)),
    }
}

fn name_holder(lock: &mut File) -> std::io::Result<()> {
    lock.set_len(0)?;
    lock.rewind()?;
    lock.write_all(process().as_bytes())
}

/// This process, for people.
pub(super) fn process() -> String {
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy();
    format!("process {} on {host}", std::process::id())
}

/// The process that a lock names. It may be about to write its name.
fn holder(lock: &mut File) -> String {
    let mut name = String::new();
    let read = lock.take(200).read_to_string(&mut name);
    match read {
        Ok(1..) => crate::text::one_line(&name).into_owned(),
        _ => "another process".to_owned(),
    }
}

/// A file, as it was when it was opened: another file may take its name, and then nobody would find what is written to this one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileIdentity {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl FileIdentity {
    pub(super) fn of(path: &Path) -> Result<Self, StoreError> {
        let file = fs::metadata(path).map_err(|cause| StoreError::path(path, &cause))?;
        Ok(Self {
            path: path.to_owned(),
            device: file.dev(),
            inode: file.ino(),
        })
    }

    /// Fails if the file does not have its name any more.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match Self::of(&self.path) {
            Ok(found) if found == *self => Ok(()),
            _ => Err(StoreError::Replaced),
        }
    }
}
