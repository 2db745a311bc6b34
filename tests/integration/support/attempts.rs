//! The attempts in the log of a ledger, of either database.

use std::time::Duration;

use kb_exporter::attempts::{Event, LedgerView};
use uuid::Uuid;

/// The events of all portals, in the order in which they happened: the address of the portal, and the event.
pub(crate) const EVENTS: &str = "SELECT portal, event FROM event ORDER BY portal, number";

/// How many portals have a log.
pub(crate) const PORTALS: &str = "SELECT count(DISTINCT portal) FROM event";

/// An attempt that was written down.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) id: i64,
    pub(crate) folder: Uuid,
    /// In milliseconds since 1970.
    pub(crate) intended: i64,
    pub(crate) files: u64,
    /// Such as `accepted`; empty where nothing is known yet.
    pub(crate) outcome: String,
    pub(crate) verdict: Option<String>,
}

/// What the rows of [`EVENTS`] fold to.
pub(crate) fn views(rows: &[Vec<String>]) -> Vec<LedgerView> {
    let mut views: Vec<(&str, LedgerView)> = Vec::new();
    for row in rows {
        let [portal, event] = &row[..] else {
            panic!("{row:?}");
        };
        if views.last().is_none_or(|(last, _)| last != portal) {
            views.push((portal, LedgerView::unmet()));
        }
        let event: Event = serde_json::from_str(event).unwrap();
        let (_, view) = views.last_mut().unwrap();
        view.apply(&event).unwrap();
    }
    views.into_iter().map(|(_, view)| view).collect()
}

/// Every attempt, oldest first.
pub(crate) fn attempts(rows: &[Vec<String>]) -> Vec<Attempt> {
    let views = views(rows);
    let attempts = views.iter().flat_map(|view| view.track().iter());
    let mut attempts: Vec<_> = attempts.collect();
    attempts.sort_by_key(|attempt| attempt.id);
    let attempt = |attempt: &kb_exporter::attempts::Attempt| Attempt {
        id: attempt.id.get(),
        folder: attempt.folder.to_string().parse().unwrap(),
        intended: attempt.intended.as_millis(),
        files: attempt.files,
        outcome: attempt
            .outcome
            .map_or("", |(_, outcome)| outcome.as_str())
            .to_owned(),
        verdict: attempt
            .judged
            .map(|judged| judged.verdict.as_str().to_owned()),
    };
    attempts.into_iter().map(|one| attempt(one)).collect()
}

/// By how much the clock was set, as the ledger knows: its times are ahead of the right ones by so many milliseconds.
pub(crate) fn ahead(rows: &[Vec<String>]) -> i64 {
    let views = views(rows).into_iter();
    let view = views.last().map(|view| serde_json::to_value(view).unwrap());
    view.map_or(0, |view| view["moved"].as_i64().unwrap())
}

/// A statement that lets everything in a ledger have happened so much earlier, as if that time had passed. No process may use it.
pub(crate) fn age(by: Duration) -> String {
    let by = by.as_millis();
    add(&format!(
        r#"{{"clock_set":{{"at":0,"step":0,"by":-{by}}}}}"#
    ))
}

/// A statement that adds an event to the log of each portal.
pub(crate) fn add(event: &str) -> String {
    format!(
        "INSERT INTO event (portal, number, token, event)
         SELECT portal, max(number) + 1, 7, '{event}' FROM event GROUP BY portal"
    )
}
