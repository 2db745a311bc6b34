//! SQLite files.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use sqlx::AnyConnection;
use url::Url;

use crate::store::connection::connect;
use crate::store::error::StoreError;
use crate::store::place::{Access, Part};
use crate::store::tables::rows;

/// A file, as it was when it was opened: another file may take its name, and then nobody would find what is written to this one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileIdentity {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl FileIdentity {
    fn of(path: &Path) -> Result<Self, StoreError> {
        let file = fs::metadata(path).map_err(|cause| StoreError::path(path, &cause))?;
        Ok(Self {
            path: path.to_owned(),
            device: file.dev(),
            inode: file.ino(),
        })
    }

    /// Fails if the file does not have its name any more.
    pub fn check(&self) -> Result<(), StoreError> {
        match Self::of(&self.path) {
            Ok(found) if found == *self => Ok(()),
            _ => Err(StoreError::Replaced(self.path.clone())),
        }
    }
}

/// Opens the file of a part. The service makes one where there is none. A file that cannot be used is never written.
pub(super) async fn open(
    path: &Path,
    part: Part,
    access: Access,
) -> Result<(AnyConnection, FileIdentity), StoreError> {
    let mode = match (fs::metadata(path), access) {
        (Err(cause), _) if cause.kind() != ErrorKind::NotFound => {
            return Err(StoreError::path(path, &cause));
        }
        (Err(_), Access::Serve) => {
            make(path)?;
            "rw"
        }
        (Err(_), Access::Read | Access::Write) => {
            return Err(part.missing());
        }
        // A database that no process uses can be read without a file for shared memory, which not every reader may make.
        (Ok(_), Access::Read) if !path.with_extension("db-wal").exists() => "ro&immutable=1",
        (Ok(_), Access::Read) => "ro",
        // Asked before the database is: a privileged user could write the file all the same.
        (Ok(file), _) if file.permissions().readonly() => {
            return Err(StoreError::ReadOnly(path.to_owned()));
        }
        (Ok(_), Access::Serve | Access::Write) => "rw",
    };
    let mut connection = connect(&url(path, mode)?).await?;
    check_owner(&mut connection, path).await?;
    Ok((connection, FileIdentity::of(path)?))
}

/// Makes an empty file that nobody else may read. The files that SQLite adds have the same permissions.
fn make(path: &Path) -> Result<(), StoreError> {
    let mut new = File::options();
    let made = new.create_new(true).write(true).mode(0o600).open(path);
    made.map(drop)
        .map_err(|cause| StoreError::path(path, &cause))
}

/// Prepares a file for writes, which changes it.
pub(super) async fn configure(connection: &mut AnyConnection) -> Result<(), StoreError> {
    // Every commit is synced to disk.
    let configure = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL".to_owned();
    rows(connection, configure).await.map(drop)
}

/// Fails for a database with other tables than those of this program. A crash may have come between a file and its first tables.
async fn check_owner(connection: &mut AnyConnection, path: &Path) -> Result<(), StoreError> {
    let foreign = "SELECT 1 FROM sqlite_schema
                   WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'store')";
    if rows(connection, foreign.to_owned()).await?.is_empty() {
        return Ok(());
    }
    Err(StoreError::Foreign(path.to_owned()))
}

fn url(path: &Path, mode: &str) -> Result<Url, StoreError> {
    let absolute = std::path::absolute(path).map_err(|cause| StoreError::path(path, &cause))?;
    let file = Url::from_file_path(absolute).ok();
    let url = file.and_then(|file| {
        let file = file.as_str().strip_prefix("file:")?;
        Url::parse(&format!("sqlite:{file}?mode={mode}")).ok()
    });
    let refused = || StoreError::Path {
        path: path.to_owned(),
        cause: "it is no path of a file".to_owned(),
    };
    url.ok_or_else(refused)
}
