//! Writes what changed of the ledger to its tables.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::attempts::{Attempt, AttemptId, Book, FileState, Forgiven, Review, Verdict};
use crate::classify::Class;
use crate::model::{FileKey, FolderId, PortalAddress, Timestamp};
use crate::store::error::StoreError;
use crate::store::ledger::read::{RECOVERED, REFAILED, Results};
use crate::store::statement::{Connection, Statement, Value, insert};

/// What changed of the ledger.
#[derive(Default)]
pub(super) struct Changed {
    attempt: Option<(AttemptId, Step)>,
    /// Files of a folder whose number of attempts may have changed.
    tried: Option<(FolderId, Vec<FileKey>)>,
    /// Files of the attempt whose state may have changed.
    states: Vec<FileKey>,
    forgotten: Vec<AttemptId>,
    forgotten_folders: Vec<FolderId>,
    /// Classes whose counters may have gone.
    classes: Vec<Class>,
}

/// How far an attempt came.
#[derive(Clone, Copy)]
enum Step {
    Intended,
    Settled,
    Reviewed,
}

impl Changed {
    pub fn by_intent(after: &Book, id: AttemptId) -> Self {
        Self {
            attempt: Some((id, Step::Intended)),
            tried: tried(after, id),
            ..Self::default()
        }
    }

    /// `before`: without the outcome.
    pub fn by_outcome(before: &Book, id: AttemptId) -> Self {
        Self {
            attempt: Some((id, Step::Settled)),
            tried: tried(before, id),
            ..Self::default()
        }
    }

    /// `before`: without the review.
    pub fn by_review(before: &Book, id: AttemptId, review: &Review) -> Self {
        let changed: Vec<_> = review.changed.iter().map(|(key, _)| *key).collect();
        let tried = if review.verdict == Some(Verdict::Inconclusive) {
            tried(before, id)
        } else {
            let attempt = before.attempt(id);
            attempt.map(|attempt| (attempt.folder, changed.clone()))
        };
        Self {
            attempt: Some((id, Step::Reviewed)),
            tried,
            states: changed,
            ..Self::default()
        }
    }

    pub fn by_renewal(folder: FolderId, files: Vec<FileKey>) -> Self {
        Self {
            tried: Some((folder, files)),
            ..Self::default()
        }
    }

    pub fn by_tidying(
        forgotten: Vec<AttemptId>,
        forgotten_folders: Vec<FolderId>,
        classes: Vec<Class>,
    ) -> Self {
        Self {
            forgotten,
            forgotten_folders,
            classes,
            ..Self::default()
        }
    }

    /// Writes what changed, as it is afterwards.
    pub async fn write(
        &self,
        connection: &mut Connection,
        portal: &PortalAddress,
        after: &Book,
    ) -> Result<(), StoreError> {
        if let Some((id, step)) = self.attempt
            && let Some(attempt) = after.attempt(id)
        {
            self.write_attempt(connection, portal, attempt, step)
                .await?;
            let classes = attempt.classes.iter().map(|result| &result.class);
            let classes: BTreeSet<_> = classes.chain([&Class::Other]).collect();
            write_totals(connection, portal, after, [attempt.folder], &classes).await?;
        }
        if let Some((folder, files)) = &self.tried {
            write_tried(connection, portal, after, *folder, files).await?;
        }
        self.delete_forgotten(connection, portal, after).await
    }

    /// Each step is written once: a row that is already further refuses it.
    async fn write_attempt(
        &self,
        connection: &mut Connection,
        portal: &PortalAddress,
        attempt: &Attempt,
        step: Step,
    ) -> Result<(), StoreError> {
        let (of, guard) = match step {
            Step::Intended => {
                let row = row(portal, attempt)?;
                insert(connection, ATTEMPT, vec![row], "").await?;
                let sent = sent_rows(portal, attempt);
                return insert(connection, SENT, sent, "").await;
            }
            Step::Settled => (
                [
                    ("outcome", outcome(attempt)?),
                    ("answered", answered(attempt)),
                ],
                " AND outcome IS NULL",
            ),
            Step::Reviewed => (
                [("verdict", verdict(attempt)), ("judged", judged(attempt))],
                " AND is_open = 1",
            ),
        };
        let mut update = Statement::new("UPDATE attempt SET results = ").value(results(attempt)?);
        for (column, value) in of {
            update = update.text(&format!(", {column} = ")).value(value);
        }
        let update = update.text(", is_open = ").value(attempt.is_unjudged());
        let update = of_attempt(update, portal, attempt.id).text(guard);
        let rows = update.text(" RETURNING id").fetch(connection).await?;
        if rows.is_empty() {
            return Err(StoreError::Content(format!(
                "attempt {} is further than this process knows",
                attempt.id
            )));
        }
        if attempt.is_unjudged() {
            self.write_states(connection, portal, attempt).await
        } else {
            let delete = Statement::new("DELETE FROM sent WHERE portal = ").value(portal);
            let delete = delete.text(" AND attempt = ").value(attempt.id.get());
            delete.fetch(connection).await.map(drop)
        }
    }

    async fn write_states(
        &self,
        connection: &mut Connection,
        portal: &PortalAddress,
        attempt: &Attempt,
    ) -> Result<(), StoreError> {
        let watched = attempt.watched.as_ref();
        let state_of = |key: &FileKey| Some(watched?.get(key)?.state);
        for state in FileState::ALL {
            let files = self.states.iter();
            let files = files.filter(|key| state_of(key) == Some(state));
            let files: Vec<_> = files.copied().collect();
            for files in files.chunks(connection.max_parameters() - 3) {
                let update = Statement::new("UPDATE sent SET state = ").value(state.as_str());
                let update = update.text(" WHERE portal = ").value(portal);
                let update = update.text(" AND attempt = ").value(attempt.id.get());
                let update = update.text(" AND file IN (").list(files.iter().copied());
                update.text(")").fetch(connection).await?;
            }
        }
        Ok(())
    }

    async fn delete_forgotten(
        &self,
        connection: &mut Connection,
        portal: &PortalAddress,
        after: &Book,
    ) -> Result<(), StoreError> {
        let ids = self.forgotten.iter().map(|id| Value::from(id.get()));
        delete(connection, portal, "attempt", "id", ids.collect()).await?;
        let folders: Vec<Value> = self
            .forgotten_folders
            .iter()
            .map(|id| (*id).into())
            .collect();
        delete(connection, portal, "tried", "folder", folders.clone()).await?;
        delete(connection, portal, "total", "folder", folders).await?;
        let gone = self.classes.iter();
        let gone = gone.filter(|class| !after.classes().contains_key(class));
        let gone =
            gone.flat_map(|class| [RECOVERED, REFAILED].map(|name| format!("{name}{class}")));
        delete(
            connection,
            portal,
            "total",
            "what",
            gone.map(Value::from).collect(),
        )
        .await
    }
}

/// The folder of an attempt, and the files that it sent, while it waits for its verdict.
fn tried(book: &Book, id: AttemptId) -> Option<(FolderId, Vec<FileKey>)> {
    let attempt = book.attempt(id)?;
    let files = attempt.watched.as_ref()?;
    Some((attempt.folder, files.keys().copied().collect()))
}

const ATTEMPT: &str = "attempt (portal, id, entry, folder, name, is_trial, intended, files, \
     outcome, answered, verdict, judged, results, is_open)";

const SENT: &str = "sent (portal, attempt, file, class, name, state)";

fn row(portal: &PortalAddress, attempt: &Attempt) -> Result<[Value; 14], StoreError> {
    Ok([
        portal.into(),
        attempt.id.get().into(),
        attempt.portal.as_str().into(),
        attempt.folder.into(),
        attempt.name.label().into(),
        attempt.is_trial.into(),
        attempt.intended.as_millis().into(),
        i64::try_from(attempt.files).unwrap_or(i64::MAX).into(),
        outcome(attempt)?,
        answered(attempt),
        verdict(attempt),
        judged(attempt),
        results(attempt)?.into(),
        attempt.is_unjudged().into(),
    ])
}

fn outcome(attempt: &Attempt) -> Result<Value, StoreError> {
    let outcome = attempt
        .outcome
        .map(|(_, outcome)| serde_json::to_string(&outcome));
    Ok(outcome.transpose()?.into())
}

fn answered(attempt: &Attempt) -> Value {
    attempt.outcome.map(|(at, _)| at.as_millis()).into()
}

fn verdict(attempt: &Attempt) -> Value {
    let verdict = attempt.judged.map(|judged| judged.verdict.as_str());
    verdict.map(ToOwned::to_owned).into()
}

fn judged(attempt: &Attempt) -> Value {
    attempt.judged.map(|judged| judged.at.as_millis()).into()
}

fn results(attempt: &Attempt) -> Result<String, StoreError> {
    let results = Results {
        classes: attempt.classes.clone(),
        files: attempt.judged.map(|judged| judged.files),
    };
    Ok(serde_json::to_string(&results)?)
}

fn sent_rows(portal: &PortalAddress, attempt: &Attempt) -> Vec<[Value; 6]> {
    let files = attempt.watched.iter().flat_map(|files| files.iter());
    let row = |(key, file): (&FileKey, &crate::attempts::SentFile)| {
        [
            portal.into(),
            attempt.id.get().into(),
            (*key).into(),
            file.class.as_str().into(),
            file.name.as_deref().map(ToOwned::to_owned).into(),
            file.state.as_str().into(),
        ]
    };
    files.map(row).collect()
}

fn of_attempt(statement: Statement, portal: &PortalAddress, id: AttemptId) -> Statement {
    let statement = statement.text(" WHERE portal = ").value(portal);
    statement.text(" AND id = ").value(id.get())
}

/// Writes the counters of folders and of classes.
async fn write_totals(
    connection: &mut Connection,
    portal: &PortalAddress,
    book: &Book,
    folders: impl IntoIterator<Item = FolderId>,
    classes: &BTreeSet<&Class>,
) -> Result<(), StoreError> {
    let mut rows: Vec<[Value; 4]> = Vec::new();
    let number = |n: u64| Value::from(i64::try_from(n).unwrap_or(i64::MAX));
    for folder in folders {
        if let Json::Object(counters) = serde_json::to_value(book.totals(folder))? {
            for (what, n) in counters {
                let n = number(n.as_u64().unwrap_or(0));
                rows.push([portal.into(), folder.into(), what.into(), n]);
            }
        }
    }
    for class in classes {
        if let Some(totals) = book.classes().get(class) {
            for (name, n) in [(RECOVERED, totals.recovered), (REFAILED, totals.refailed)] {
                let what = format!("{name}{class}");
                rows.push([portal.into(), "".into(), what.into(), number(n)]);
            }
        }
    }
    let into = "total (portal, folder, what, n)";
    let ending = " ON CONFLICT (portal, folder, what) DO UPDATE SET n = excluded.n";
    insert(connection, into, rows, ending).await
}

/// Writes how often files were sent.
async fn write_tried(
    connection: &mut Connection,
    portal: &PortalAddress,
    book: &Book,
    folder: FolderId,
    files: &[FileKey],
) -> Result<(), StoreError> {
    let (tried, anew): (Vec<_>, Vec<_>) = files
        .iter()
        .map(|key| (*key, book.file_attempts(folder, *key)))
        .partition(|(_, n)| *n > 0);
    for anew in anew.chunks(connection.max_parameters() - 2) {
        let delete = Statement::new("DELETE FROM tried WHERE portal = ").value(portal);
        let delete = delete.text(" AND folder = ").value(folder);
        let keys = anew.iter().map(|(key, _)| *key);
        let delete = delete.text(" AND file IN (").list(keys).text(")");
        delete.fetch(connection).await?;
    }
    let rows = tried.into_iter().map(|(key, n)| {
        [
            portal.into(),
            folder.into(),
            key.into(),
            i64::from(n).into(),
        ]
    });
    let into = "tried (portal, folder, file, n)";
    let ending = " ON CONFLICT (portal, folder, file) DO UPDATE SET n = excluded.n";
    insert(connection, into, rows.collect(), ending).await
}

/// Deletes the rows of a portal in which a column has one of these values.
async fn delete(
    connection: &mut Connection,
    portal: &PortalAddress,
    table: &str,
    column: &str,
    values: Vec<Value>,
) -> Result<(), StoreError> {
    for values in values.chunks(connection.max_parameters() - 1) {
        let delete = Statement::new(&format!("DELETE FROM {table} WHERE portal = "));
        let delete = delete.value(portal).text(&format!(" AND {column} IN ("));
        let delete = delete.list(values.iter().cloned()).text(")");
        delete.fetch(connection).await?;
    }
    Ok(())
}

/// Writes all that is known to a database that lost something. What it has of attempts that are not known stays, and counts for limits.
pub(super) async fn write_back(
    connection: &mut Connection,
    portal: &PortalAddress,
    book: &Book,
) -> Result<(), StoreError> {
    let close = Statement::new("UPDATE attempt SET is_open = 0 WHERE portal = ").value(portal);
    close.fetch(connection).await?;
    for table in ["sent", "tried"] {
        let delete = Statement::new(&format!("DELETE FROM {table} WHERE portal = "));
        delete.value(portal).fetch(connection).await?;
    }
    let attempts: Vec<_> = book.track().iter().collect();
    let rows = attempts.iter().map(|attempt| row(portal, attempt));
    let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
    let newer = " ON CONFLICT (portal, id) DO UPDATE SET outcome = excluded.outcome, answered = excluded.answered, verdict = excluded.verdict,
                 judged = excluded.judged, results = excluded.results, is_open = excluded.is_open";
    insert(connection, ATTEMPT, rows, newer).await?;
    let sent = attempts
        .iter()
        .flat_map(|attempt| sent_rows(portal, attempt));
    insert(connection, SENT, sent.collect(), "").await?;
    let classes = book.classes().keys().collect();
    let folders = book.folders().map(|(id, _)| id);
    write_totals(connection, portal, book, folders, &classes).await?;
    for (id, folder) in book.folders() {
        let files: Vec<_> = folder.file_attempts.keys().copied().collect();
        write_tried(connection, portal, book, id, &files).await?;
    }
    let forgiven = book.track().forgiven();
    let forgiven =
        forgiven.map(|(what, until)| [portal.into(), what.to_string().into(), until.get().into()]);
    let into = "forgiven (portal, what, until)";
    let newer = " ON CONFLICT (portal, what) DO UPDATE SET until = excluded.until WHERE forgiven.until < excluded.until";
    insert(connection, into, forgiven.collect(), newer).await
}

/// Limits may have ended early before a time.
pub(super) async fn doubt(
    connection: &mut Connection,
    portal: &PortalAddress,
    at: Timestamp,
) -> Result<(), StoreError> {
    let update = Statement::new("UPDATE lease SET doubted = ").value(at.as_millis());
    let update = update.text(" WHERE portal = ").value(portal);
    update.fetch(connection).await.map(drop)
}

/// Counts the attempts of the files of forgiven folders from 0 again.
pub(in crate::store) async fn forget_tried(
    connection: &mut Connection,
    portal: &PortalAddress,
    forgiven: &[(Forgiven, AttemptId)],
) -> Result<(), StoreError> {
    for (what, _) in forgiven {
        let delete = Statement::new("DELETE FROM tried WHERE portal = ").value(portal);
        let delete = match what {
            Forgiven::Everything => delete,
            Forgiven::Folder(id) => delete.text(" AND folder = ").value(*id),
            Forgiven::Class(_) => continue,
        };
        delete.fetch(connection).await?;
    }
    Ok(())
}
