//! The status pages, for people who read them during an incident: rendered here, without need of a script, safe against what a portal
//! sends. Pages have points in time and no ages, which the script computes.

mod chart;
mod config;
mod errors;
mod finding;
mod folder;
mod folders;
mod layout;
mod numbers;
mod query;
mod row;
mod runbook;

use std::sync::Arc;

use maud::Markup;
use serde_json::Value as Json;

use crate::attempts::Book;
use crate::clock::Moment;
use crate::config::Reindex;
use crate::health::Health;
use crate::http::route::Route;
use crate::metrics::ConfigFacts;
use crate::model::{FolderId, PortalName};
use crate::policy::{self, Tries};
use crate::snapshot::Snapshot;

use finding::Findings;
use row::Row;

pub(super) use query::Query;

/// The configuration in use.
pub struct Configuration {
    pub facts: ConfigFacts,
    /// Keys and values, without secrets.
    pub shown: Arc<Json>,
    pub reindex: Arc<Reindex>,
}

/// What every page is made from.
pub(super) struct Pages<'a> {
    snapshot: &'a Snapshot,
    health: &'a Health,
    configuration: &'a Configuration,
    now: Moment,
    rows: Vec<Row<'a>>,
    metrics: &'a str,
    path: &'a str,
}

impl<'a> Pages<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        health: &'a Health,
        configuration: &'a Configuration,
        now: Moment,
        [metrics, path]: [&'a str; 2],
    ) -> Self {
        Self {
            rows: row::all(health, now),
            snapshot,
            health,
            configuration,
            now,
            metrics,
            path,
        }
    }

    /// The page of a route, with the parts of its path that vary; `None` if there is no such page.
    pub(super) fn render(&self, route: Route, parts: &[String], query: &Query) -> Option<Markup> {
        let findings = Findings::of(self.health, &self.rows);
        let (title, content) = match (route, parts) {
            (Route::Folders, []) => (findings.title(), folders::content(self, &findings, query)),
            (Route::Folder, [portal, folder]) => {
                let row = self.row(portal, FolderId::parse(folder)?)?;
                (row.name.to_string(), folder::content(row, self))
            }
            (Route::Errors, []) => ("Errors".to_owned(), errors::content(self)),
            (Route::Configuration, []) => (
                "Configuration".to_owned(),
                config::content(self.configuration),
            ),
            (Route::Runbook, []) => ("Runbook".to_owned(), runbook::content()),
            _ => return None,
        };
        let here = match route {
            Route::Folders => query.to_string(),
            _ => format!(".{}", self.path),
        };
        let links = [&here, self.metrics];
        Some(layout::page(&title, links, findings.state(), &content))
    }

    /// What the ledger knows of a portal; `None` if it cannot be used.
    fn ledger(&self, portal: &PortalName) -> Option<&'a Book> {
        let reindex = self.snapshot.reindex.get(portal)?;
        reindex.book.as_deref().ok()
    }

    /// The tries that a portal has left.
    fn tries(&self, portal: &PortalName) -> Option<Tries> {
        let ledger = self.ledger(portal)?;
        Some(policy::tries(ledger, self.now.wall))
    }

    fn row(&self, portal: &str, folder: FolderId) -> Option<&Row<'a>> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.folder.id == folder && row.portal.name.as_str() == portal)
    }
}

/// The link to a folder's page.
fn folder_path(portal: &PortalName, folder: FolderId) -> String {
    let portal: String = url::form_urlencoded::byte_serialize(portal.as_str().as_bytes()).collect();
    // A space is `+` in a query alone.
    format!("folders/{}/{folder}", portal.replace('+', "%20"))
}

#[cfg(test)]
mod tests;
