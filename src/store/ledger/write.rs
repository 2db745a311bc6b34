//! Writes what changed of the ledger to its tables.

use std::sync::Arc;

use crate::attempts::{Attempt, AttemptId, Book, Forgiven};
use crate::model::{PortalAddress, Timestamp};
use crate::store::error::StoreError;
use crate::store::ledger::read::{CLASSES, Results};
use crate::store::packed::pack;
use crate::store::statement::{Connection, Value, values};

const ATTEMPT: &str = "attempt (portal, id, entry, folder, name, is_trial, intended, files, \
     results, outcome, answered, verdict, judged, watched)";

/// Writes what of a book differs from the one before it.
pub(super) async fn write(
    connection: &mut Connection,
    portal: &PortalAddress,
    before: &Book,
    after: &Book,
) -> Result<(), StoreError> {
    let mut new = Vec::new();
    for attempt in after.track().iter() {
        match before.attempt(attempt.id) {
            None => new.push(row(portal, attempt)?),
            Some(known) if Arc::ptr_eq(known, attempt) => {}
            Some(known) => update(connection, portal, known, attempt).await?,
        }
    }
    connection.insert(ATTEMPT, new, "").await?;
    let gone = before.track().iter().map(|attempt| attempt.id);
    let gone = gone.filter(|id| after.attempt(*id).is_none());
    let gone = gone.map(|id| id.get().into()).collect();
    connection
        .delete_rows("attempt", &portal.into(), "id", gone)
        .await?;
    write_folders(connection, portal, before, after).await
}

/// Each step is written once: a row that is not as it is known refuses it.
async fn update(
    connection: &mut Connection,
    portal: &PortalAddress,
    known: &Attempt,
    attempt: &Attempt,
) -> Result<(), StoreError> {
    let update = "UPDATE attempt SET results = $1, outcome = $2, answered = $3, verdict = $4, judged = $5, watched = $6
                  WHERE portal = $7 AND id = $8 AND watched IS NOT NULL AND coalesce(outcome, '') = $9 RETURNING id";
    let mut values = Vec::from(progress(attempt)?);
    let known = outcome(known)?.unwrap_or_default();
    values.extend(values![portal, attempt.id.get(), known]);
    if connection.query(update, values).await?.is_empty() {
        let further = format!("attempt {} is further than is known", attempt.id);
        return Err(StoreError::Content(further));
    }
    Ok(())
}

fn row(portal: &PortalAddress, attempt: &Attempt) -> Result<[Value; 14], StoreError> {
    let [results, outcome, answered, verdict, judged, watched] = progress(attempt)?;
    Ok([
        portal.into(),
        attempt.id.get().into(),
        attempt.portal.as_str().into(),
        attempt.folder.into(),
        attempt.name.label().into(),
        attempt.is_trial.into(),
        attempt.intended.as_millis().into(),
        i64::try_from(attempt.files).unwrap_or(i64::MAX).into(),
        results,
        outcome,
        answered,
        verdict,
        judged,
        watched,
    ])
}

/// What changes of an attempt.
fn progress(attempt: &Attempt) -> Result<[Value; 6], StoreError> {
    let judged = attempt.judged;
    let results = Results {
        classes: attempt.classes.clone(),
        files: judged.map(|judged| judged.files),
    };
    let verdict = judged.map(|judged| judged.verdict.as_str().to_owned());
    let watched = attempt.watched.as_ref();
    Ok([
        serde_json::to_string(&results)?.into(),
        outcome(attempt)?.into(),
        attempt.outcome.map(|(at, _)| at.as_millis()).into(),
        verdict.into(),
        judged.map(|judged| judged.at.as_millis()).into(),
        watched.map(|files| pack(&**files)).transpose()?.into(),
    ])
}

fn outcome(attempt: &Attempt) -> Result<Option<String>, StoreError> {
    let outcome = attempt.outcome.map(|(_, outcome)| outcome);
    let outcome = outcome.map(|outcome| serde_json::to_string(&outcome));
    Ok(outcome.transpose()?)
}

/// Writes the counters of folders and of classes, and how often files were sent.
async fn write_folders(
    connection: &mut Connection,
    portal: &PortalAddress,
    before: &Book,
    after: &Book,
) -> Result<(), StoreError> {
    let mut rows: Vec<[Value; 4]> = Vec::new();
    for (id, folder) in &after.folders {
        let known = before.folders.get(id);
        if known.is_some_and(|known| Arc::ptr_eq(known, folder)) {
            continue;
        }
        let totals = serde_json::to_string(&folder.totals)?;
        let tried = Some(&folder.file_attempts).filter(|files| !files.is_empty());
        let tried = tried.map(pack).transpose()?;
        rows.push([portal.into(), (*id).into(), totals.into(), tried.into()]);
    }
    if before.classes() != after.classes() {
        let totals = serde_json::to_string(after.classes())?;
        let tried = Value::Bytes(None);
        rows.push([portal.into(), CLASSES.into(), totals.into(), tried]);
    }
    let ending = "ON CONFLICT (portal, folder) DO UPDATE SET totals = excluded.totals, tried = excluded.tried";
    let into = "reindexed (portal, folder, totals, tried)";
    connection.insert(into, rows, ending).await?;
    let gone = before.folders.keys();
    let gone = gone.filter(|id| !after.folders.contains_key(id));
    let gone = gone.map(|id| (*id).into()).collect();
    connection
        .delete_rows("reindexed", &portal.into(), "folder", gone)
        .await
}

/// Writes all that is known to a database that lost something. What it has of attempts that are not known stays, and counts for limits.
pub(super) async fn write_back(
    connection: &mut Connection,
    portal: &PortalAddress,
    book: &Book,
) -> Result<(), StoreError> {
    let known = book.track().iter().map(|attempt| attempt.id.get().into());
    connection
        .delete_rows("attempt", &portal.into(), "id", known.collect())
        .await?;
    for statement in [
        "UPDATE attempt SET watched = NULL WHERE portal = $1",
        "DELETE FROM reindexed WHERE portal = $1",
    ] {
        connection.query(statement, values![portal]).await?;
    }
    write(connection, portal, &Book::default(), book).await?;
    let forgiven = book.track().forgiven();
    let forgiven =
        forgiven.map(|(what, until)| [portal.into(), what.to_string().into(), until.get().into()]);
    let into = "forgiven (portal, what, until)";
    let newer = "ON CONFLICT (portal, what) DO UPDATE SET until = excluded.until WHERE forgiven.until < excluded.until";
    connection.insert(into, forgiven.collect(), newer).await
}

/// Limits may have ended early before a time.
pub(super) async fn doubt(
    connection: &mut Connection,
    portal: &PortalAddress,
    at: Timestamp,
) -> Result<(), StoreError> {
    let update = "UPDATE lease SET doubted = $1 WHERE portal = $2";
    let values = values![at.as_millis(), portal];
    connection.query(update, values).await.map(drop)
}

/// Counts the attempts of the files of forgiven folders from 0 again.
pub(in crate::store) async fn forget_tried(
    connection: &mut Connection,
    portal: &PortalAddress,
    forgiven: &[(Forgiven, AttemptId)],
) -> Result<(), StoreError> {
    let all = "UPDATE reindexed SET tried = NULL WHERE portal = $1";
    for (what, _) in forgiven {
        match what {
            Forgiven::Everything => connection.query(all, values![portal]).await?,
            Forgiven::Folder(id) => {
                let of_folder = format!("{all} AND folder = $2");
                connection.query(&of_folder, values![portal, *id]).await?
            }
            Forgiven::Class(_) => continue,
        };
    }
    Ok(())
}
