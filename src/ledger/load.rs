//! From the tables to views.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::types::Value;

use crate::ledger::attempt::SentFile;
use crate::ledger::error::LedgerError;
use crate::ledger::folder::{FolderLedger, Totals};
use crate::ledger::forgive::{Forgiven, Forgiveness};
use crate::ledger::tables::{AttemptRows, ClassRow, FolderRow, LedgerRow, PortalRow, attempt};
use crate::ledger::view::LedgerView;
use crate::model::{FileKey, FileMap, FolderId, PortalAddress, Timestamp};
use crate::sql::{Record, Row, SqlError, Transaction, select, to_value};

/// What the ledger knows of each portal.
#[derive(Debug)]
pub(super) struct Views {
    pub ledger: LedgerRow,
    pub portals: HashMap<PortalAddress, Arc<LedgerView>>,
}

impl Views {
    /// The view of a portal that the ledger meets now.
    pub fn meet(&self, now: Timestamp) -> LedgerView {
        LedgerView {
            clock_set: self.ledger.clock_set,
            // A clock that is behind the ledger's own time is noticed by it.
            ..LedgerView::new(now.max(self.ledger.created))
        }
    }
}

pub(super) fn load(transaction: &mut dyn Transaction) -> Result<Views, LedgerError> {
    let ledger = ledger_row(transaction)?;
    let mut views = HashMap::new();
    for row in select(transaction, "SELECT * FROM portal", &[], PortalRow::read)? {
        let view = Loading::everything(transaction, &row, &ledger)?;
        views.insert(row.address, Arc::new(view));
    }
    Ok(Views {
        ledger,
        portals: views,
    })
}

/// Reads what was written of a portal since a view of it; `None` where nothing was.
pub(super) fn load_newer(
    transaction: &mut dyn Transaction,
    portal: &PortalAddress,
    known: &LedgerView,
) -> Result<Option<LedgerView>, LedgerError> {
    let query = "SELECT * FROM portal WHERE address = $1";
    let rows = select(transaction, query, &[to_value(portal)?], PortalRow::read)?;
    let Some(row) = rows.into_iter().next() else {
        return Ok(None);
    };
    if row.version == known.version {
        return Ok(None);
    }
    if row.removed > known.version {
        let ledger = ledger_row(transaction)?;
        return Loading::everything(transaction, &row, &ledger).map(Some);
    }
    Loading::since(transaction, &row, known).map(Some)
}

fn ledger_row(transaction: &mut dyn Transaction) -> Result<LedgerRow, LedgerError> {
    let mut ledger = select(transaction, "SELECT * FROM ledger", &[], LedgerRow::read)?;
    let missing = || LedgerError::content("the time of its creation is missing");
    ledger.pop().ok_or_else(missing)
}

/// Reads the view of one portal.
struct Loading<'a> {
    transaction: &'a mut dyn Transaction,
    /// The portal, and the version: only what is newer is read.
    values: [Value; 2],
    view: LedgerView,
}

impl<'a> Loading<'a> {
    fn everything(
        transaction: &'a mut dyn Transaction,
        row: &PortalRow,
        ledger: &LedgerRow,
    ) -> Result<LedgerView, LedgerError> {
        let view = LedgerView {
            clock_set: ledger.clock_set,
            // Before every version.
            version: -1,
            ..LedgerView::new(row.met)
        };
        Self::since(transaction, row, &view)
    }

    fn since(
        transaction: &'a mut dyn Transaction,
        row: &PortalRow,
        known: &LedgerView,
    ) -> Result<LedgerView, LedgerError> {
        let mut loading = Self {
            transaction,
            values: [to_value(&row.address)?, Value::Integer(known.version)],
            view: LedgerView {
                met: row.met,
                version: row.version,
                removed: row.removed,
                ..known.clone()
            },
        };
        loading.folders()?;
        loading.attempts()?;
        loading.classes()?;
        loading.forgiven()?;
        Ok(loading.view)
    }

    fn folders(&mut self) -> Result<(), LedgerError> {
        let tries = "SELECT tries.* FROM tries JOIN folder ON folder.number = tries.folder
                     WHERE folder.portal = $1 AND folder.version > $2";
        let tries = self.transaction.query(tries, &self.values)?;
        let mut attempts = by_owner(&tries, "folder", |row| row.get("attempts"))?;
        let query = "SELECT * FROM folder WHERE portal = $1 AND version > $2";
        for row in self.transaction.query(query, &self.values)? {
            let number: i64 = row.get("number")?;
            let (folder, totals): (FolderRow, Totals) = Record::read(&row)?;
            let known = FolderLedger {
                name: folder.name,
                totals,
                file_attempts: attempts.remove(&number).unwrap_or_default(),
                unseen_since: folder.unseen_since,
            };
            self.view.folders.insert(folder.id, Arc::new(known));
        }
        Ok(())
    }

    fn attempts(&mut self) -> Result<(), LedgerError> {
        let sent = "SELECT sent.* FROM sent JOIN attempt ON attempt.id = sent.attempt
                    JOIN folder ON folder.number = attempt.folder
                    WHERE folder.portal = $1 AND attempt.version > $2";
        let sent = self.transaction.query(sent, &self.values)?;
        let mut sent = by_owner(&sent, "attempt", SentFile::read)?;
        let query = "SELECT attempt.*, folder.id AS folder_id FROM attempt
                     JOIN folder ON folder.number = attempt.folder
                     WHERE folder.portal = $1 AND attempt.version > $2";
        for row in self.transaction.query(query, &self.values)? {
            let folder: FolderId = row.get("folder_id")?;
            let rows = AttemptRows::read(&row)?;
            let files = sent.remove(&rows.0.id).unwrap_or_default();
            let attempt = attempt(rows, folder, files)?;
            self.view.track.set(attempt);
        }
        Ok(())
    }

    fn classes(&mut self) -> Result<(), LedgerError> {
        let query = "SELECT * FROM class WHERE portal = $1 AND version > $2";
        let classes = select(self.transaction, query, &self.values, Record::read)?;
        for (ClassRow { name, .. }, totals) in classes {
            self.view.classes.insert(name, totals);
        }
        Ok(())
    }

    fn forgiven(&mut self) -> Result<(), LedgerError> {
        let taken = "SELECT * FROM forgiven WHERE taken IS NOT NULL AND portal = $1";
        for (_, forgiveness) in select(self.transaction, taken, &self.values[..1], forgiveness)? {
            self.view.note_forgiven(&forgiveness);
        }
        Ok(())
    }
}

/// Rows about files, by the number of the row to which they belong.
fn by_owner<T>(
    rows: &[Row],
    owner: &str,
    read: impl Fn(&Row) -> Result<T, SqlError>,
) -> Result<HashMap<i64, FileMap<T>>, LedgerError> {
    let mut owners: HashMap<i64, FileMap<T>> = HashMap::new();
    for row in rows {
        let files = owners.entry(row.get(owner)?).or_default();
        files.insert(FileKey::read(row)?, read(row)?);
    }
    Ok(owners)
}

/// What people forgave in a portal and was not taken in yet, with the number of each request.
pub(super) fn asked_to_forgive(
    transaction: &mut dyn Transaction,
    portal: &PortalAddress,
) -> Result<Vec<(i64, Forgiveness)>, LedgerError> {
    let open = "SELECT * FROM forgiven WHERE taken IS NULL AND portal = $1 ORDER BY id";
    select(transaction, open, &[to_value(portal)?], forgiveness)
}

/// Reads a row of the table `forgiven`, with its number.
pub(super) fn forgiveness(row: &Row) -> Result<(i64, Forgiveness), LedgerError> {
    let (kind, target): (String, Option<String>) = (row.get("kind")?, row.get("target")?);
    let what = Forgiven::from_words(&kind, target.as_deref());
    let forgiveness = Forgiveness {
        at: row.get("at")?,
        what: what.ok_or(LedgerError::content("what was forgiven"))?,
    };
    Ok((row.get("id")?, forgiveness))
}
