//! New files in a folder, which get their names when they are complete.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use crate::store::error::StoreError;
use crate::store::folder::StateFolder;
use crate::store::migrate::error::MigrateError;
use crate::store::part::Part;
use crate::store::place::Place;

/// The suffixes of the files that SQLite adds to a database.
const SUFFIXES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// Without [`Self::publish`] they are removed.
pub(super) struct NewFiles {
    folder: StateFolder,
    incomplete: TempDir,
}

impl NewFiles {
    /// Locks the folder, in which no such file may be.
    pub fn create(path: &Path) -> Result<Self, MigrateError> {
        let folder = StateFolder::new(path);
        let held = folder.hold()?;
        for part in Part::ALL {
            let names = SUFFIXES.map(|suffix| format!("{}{suffix}", part.file_name()));
            let files = names.map(|name| held.join(name));
            if let Some(file) = files.into_iter().find(|file| file.exists()) {
                return Err(MigrateError::FolderNotEmpty { file });
            }
        }
        let incomplete = tempfile::Builder::new()
            .prefix("incomplete-")
            .tempdir_in(held)
            .map_err(refused(held))?;
        Ok(Self { folder, incomplete })
    }

    /// Where they are made.
    pub fn place(&self) -> Place {
        Place::folder(self.incomplete.path())
    }

    /// Gives them their names.
    pub fn publish(&self) -> Result<(), MigrateError> {
        let folder = self.folder.hold()?;
        // The ledger first: a process that starts between the two then knows the attempts that it must not repeat.
        for part in [Part::Ledger, Part::State] {
            let name = part.file_name();
            let incomplete = self.incomplete.path().join(name);
            fs::rename(incomplete, folder.join(name)).map_err(refused(folder))?;
        }
        let names = fs::File::open(folder).and_then(|folder| folder.sync_all());
        Ok(names.map_err(refused(folder))?)
    }
}

fn refused(folder: &Path) -> impl Fn(io::Error) -> StoreError {
    move |cause| StoreError::path(folder, &cause)
}
