//! Writes changes to the tables of the state: one statement for each table, however many folders there are.

use std::collections::{BTreeSet, HashMap, HashSet};

use sqlx::AnyConnection;

use super::read::{self, folder_id};
use super::{Answer, Changes, FileChanges, FolderChange};
use crate::model::{FileKey, FolderId, PortalAddress, Timestamp};
use crate::store::error::StoreError;
use crate::store::statement::{Revision, Statement, Value, is_file, max_parameters};

/// Writes changes, except those of folders that another process wrote, or that are to be written as a whole.
pub(super) async fn write(
    connection: &mut AnyConnection,
    portal: &PortalAddress,
    changes: &Changes,
    now: Timestamp,
) -> Result<Vec<(FolderId, Answer)>, StoreError> {
    let lock = if is_file(connection) {
        ""
    } else {
        " FOR UPDATE"
    };
    let mut tables = Tables {
        connection,
        portal,
        now,
        lock,
    };
    tables.forget(&changes.forgotten).await?;
    if let Some((watched, before)) = &changes.unwatched {
        tables.forget_unwatched(watched, *before).await?;
    }
    let answers = tables.write_folders(&changes.folders).await?;
    if changes.changes_portal() {
        tables.write_portal(changes).await?;
    }
    Ok(answers)
}

/// The tables as one transaction writes them.
struct Tables<'a> {
    connection: &'a mut AnyConnection,
    portal: &'a PortalAddress,
    now: Timestamp,
    /// What locks the rows that a query finds.
    lock: &'static str,
}

/// What becomes of the change of a folder.
enum Decision {
    /// The row that is there, if there is one, has this revision.
    Write(Revision),
    Older,
    Newer,
}

impl Tables<'_> {
    async fn write_folders(
        &mut self,
        changes: &[FolderChange],
    ) -> Result<Vec<(FolderId, Answer)>, StoreError> {
        // All processes lock rows in one order, so that none waits for one that waits for it.
        let mut changes: Vec<_> = changes.iter().collect();
        changes.sort_by_key(|change| change.id.to_string());
        let there = self.revisions(&changes).await?;
        let (mut writes, mut answers, mut newer) = (Vec::new(), Vec::new(), Vec::new());
        for change in changes {
            match decide(change, there.get(&change.id).copied()) {
                Decision::Write(revision) => writes.push((change, revision)),
                Decision::Older => answers.push((change.id, Answer::Older)),
                Decision::Newer => newer.push(change.id),
            }
        }
        let written = self.upsert_folders(&writes).await?;
        // Another process made the row meanwhile.
        let lost = writes.extract_if(.., |(change, _)| !written.contains(&change.id));
        newer.extend(lost.map(|(change, _)| change.id));
        self.write_files(&writes, &there).await?;
        let newer = read::folders(self.connection, self.portal, &newer).await?;
        let newer = newer.into_iter();
        answers.extend(newer.map(|(id, stored)| (id, Answer::Newer(Box::new(stored)))));
        let writes = writes.into_iter();
        answers.extend(writes.map(|(change, revision)| (change.id, Answer::Written(revision))));
        Ok(answers)
    }

    /// Locks the rows of folders.
    async fn revisions(
        &mut self,
        changes: &[&FolderChange],
    ) -> Result<HashMap<FolderId, Revision>, StoreError> {
        let mut revisions = HashMap::with_capacity(changes.len());
        for changes in changes.chunks(max_parameters(self.connection) - 1) {
            let ids = changes.iter().map(|change| change.id.to_string());
            let statement = Statement::new("SELECT folder, number, token FROM folder")
                .where_folder_in(self.portal, ids)
                .text(" ORDER BY folder")
                .text(self.lock);
            for row in statement.fetch(self.connection).await? {
                revisions.insert(folder_id(&row)?, Revision::of(&row)?);
            }
        }
        Ok(revisions)
    }

    /// Returns the folders that were written: all but those whose row another process made meanwhile.
    async fn upsert_folders(
        &mut self,
        writes: &[(&FolderChange, Revision)],
    ) -> Result<HashSet<FolderId>, StoreError> {
        let now = self.now.as_millis();
        let mut written = HashSet::with_capacity(writes.len());
        for writes in writes.chunks(max_parameters(self.connection) / 6) {
            let rows = writes.iter().map(|(change, revision)| {
                Ok([
                    self.portal.as_str().into(),
                    change.id.to_string().into(),
                    revision.number.into(),
                    revision.token.into(),
                    now.into(),
                    serde_json::to_string(&change.document)?.into(),
                ])
            });
            let rows: Vec<[Value; 6]> = rows.collect::<Result<_, StoreError>>()?;
            let statement = Statement::new("INSERT INTO folder (portal, folder, number, token, written, document) VALUES ")
                .rows(rows)
                .text(
                    " ON CONFLICT (portal, folder) DO UPDATE SET number = excluded.number, token = excluded.token,
                      written = excluded.written, document = excluded.document
                      WHERE folder.number < excluded.number RETURNING folder",
                );
            for row in statement.fetch(self.connection).await? {
                written.insert(folder_id(&row)?);
            }
        }
        Ok(written)
    }

    async fn write_files(
        &mut self,
        writes: &[(&FolderChange, Revision)],
        there: &HashMap<FolderId, Revision>,
    ) -> Result<(), StoreError> {
        let (mut whole, mut forgotten, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for (
            FolderChange {
                id, files: changes, ..
            },
            _,
        ) in writes
        {
            let (changed, gone): (_, &[FileKey]) = match changes {
                FileChanges::Some { changed, forgotten } => (changed, forgotten),
                FileChanges::All(files) => (files, &[]),
            };
            if matches!(changes, FileChanges::All(_)) && there.contains_key(id) {
                whole.push(id.to_string());
            }
            forgotten.extend(
                gone.iter()
                    .map(|key| [id.to_string().into(), key.to_string().into()]),
            );
            for (key, file) in changed {
                let document = serde_json::to_string(file)?;
                files.push([id.to_string(), key.to_string(), document]);
            }
        }
        self.delete_where_folder_in("file", &whole).await?;
        for keys in forgotten.chunks(max_parameters(self.connection) / 2 - 1) {
            let statement = Statement::new("DELETE FROM file WHERE portal = ")
                .value(self.portal.as_str())
                .text(" AND (folder, file) IN (VALUES ")
                .rows(keys.iter().cloned())
                .text(")");
            statement.fetch(self.connection).await?;
        }
        for files in files.chunks(max_parameters(self.connection) / 4) {
            let portal = self.portal.as_str();
            let rows = files
                .iter()
                .map(|[folder, file, document]| [portal, folder, file, document].map(Value::from));
            let statement = Statement::new(
                "INSERT INTO file (portal, folder, file, document) VALUES ",
            )
            .rows(rows)
            .text(" ON CONFLICT (portal, folder, file) DO UPDATE SET document = excluded.document");
            statement.fetch(self.connection).await?;
        }
        Ok(())
    }

    async fn write_portal(&mut self, changes: &Changes) -> Result<(), StoreError> {
        let document = read::document(self.connection, self.portal, self.lock).await?;
        let mut document = document.unwrap_or_default();
        document.last_success = document.last_success.max(changes.last_success);
        if let Some(refutation) = &changes.refutation {
            document.refutation.clone_from(refutation);
        }
        if let Some(failing_since) = changes.failing_since {
            document.failing_since = failing_since;
        }
        let row = [
            self.portal.as_str().into(),
            serde_json::to_string(&document)?.into(),
        ];
        let statement = Statement::new("INSERT INTO portal (portal, document) VALUES ")
            .rows([row])
            .text(" ON CONFLICT (portal) DO UPDATE SET document = excluded.document");
        statement.fetch(self.connection).await.map(drop)
    }

    async fn forget(&mut self, folders: &[FolderId]) -> Result<(), StoreError> {
        let ids: BTreeSet<_> = folders.iter().map(ToString::to_string).collect();
        let ids = Vec::from_iter(ids);
        self.delete_where_folder_in("folder", &ids).await?;
        self.delete_where_folder_in("file", &ids).await
    }

    async fn delete_where_folder_in(
        &mut self,
        table: &str,
        ids: &[String],
    ) -> Result<(), StoreError> {
        for ids in ids.chunks(max_parameters(self.connection) - 1) {
            let statement = Statement::new(&format!("DELETE FROM {table}"))
                .where_folder_in(self.portal, ids.iter().map(String::as_str));
            statement.fetch(self.connection).await?;
        }
        Ok(())
    }

    /// Deletes the folders of all portals but these that nobody wrote since a time.
    async fn forget_unwatched(
        &mut self,
        watched: &[PortalAddress],
        before: Timestamp,
    ) -> Result<(), StoreError> {
        let others = |statement: Statement| {
            let watched = watched.iter().map(PortalAddress::as_str).chain([""]);
            statement
                .text(" AND portal NOT IN (")
                .list(watched)
                .text(")")
        };
        let old = Statement::new("DELETE FROM folder WHERE written < ").value(before.as_millis());
        others(old).fetch(self.connection).await?;
        let orphans = Statement::new(
            "DELETE FROM file WHERE NOT EXISTS (SELECT 1 FROM folder
             WHERE folder.portal = file.portal AND folder.folder = file.folder)",
        );
        others(orphans).fetch(self.connection).await.map(drop)
    }
}

fn decide(change: &FolderChange, there: Option<Revision>) -> Decision {
    let is_older = there.map(|there| there.number) < change.known.map(|known| known.number);
    if there == change.known || (is_older && matches!(change.files, FileChanges::All(_))) {
        Decision::Write(Revision::after(change.known))
    } else if is_older {
        Decision::Older
    } else {
        Decision::Newer
    }
}
