//! Copies state and ledger from a folder to PostgreSQL, or back.
//!
//! The source stays as it is. In PostgreSQL everything is written in one transaction, in a folder to files that get their names at the end. Before,
//! both sides are read as the program reads them at its start, and compared. No other process uses either side meanwhile: a folder is locked,
//! and a database in which a process has a lease is refused.

mod error;
mod folder;
mod part;
mod server;

use crate::config::SharedState;
use crate::sql::Transaction;

use folder::{Files, NewFiles};
use part::Part;

pub use error::MigrateError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    pub folders: i64,
    /// Files that are not done.
    pub files: i64,
    pub attempts: i64,
}

/// The number of rows of a table.
type Rows = (Part, &'static str, i64);

impl Copied {
    /// This number of rows in words; `None` if there are none.
    fn of(rows: &[Rows]) -> Option<Self> {
        let of = |part, table| {
            let found = rows.iter().find(|rows| (rows.0, rows.1) == (part, table));
            found.map_or(0, |(.., number)| *number)
        };
        let is_empty = rows.iter().all(|(.., number)| *number == 0);
        (!is_empty).then(|| Self {
            folders: 0,
            files: 0,
            attempts: of(Part::Ledger, "attempt"),
        })
    }
}

/// Copies everything from the folder to the database. Blocks, outside of an asynchronous task.
pub fn to_postgres(state: &SharedState) -> Result<Copied, MigrateError> {
    let mut files = Files::open(&state.path)?;
    let mut server = server::connect(&state.url_file)?;
    server.transaction(|to| {
        server::hold(to)?;
        for part in Part::ALL {
            server::select_schema(to, part)?;
            if let Some(table) = part.table_with_rows(to)? {
                let table = format!("{}.{table}", part.schema().name);
                return Err(MigrateError::DatabaseNotEmpty { table });
            }
        }
        let mut copied = Vec::new();
        for (part, file) in files.parts() {
            server::select_schema(to, part)?;
            copied.extend(file.transaction(|from| copy(part, from, to))?);
        }
        Copied::of(&copied).ok_or(MigrateError::Empty)
    })
}

/// Copies everything from the database to the folder. Blocks, outside of an asynchronous task.
pub fn to_folder(state: &SharedState) -> Result<Copied, MigrateError> {
    if !server::has_tables(&state.url_file)? {
        return Err(MigrateError::Empty);
    }
    let mut files = NewFiles::create(&state.path)?;
    let mut server = server::connect(&state.url_file)?;
    let copied = server.transaction(|from| {
        server::hold(from)?;
        let mut copied = Vec::new();
        for (part, file) in files.parts() {
            server::select_schema(from, part)?;
            copied.extend(file.transaction(|to| copy(part, from, to))?);
        }
        Copied::of(&copied).ok_or(MigrateError::Empty)
    })?;
    files.publish()?;
    Ok(copied)
}

/// Copies the rows of every table and compares both sides. Returns how many rows of the program's data there are.
fn copy(
    part: Part,
    from: &mut dyn Transaction,
    to: &mut dyn Transaction,
) -> Result<Vec<Rows>, MigrateError> {
    let different = |what| MigrateError::Different {
        part: part.name(),
        what,
    };
    let mut rows = Vec::new();
    for table in part.tables() {
        table.copy(from, to)?;
        let (before, after) = (table.count(from)?, table.count(to)?);
        if before != after {
            let what = format!("the table {} has {after} rows, not {before}", table.name);
            return Err(different(what));
        }
        if !table.key.is_empty() {
            rows.push((part, table.name, before));
        }
    }
    match part.difference(from, to)? {
        Some(what) => Err(different(what)),
        None => Ok(rows),
    }
}
