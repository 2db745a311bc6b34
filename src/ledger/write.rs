//! From views to the tables: what differs between two views of a portal.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::ledger::attempt::Attempt;
use crate::ledger::error::LedgerError;
use crate::ledger::folder::FolderLedger;
use crate::ledger::tables::{AttemptRow, ClassRow, FolderRow, PortalRow, SentRow, TriesRow};
use crate::ledger::view::LedgerView;
use crate::model::{FileMap, FolderId, PortalAddress};
use crate::sqlite::upsert;

/// Writes to the tables of a portal.
pub(super) struct Writing<'a> {
    pub transaction: &'a Transaction<'a>,
    pub portal: &'a PortalAddress,
}

impl Writing<'_> {
    /// Writes what differs, and the portal, where the disk refused that before.
    pub fn difference(&self, before: &LedgerView, after: &LedgerView) -> Result<(), LedgerError> {
        let portal = PortalRow {
            address: self.portal.clone(),
            met: after.met(),
        };
        upsert(self.transaction, "portal", &["address"], [portal])?;
        for (id, folder) in changed(&before.folders, &after.folders, |all, id| all.get(id)) {
            let before = before.folder(*id);
            match folder {
                Some(folder) => self.folder(*id, before, folder)?,
                None => self.remove("folder", "id", id)?,
            }
        }
        for (before, after) in before.tracks.iter().zip(&after.tracks) {
            let changed = changed(&before.attempts, &after.attempts, |all, id| all.get(id));
            for (id, attempt) in changed {
                if let Some(attempt) = attempt {
                    self.attempt(before.get(*id).map(AsRef::as_ref), attempt)?;
                } else {
                    let query = "DELETE FROM attempt WHERE id = ?1";
                    self.transaction.execute(query, [id.get()])?;
                }
            }
        }
        for (name, totals) in changed(&before.classes, &after.classes, |all, name| all.get(name)) {
            let Some(totals) = totals else {
                self.remove("class", "name", name)?;
                continue;
            };
            let class = ClassRow {
                portal: self.portal.clone(),
                name: name.clone(),
            };
            let row = (class, *totals);
            upsert(self.transaction, "class", &["portal", "name"], [row])?;
        }
        Ok(())
    }

    fn remove(
        &self,
        table: &str,
        column: &str,
        value: &dyn rusqlite::ToSql,
    ) -> Result<(), LedgerError> {
        let query = format!("DELETE FROM {table} WHERE portal = ?1 AND {column} = ?2");
        self.transaction
            .execute(&query, params![self.portal, value])?;
        Ok(())
    }

    fn folder(
        &self,
        id: FolderId,
        before: Option<&FolderLedger>,
        after: &FolderLedger,
    ) -> Result<(), LedgerError> {
        let row = FolderRow {
            portal: self.portal.clone(),
            id,
            name: after.name.clone(),
            unseen_since: after.unseen_since,
        };
        let row = (row, after.totals);
        upsert(self.transaction, "folder", &["portal", "id"], [row])?;
        let folder = self.number(id)?;
        let none = FileMap::default();
        let before = before.map_or(&none, |before| &before.file_attempts);
        let mut rows = Vec::new();
        let query = "DELETE FROM tries WHERE folder = ?1 AND link = ?2 AND id = ?3";
        let mut delete = self.transaction.prepare(query)?;
        for (key, attempts) in changed(before, &after.file_attempts, |all, key| all.get(key)) {
            if let Some(attempts) = attempts.copied() {
                rows.push((*key, TriesRow { folder, attempts }));
            } else {
                let (link, id) = (key.link.to_be_bytes(), key.id.to_be_bytes());
                delete.execute(params![folder, link, id])?;
            }
        }
        upsert(self.transaction, "tries", &["folder", "link", "id"], rows)?;
        Ok(())
    }

    /// The number of a folder in its table.
    fn number(&self, id: FolderId) -> Result<i64, LedgerError> {
        let query = "SELECT number FROM folder WHERE portal = ?1 AND id = ?2";
        let number = self
            .transaction
            .query_row(query, params![self.portal, id], |row| row.get(0));
        number
            .optional()?
            .ok_or(LedgerError::content("an attempt without its folder"))
    }

    fn attempt(&self, before: Option<&Attempt>, after: &Attempt) -> Result<(), LedgerError> {
        let row = AttemptRow::new(after, self.number(after.folder)?);
        upsert(self.transaction, "attempt", &["id"], [row])?;
        let attempt = after.id.get();
        let Some(files) = &after.watched else {
            self.transaction
                .execute("DELETE FROM sent WHERE attempt = ?1", [attempt])?;
            return Ok(());
        };
        let none = FileMap::default();
        let before = before.and_then(|before| before.watched.as_ref());
        let before = before.map_or(&none, AsRef::as_ref);
        let sent = changed(before, files.as_ref(), |all, key| all.get(key)).into_iter();
        let rows =
            sent.filter_map(|(key, file)| Some((SentRow { attempt }, (*key, file?.clone()))));
        upsert(self.transaction, "sent", &["attempt", "link", "id"], rows)?;
        Ok(())
    }
}

/// What differs between two maps: each key with its new value; `None` where the key is gone.
fn changed<'a, M, K: 'a, V: PartialEq + 'a>(
    before: &'a M,
    after: &'a M,
    get: impl Fn(&'a M, &K) -> Option<&'a V>,
) -> Vec<(&'a K, Option<&'a V>)>
where
    &'a M: IntoIterator<Item = (&'a K, &'a V)>,
{
    let is_new = |(key, value): &(&K, &V)| get(before, key) != Some(*value);
    let new = after.into_iter().filter(is_new);
    let is_gone = |(key, _): &(&K, &V)| get(after, key).is_none();
    let gone = before.into_iter().filter(is_gone);
    let new = new.map(|(key, value)| (key, Some(value)));
    new.chain(gone.map(|(key, _)| (key, None))).collect()
}
