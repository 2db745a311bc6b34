//! One process holds a state folder.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use crate::state::StateError;

/// The name of the file that is locked.
const FILE_NAME: &str = "lock";

/// Makes the folder where it is missing and locks it for this process, until the file is dropped.
pub(super) fn lock(folder: &Path) -> Result<File, StateError> {
    let refused = |cause: std::io::Error| StateError::Folder {
        path: folder.to_owned(),
        cause: cause.to_string(),
    };
    fs::create_dir_all(folder).map_err(refused)?;
    let file = File::options()
        .create(true)
        .append(true)
        .open(folder.join(FILE_NAME))
        .map_err(refused)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StateError::InUse {
            path: folder.to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(refused(error)),
    }
}
