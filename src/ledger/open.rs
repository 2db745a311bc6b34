//! Opens the ledger file.

use std::sync::Arc;

use crate::clock::Moment;
use crate::ledger::database::{Guard, LedgerDatabase};
use crate::ledger::error::LedgerError;
use crate::ledger::file::FILE_NAME;
use crate::ledger::load::{self, Views};
use crate::ledger::schema::SCHEMA;
use crate::ledger::view::LedgerView;
use crate::sql::{Database, SqliteFile, StateFolder, Transaction};

/// Opens the file, or makes one where there is none, and reads it. Attempts without an outcome are interrupted ones: whoever made them
/// is gone.
pub(super) fn open_file(folder: &StateFolder) -> Result<(LedgerDatabase, Views), LedgerError> {
    let path = folder.hold()?.join(FILE_NAME);
    let now = Moment::now().wall;
    let mut file = SqliteFile::open(&path, &SCHEMA)?;
    // Read before anything is written: what makes no sense stays as it is.
    let (mut views, next) = file.transaction(|transaction| {
        Ok::<_, LedgerError>((load::load(transaction)?, next_id(transaction)?))
    })?;
    file.check_write()?;
    let moved = views.ledger.moved;
    let mut database = LedgerDatabase::of_file(Database::Sqlite(file), moved, next);
    for (portal, view) in &mut views.portals {
        let until = now.max(view.latest());
        if view.unanswered(until).next().is_some() {
            let before = LedgerView::clone(view);
            let after = Arc::make_mut(view);
            after.interrupt(until)?;
            database.write(portal, &before, after, &[], Guard::None)?;
        }
    }
    Ok((database, views))
}

/// A number that no attempt has, nor had.
fn next_id(transaction: &mut dyn Transaction) -> Result<i64, LedgerError> {
    let query =
        "SELECT coalesce(max(seq), 0) + 1 AS next FROM sqlite_sequence WHERE name = 'attempt'";
    let rows = transaction.query(query, &[])?;
    let missing = LedgerError::content("the numbers of attempts");
    Ok(rows.first().ok_or(missing)?.get("next")?)
}
