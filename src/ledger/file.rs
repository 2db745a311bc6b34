//! The ledger file: one process has it, and its times follow the clock of the machine.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;

use crate::ledger::clock;
use crate::ledger::error::LedgerError;
use crate::ledger::load::{self, Views};
use crate::ledger::schema;
use crate::model::Timestamp;
use crate::sql::{Database, SqlError, to_value};

/// The name of the file in the state folder.
pub const FILE_NAME: &str = "ledger.db";

/// The file as it was opened: another one may take its name, and then nobody would find what is written to this one.
#[derive(Debug)]
pub(super) struct OpenFile {
    path: PathBuf,
    identity: (u64, u64),
    /// By how many milliseconds all times were moved forward because the clock was set.
    moved: i64,
}

impl OpenFile {
    /// The file that was opened. `moved`: by how many milliseconds all times were moved forward before.
    pub fn new(path: PathBuf, moved: i64) -> Result<Self, LedgerError> {
        Ok(Self {
            identity: identity(&path)?,
            path,
            moved,
        })
    }

    /// Whether the file still has its name.
    pub fn check(&self) -> Result<(), LedgerError> {
        if identity(&self.path).is_ok_and(|found| found == self.identity) {
            return Ok(());
        }
        Err(LedgerError::Replaced(self.path.clone()))
    }
}

fn identity(path: &Path) -> Result<(u64, u64), LedgerError> {
    let file = fs::metadata(path).map_err(|cause| SqlError::path(path, &cause))?;
    Ok((file.dev(), file.ino()))
}

/// Moves every time with a clock that was set by this number of milliseconds, and reads everything again.
pub(super) fn clock_was_set(
    sql: &mut Database,
    file: &mut OpenFile,
    step: i64,
    now: Timestamp,
) -> Result<Views, LedgerError> {
    file.check()?;
    let by = clock::follow(step, file.moved);
    let views = sql.transaction(|transaction| {
        for (table, column) in schema::TIMES {
            let statement = format!("UPDATE {table} SET {column} = {column} + $1");
            transaction.execute(&statement, &[Value::Integer(by)])?;
        }
        let moved = "UPDATE ledger SET moved = moved + $1, clock_set = $2";
        transaction.execute(moved, &[Value::Integer(by), to_value(&now)?])?;
        load::load(transaction)
    })?;
    file.moved += by;
    Ok(views)
}
