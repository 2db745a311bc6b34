//! The files in a state folder.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use crate::migrate::error::MigrateError;
use crate::migrate::part::Part;
use crate::sql::{Database, SqliteFile, StateFolder};

/// The suffixes of the files that SQLite adds to a database.
const SUFFIXES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

type Parts = [(Part, Database); 1];

pub(super) struct Files {
    parts: Parts,
    _folder: StateFolder,
}

impl Files {
    /// Locks the folder and opens the files, which must be there.
    pub fn open(folder: &Path) -> Result<Self, MigrateError> {
        let path = |part: Part| folder.join(part.file_name());
        if let Some(part) = Part::ALL.into_iter().find(|part| !path(*part).exists()) {
            return Err(MigrateError::Missing { file: path(part) });
        }
        let held = StateFolder::new(folder);
        held.hold()?;
        let open = |part: Part| {
            let file = SqliteFile::open_existing(&path(part), false, part.schema())?;
            file.ok_or_else(|| MigrateError::Missing { file: path(part) })
        };
        Ok(Self {
            parts: parts(open)?,
            _folder: held,
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
    folder: StateFolder,
}

impl NewFiles {
    /// Locks the folder, in which no such file may be.
    pub fn create(path: &Path) -> Result<Self, MigrateError> {
        let held = StateFolder::new(path);
        let folder = held.hold()?;
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
        let create = |part: Part| {
            let path = incomplete.path().join(part.file_name());
            Ok(SqliteFile::open(&path, part.schema())?)
        };
        Ok(Self {
            parts: parts(create)?,
            incomplete,
            folder: held,
        })
    }

    pub fn parts(&mut self) -> impl Iterator<Item = (Part, &mut Database)> {
        self.parts.iter_mut().map(|(part, file)| (*part, file))
    }

    pub fn publish(self) -> Result<(), MigrateError> {
        let Self {
            parts,
            incomplete,
            folder,
        } = self;
        drop(parts);
        let folder = folder.hold()?;
        for part in Part::ALL {
            let name = part.file_name();
            fs::rename(incomplete.path().join(name), folder.join(name)).map_err(refused(folder))?;
        }
        let names = fs::File::open(folder).and_then(|folder| folder.sync_all());
        names.map_err(refused(folder))
    }
}

fn parts(open: impl Fn(Part) -> Result<SqliteFile, MigrateError>) -> Result<Parts, MigrateError> {
    let [ledger] = Part::ALL;
    Ok([(ledger, Database::Sqlite(open(ledger)?))])
}

fn refused(folder: &Path) -> impl Fn(io::Error) -> MigrateError {
    let path = folder.to_owned();
    move |cause| MigrateError::Folder {
        path: path.clone(),
        cause,
    }
}
