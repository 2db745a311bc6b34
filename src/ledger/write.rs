//! From views to the tables: what differs between two views of a portal.

use rusqlite::types::Value;

use crate::ledger::attempt::Attempt;
use crate::ledger::error::LedgerError;
use crate::ledger::folder::FolderLedger;
use crate::ledger::tables::{
    ClassRow, FolderRow, PortalRow, SentRow, TriesRow, VersionRow, attempt_rows,
};
use crate::ledger::view::LedgerView;
use crate::model::{FileMap, FolderId, PortalAddress};
use crate::sql::{Record, Transaction, to_value, upsert};

/// Writes to the tables of a portal.
pub(super) struct Writing<'a> {
    pub transaction: &'a mut dyn Transaction,
    pub portal: &'a PortalAddress,
    pub version: VersionRow,
}

impl Writing<'_> {
    /// Writes what differs, and the portal. Notes in `after` if something was removed.
    pub fn difference(
        &mut self,
        before: &LedgerView,
        after: &mut LedgerView,
    ) -> Result<(), LedgerError> {
        let mut removed = false;
        for (id, folder) in changed(&before.folders, &after.folders, |all, id| all.get(id)) {
            let before = before.folder(*id);
            match folder {
                Some(folder) => self.folder(*id, before, folder)?,
                None => removed |= self.remove("folder", "id", to_value(id)?)?,
            }
        }
        let [known, attempts] = [&before.track.attempts, &after.track.attempts];
        for (id, attempt) in changed(known, attempts, |all, id| all.get(id)) {
            if let Some(attempt) = attempt {
                self.attempt(known.get(id).map(AsRef::as_ref), attempt)?;
            } else {
                let query = "DELETE FROM attempt WHERE id = $1";
                self.transaction
                    .execute(query, &[Value::Integer(id.get())])?;
                removed = true;
            }
        }
        for (name, totals) in changed(&before.classes, &after.classes, |all, name| all.get(name)) {
            let Some(totals) = totals else {
                removed |= self.remove("class", "name", to_value(name)?)?;
                continue;
            };
            let class = ClassRow {
                portal: self.portal.clone(),
                name: name.clone(),
            };
            let row = ((class, *totals), self.version);
            upsert(self.transaction, "class", &["portal", "name"], [row])?;
        }
        after.version = self.version.version;
        if removed {
            after.removed = after.version;
        }
        let portal = PortalRow::new(self.portal, after);
        Ok(upsert(self.transaction, "portal", &["address"], [portal])?)
    }

    fn remove(&mut self, table: &str, column: &str, value: Value) -> Result<bool, LedgerError> {
        let query = format!("DELETE FROM {table} WHERE portal = $1 AND {column} = $2");
        let key = [to_value(self.portal)?, value];
        self.transaction.execute(&query, &key)?;
        Ok(true)
    }

    fn folder(
        &mut self,
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
        let row = ((row, after.totals), self.version);
        upsert(self.transaction, "folder", &["portal", "id"], [row])?;
        let folder = self.number(id)?;
        let none = FileMap::default();
        let before = before.map_or(&none, |before| &before.file_attempts);
        let mut rows = Vec::new();
        for (key, attempts) in changed(before, &after.file_attempts, |all, key| all.get(key)) {
            if let Some(attempts) = attempts.copied() {
                rows.push((*key, TriesRow { folder, attempts }));
            } else {
                let query = "DELETE FROM tries WHERE folder = $1 AND link = $2 AND id = $3";
                let mut values = vec![Value::Integer(folder)];
                values.extend(key.values()?);
                self.transaction.execute(query, &values)?;
            }
        }
        let key = ["folder", "link", "id"];
        Ok(upsert(self.transaction, "tries", &key, rows)?)
    }

    /// The number of a folder in its table.
    fn number(&mut self, id: FolderId) -> Result<i64, LedgerError> {
        let query = "SELECT number FROM folder WHERE portal = $1 AND id = $2";
        let key = [to_value(self.portal)?, to_value(&id)?];
        let rows = self.transaction.query(query, &key)?;
        let missing = || LedgerError::content("an attempt without its folder");
        Ok(rows.first().ok_or_else(missing)?.get("number")?)
    }

    fn attempt(&mut self, before: Option<&Attempt>, after: &Attempt) -> Result<(), LedgerError> {
        let row = attempt_rows(after, self.number(after.folder)?);
        upsert(self.transaction, "attempt", &["id"], [(row, self.version)])?;
        let attempt = after.id.get();
        let Some(files) = &after.watched else {
            let query = "DELETE FROM sent WHERE attempt = $1";
            self.transaction
                .execute(query, &[Value::Integer(attempt)])?;
            return Ok(());
        };
        let none = FileMap::default();
        let before = before.and_then(|before| before.watched.as_ref());
        let before = before.map_or(&none, AsRef::as_ref);
        let sent = changed(before, files.as_ref(), |all, key| all.get(key)).into_iter();
        let rows =
            sent.filter_map(|(key, file)| Some((SentRow { attempt }, (*key, file?.clone()))));
        let key = ["attempt", "link", "id"];
        Ok(upsert(self.transaction, "sent", &key, rows)?)
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
