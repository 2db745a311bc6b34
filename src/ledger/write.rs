//! From a view to the tables.

use std::collections::HashMap;
use std::time::SystemTime;

use rusqlite::{Transaction, params, params_from_iter};

use crate::classify::Class;
use crate::ledger::attempt::Attempt;
use crate::ledger::change::Touched;
use crate::ledger::error::LedgerError;
use crate::ledger::mode::AttemptId;
use crate::ledger::rows::{self, ATTEMPT_COLUMNS, AttemptRow};
use crate::ledger::view::{FolderBook, LedgerView};
use crate::model::{FolderId, PortalAddress, Timestamp};

/// Writes what a change touched as the view has it.
pub(super) struct Write<'a> {
    pub transaction: &'a Transaction<'a>,
    pub portal: &'a PortalAddress,
    pub view: &'a LedgerView,
}

impl Write<'_> {
    pub fn all(&self, touched: &Touched) -> Result<(), LedgerError> {
        // It was met before, but the disk may have refused to take it then.
        self.portal()?;
        if touched.met {
            self.transaction.execute(
                "UPDATE portal SET met = ?2 WHERE address = ?1",
                params![self.portal.as_str(), self.view.met().as_millis()],
            )?;
        }
        let mut numbers = HashMap::new();
        for folder in touched.folders.iter().copied() {
            match self.view.folder(folder) {
                Some(book) => {
                    numbers.insert(folder, self.folder(folder, book)?);
                }
                None => self.forget_folder(folder)?,
            }
        }
        for id in touched.attempts.iter().copied() {
            match self.view.attempt(id) {
                Some(attempt) => self.attempt(attempt, &numbers)?,
                None => self.forget_attempt(id)?,
            }
        }
        self.states(touched)?;
        self.classes(touched)?;
        self.tries(touched)?;
        self.forgiven(touched)
    }

    /// When the portal was first met, where that is not written yet.
    pub fn portal(&self) -> Result<(), LedgerError> {
        self.transaction.execute(
            "INSERT OR IGNORE INTO portal (address, met) VALUES (?1, ?2)",
            params![self.portal.as_str(), self.view.met().as_millis()],
        )?;
        Ok(())
    }

    fn folder(&self, folder: FolderId, book: &FolderBook) -> Result<i64, LedgerError> {
        let totals = &book.totals;
        Ok(self.transaction.query_row(
            "INSERT INTO folder (portal, id, name, unseen_since, accepted, refused, unknown, requeued, recovered,
                                 partial, none, inconclusive, files_recovered, files_refailed)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
             ON CONFLICT (portal, id) DO UPDATE SET
                 name = excluded.name, unseen_since = excluded.unseen_since, accepted = excluded.accepted,
                 refused = excluded.refused, unknown = excluded.unknown, requeued = excluded.requeued,
                 recovered = excluded.recovered, partial = excluded.partial, none = excluded.none,
                 inconclusive = excluded.inconclusive, files_recovered = excluded.files_recovered,
                 files_refailed = excluded.files_refailed
             RETURNING number",
            params![
                self.portal.as_str(),
                folder.to_string(),
                book.name.label(),
                book.unseen_since.map(Timestamp::as_millis),
                rows::stored(totals.accepted),
                rows::stored(totals.refused),
                rows::stored(totals.unknown),
                rows::stored(totals.requeued),
                rows::stored(totals.recovered),
                rows::stored(totals.partial),
                rows::stored(totals.none),
                rows::stored(totals.inconclusive),
                rows::stored(totals.files_recovered),
                rows::stored(totals.files_refailed),
            ],
            |row| row.get(0),
        )?)
    }

    fn forget_folder(&self, folder: FolderId) -> Result<(), LedgerError> {
        self.transaction.execute(
            "DELETE FROM folder WHERE portal = ?1 AND id = ?2",
            params![self.portal.as_str(), folder.to_string()],
        )?;
        Ok(())
    }

    fn attempt(
        &self,
        attempt: &Attempt,
        numbers: &HashMap<FolderId, i64>,
    ) -> Result<(), LedgerError> {
        let folder = numbers
            .get(&attempt.folder)
            .ok_or(LedgerError::Content("an attempt without its folder"))?;
        let row = AttemptRow::new(attempt);
        let values = std::iter::once(folder as &dyn rusqlite::ToSql).chain(row.values());
        // Not INSERT OR REPLACE: that would delete the row first, and with it the files of the attempt.
        self.transaction.execute(
            &format!(
                "INSERT INTO attempt (folder, {ATTEMPT_COLUMNS})
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
                 ON CONFLICT (id) DO UPDATE SET
                     intended = excluded.intended, outcome = excluded.outcome, answered = excluded.answered, updated = excluded.updated,
                     status = excluded.status, why = excluded.why, verdict = excluded.verdict,
                     judged = excluded.judged, file_states = excluded.file_states,
                     classes = excluded.classes, retry_after = excluded.retry_after"
            ),
            params_from_iter(values),
        )?;
        if attempt.watched().is_none() {
            self.transaction
                .execute("DELETE FROM sent WHERE attempt = ?1", [attempt.id.get()])?;
        }
        Ok(())
    }

    fn forget_attempt(&self, id: AttemptId) -> Result<(), LedgerError> {
        self.transaction
            .execute("DELETE FROM attempt WHERE id = ?1", [id.get()])?;
        Ok(())
    }

    fn states(&self, touched: &Touched) -> Result<(), LedgerError> {
        let mut keep = self.transaction.prepare(
            "INSERT OR REPLACE INTO sent (attempt, link, id, state, class, name) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for (id, key) in &touched.states {
            let watched = self.view.attempt(*id).and_then(|attempt| attempt.watched());
            if let Some(sent) = watched.and_then(|files| files.get(key)) {
                keep.execute(params![
                    id.get(),
                    key.link.to_be_bytes(),
                    key.id.to_be_bytes(),
                    sent.state.as_str(),
                    sent.class.as_ref().map(Class::as_str),
                    sent.name.as_deref(),
                ])?;
            }
        }
        Ok(())
    }

    fn classes(&self, touched: &Touched) -> Result<(), LedgerError> {
        for class in &touched.classes {
            let Some(totals) = self.view.classes().get(class) else {
                self.transaction.execute(
                    "DELETE FROM class WHERE portal = ?1 AND name = ?2",
                    params![self.portal.as_str(), class.as_str()],
                )?;
                continue;
            };
            self.transaction.execute(
                "INSERT OR REPLACE INTO class (portal, name, recovered, refailed) VALUES (?1, ?2, ?3, ?4)",
                params![
                    self.portal.as_str(),
                    class.as_str(),
                    rows::stored(totals.recovered),
                    rows::stored(totals.refailed),
                ],
            )?;
        }
        Ok(())
    }

    fn tries(&self, touched: &Touched) -> Result<(), LedgerError> {
        const FOLDER: &str = "(SELECT number FROM folder WHERE portal = ?1 AND id = ?2)";
        let mut keep = self.transaction.prepare(&format!(
            "INSERT OR REPLACE INTO tries (folder, link, id, attempts) VALUES ({FOLDER}, ?3, ?4, ?5)"
        ))?;
        let mut forget = self.transaction.prepare(&format!(
            "DELETE FROM tries WHERE folder = {FOLDER} AND link = ?3 AND id = ?4"
        ))?;
        for (folder, key) in &touched.tries {
            let portal = self.portal.as_str();
            let (link, file) = (key.link.to_be_bytes(), key.id.to_be_bytes());
            match self.view.tries(*folder, *key) {
                0 => forget.execute(params![portal, folder.to_string(), link, file])?,
                tries => keep.execute(params![portal, folder.to_string(), link, file, tries])?,
            };
        }
        Ok(())
    }

    fn forgiven(&self, touched: &Touched) -> Result<(), LedgerError> {
        if let Some((id, at)) = touched.forgiven {
            let now = Timestamp::from(SystemTime::now());
            self.transaction.execute(
                "UPDATE forgiven SET at = ?2, taken = ?3 WHERE id = ?1",
                [id, at.as_millis(), now.as_millis()],
            )?;
        }
        Ok(())
    }
}
