//! The log of a portal in the table `event`.

use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use crate::attempts::{Event, LedgerView};
use crate::model::PortalAddress;
use crate::store::error::StoreError;
use crate::store::statement::{Revision, Statement, query};

/// An event, and the revision of the log that it made.
pub(in crate::store) type Logged = (Revision, Event);

/// What was written since a revision.
pub(in crate::store) enum Tail {
    Newer(Vec<Logged>),
    /// The log does not have that revision, or no revision was known: all of it.
    Whole(Vec<Logged>),
}

impl Tail {
    pub fn into_events(self) -> Vec<Logged> {
        match self {
            Self::Newer(events) | Self::Whole(events) => events,
        }
    }
}

/// Reads what is newer than a revision.
pub(in crate::store) async fn read(
    connection: &mut AnyConnection,
    portal: &PortalAddress,
    known: Option<Revision>,
) -> Result<Tail, StoreError> {
    if let Some(known) = known {
        let rows = read_from(connection, portal, known.number).await?;
        if let Some((first, newer)) = rows.split_first()
            && Revision::of(first)? == known
        {
            let newer = newer.iter().map(logged);
            return Ok(Tail::Newer(newer.collect::<Result<_, _>>()?));
        }
    }
    let rows = read_from(connection, portal, 0).await?;
    let events = rows.iter().map(logged).collect::<Result<_, _>>()?;
    Ok(Tail::Whole(events))
}

async fn read_from(
    connection: &mut AnyConnection,
    portal: &PortalAddress,
    number: i64,
) -> Result<Vec<AnyRow>, StoreError> {
    let read =
        "SELECT number, token, event FROM event WHERE portal = $1 AND number >= $2 ORDER BY number";
    query(connection, read, [portal.as_str().into(), number.into()]).await
}

fn logged(row: &AnyRow) -> Result<Logged, StoreError> {
    let event: &str = row.try_get("event")?;
    Ok((Revision::of(row)?, serde_json::from_str(event)?))
}

/// Whether the log has a revision.
pub(in crate::store) async fn has(
    connection: &mut AnyConnection,
    portal: &PortalAddress,
    revision: Revision,
) -> Result<bool, StoreError> {
    let find = "SELECT number FROM event WHERE portal = $1 AND number = $2 AND token = $3";
    let key = [
        portal.as_str().into(),
        revision.number.into(),
        revision.token.into(),
    ];
    Ok(!query(connection, find, key).await?.is_empty())
}

/// Adds events after a revision, with these revisions. [`StoreError::Stale`] if that is not the last one.
pub(in crate::store) async fn append(
    connection: &mut AnyConnection,
    portal: &PortalAddress,
    known: Option<Revision>,
    events: &[Logged],
) -> Result<(), StoreError> {
    if let Some(known) = known
        && !has(connection, portal, known).await?
    {
        return Err(StoreError::Stale);
    }
    let mut rows = Vec::new();
    for (revision, event) in events {
        rows.push([
            portal.as_str().into(),
            revision.number.into(),
            revision.token.into(),
            serde_json::to_string(event)?.into(),
        ]);
    }
    // Another process may have added one with the same number.
    let insert = Statement::new("INSERT INTO event (portal, number, token, event) VALUES ")
        .rows(rows)
        .text(" ON CONFLICT DO NOTHING RETURNING number");
    let added = insert.fetch(connection).await?;
    if added.len() == events.len() {
        Ok(())
    } else {
        Err(StoreError::Stale)
    }
}

/// Puts what is known up to a revision in place of the events that said it.
pub(in crate::store) async fn compact(
    connection: &mut AnyConnection,
    portal: &PortalAddress,
    revision: Revision,
    view: &LedgerView,
) -> Result<(), StoreError> {
    let known = Event::Known(Box::new(view.clone()));
    let replace = "UPDATE event SET event = $4 WHERE portal = $1 AND number = $2 AND token = $3 RETURNING number";
    let row = [
        portal.as_str().into(),
        revision.number.into(),
        revision.token.into(),
        serde_json::to_string(&known)?.into(),
    ];
    if query(connection, replace, row).await?.is_empty() {
        return Err(StoreError::Stale);
    }
    let remove = "DELETE FROM event WHERE portal = $1 AND number < $2";
    let before = [portal.as_str().into(), revision.number.into()];
    query(connection, remove, before).await.map(drop)
}

/// The portals that have a log.
pub(in crate::store) async fn portals(
    connection: &mut AnyConnection,
) -> Result<Vec<PortalAddress>, StoreError> {
    let portals = query(connection, "SELECT DISTINCT portal FROM event", []).await?;
    let address = |row: &AnyRow| Ok(row.try_get::<&str, _>("portal")?.into());
    portals.iter().map(address).collect()
}

/// The view that a whole log folds to, and its last revision.
pub(in crate::store) fn fold(
    events: &[Logged],
) -> Result<(LedgerView, Option<Revision>), StoreError> {
    let mut view = LedgerView::unmet();
    for (revision, event) in events {
        let applied = view.apply(event);
        applied.map_err(|misfit| {
            StoreError::Content(format!("event {}: {misfit}", revision.number))
        })?;
    }
    Ok((view, events.last().map(|(revision, _)| *revision)))
}
