//! The files in a state folder.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::ledger::Addresses;
use crate::migrate::error::MigrateError;
use crate::migrate::part::Part;
use crate::sql::{Database, SqliteFile};
use crate::state;

/// What SQLite adds to the name of a database for the files that belong to it.
const SUFFIXES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

type Parts = [(Part, Database); 2];

/// The files that are read.
pub(super) struct Files {
    parts: Parts,
    _lock: File,
}

impl Files {
    /// Locks the folder and opens the files, which must be there.
    pub fn open(folder: &Path, addresses: &Addresses) -> Result<Self, MigrateError> {
        for part in Part::ALL {
            let file = folder.join(part.file_name());
            if !file.exists() {
                return Err(MigrateError::Missing { file });
            }
        }
        let lock = state::transfer::lock(folder)?;
        let open = |part: Part| part.open(&folder.join(part.file_name()), addresses);
        Ok(Self {
            parts: parts(open)?,
            _lock: lock,
        })
    }

    pub fn parts(&mut self) -> impl Iterator<Item = (Part, &mut Database)> {
        self.parts.iter_mut().map(|(part, file)| (*part, file))
    }
}

/// New files, which get their names when they are complete. Without that they are removed.
pub(super) struct NewFiles {
    parts: Parts,
    incomplete: TempDir,
    folder: PathBuf,
    _lock: File,
}

impl NewFiles {
    /// Locks the folder, in which no such file may be.
    pub fn create(folder: &Path) -> Result<Self, MigrateError> {
        let lock = state::transfer::lock(folder)?;
        for part in Part::ALL {
            let names = SUFFIXES.map(|suffix| format!("{}{suffix}", part.file_name()));
            let files = names.map(|name| folder.join(name));
            if let Some(file) = files.into_iter().find(|file| file.exists()) {
                return Err(MigrateError::FolderNotEmpty { file });
            }
        }
        let incomplete = tempfile::Builder::new()
            .prefix("incomplete-")
            .tempdir_in(folder)
            .map_err(refused(folder))?;
        let create = |part: Part| part.create(&incomplete.path().join(part.file_name()));
        Ok(Self {
            parts: parts(create)?,
            incomplete,
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    pub fn parts(&mut self) -> impl Iterator<Item = (Part, &mut Database)> {
        self.parts.iter_mut().map(|(part, file)| (*part, file))
    }

    /// Gives the files their names.
    pub fn publish(self) -> Result<(), MigrateError> {
        let Self {
            parts,
            incomplete,
            folder,
            _lock,
        } = self;
        drop(parts);
        // The ledger first: a process that started between the two would know what it must not repeat.
        for part in [Part::Ledger, Part::State] {
            let name = part.file_name();
            fs::rename(incomplete.path().join(name), folder.join(name))
                .map_err(refused(&folder))?;
        }
        let names = File::open(&folder).and_then(|folder| folder.sync_all());
        names.map_err(refused(&folder))
    }
}

fn parts(open: impl Fn(Part) -> Result<SqliteFile, MigrateError>) -> Result<Parts, MigrateError> {
    let [state, ledger] = Part::ALL;
    Ok([
        (state, Database::Sqlite(open(state)?)),
        (ledger, Database::Sqlite(open(ledger)?)),
    ])
}

fn refused(folder: &Path) -> impl Fn(io::Error) -> MigrateError {
    let path = folder.to_owned();
    move |cause| MigrateError::Folder {
        path: path.clone(),
        cause,
    }
}
