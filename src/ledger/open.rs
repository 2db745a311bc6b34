//! Opens the ledger file.

use std::path::Path;
use std::sync::Arc;

use crate::ledger::Addresses;
use crate::ledger::database::{Database, Guard};
use crate::ledger::error::LedgerError;
use crate::ledger::file::{FILE_NAME, OpenFile};
use crate::ledger::load::{self, Views};
use crate::ledger::schema;
use crate::ledger::view::LedgerView;
use crate::model::Moment;
use crate::sql::{self, SqliteFile};

/// Opens the file, or makes one where there is none, and reads it. Attempts without an outcome are interrupted ones: whoever made them
/// is gone.
pub(super) fn open_file(
    folder: &Path,
    addresses: &Addresses,
) -> Result<(Database, Views), LedgerError> {
    let path = folder.join(FILE_NAME);
    let now = Moment::now().wall;
    schema::inspect(&path)?;
    let mut file = SqliteFile::open(&path)?;
    let found = schema::known_version(&file, &path)?;
    file.configure()?;
    // Read before anything is committed: what makes no sense stays as it is.
    let (mut views, next) = file.upgrade(found, &schema::STEPS, |transaction| {
        schema::opened(transaction, found, addresses, now)?;
        Ok::<_, LedgerError>((load::load(transaction)?, next_id(transaction)?))
    })?;
    let open = OpenFile::new(path, views.ledger.moved.unwrap_or(0))?;
    let mut database = Database::of_file(sql::Database::Sqlite(file), open, next);
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
fn next_id(transaction: &mut dyn sql::Transaction) -> Result<i64, LedgerError> {
    let query =
        "SELECT coalesce(max(seq), 0) + 1 AS next FROM sqlite_sequence WHERE name = 'attempt'";
    let rows = transaction.query(query, &[])?;
    let missing = LedgerError::content("the numbers of attempts");
    Ok(rows.first().ok_or(missing)?.get("next")?)
}
