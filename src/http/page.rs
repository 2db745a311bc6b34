//! The status pages, for people who read them during an incident: rendered here, without need of a script, safe against what a portal
//! sends. Pages have points in time and no ages, which the script computes: so a page that did not change need not be sent again.

mod chart;
mod config;
mod documents;
mod errors;
mod finding;
mod folder;
mod folders;
mod health;
mod layout;
mod query;
mod row;
mod totals;

use std::sync::Arc;

use maud::Markup;
use serde_json::Value as Json;

use crate::clock::Moment;
use crate::config::Reindex;
use crate::health::Health;
use crate::metrics::ConfigFacts;
use crate::model::{FolderId, PortalName};
use crate::snapshot::Snapshot;

use finding::Findings;
use row::Row;

pub(super) use query::Query;

/// The configuration in use.
pub struct Configuration {
    pub facts: ConfigFacts,
    /// The keys and values of the file and the defaults, without secrets.
    pub written: Arc<Json>,
    pub reindex: Arc<Reindex>,
}

/// What every page is made from.
pub(super) struct Pages<'a> {
    snapshot: &'a Snapshot,
    health: &'a Health,
    configuration: &'a Configuration,
    now: Moment,
    rows: Vec<Row<'a>>,
    findings: Findings,
    metrics: &'a str,
    /// Path and query of the page.
    place: &'a str,
}

impl<'a> Pages<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        health: &'a Health,
        configuration: &'a Configuration,
        now: Moment,
        [metrics, place]: [&'a str; 2],
    ) -> Self {
        let rows = row::all(health, now);
        let is_reloaded = configuration.facts.reload_successful;
        Self {
            findings: Findings::of(health, is_reloaded, &rows),
            snapshot,
            health,
            configuration,
            now,
            rows,
            metrics,
            place,
        }
    }

    /// The first page: what is wrong, and the folders.
    pub(super) fn folders(&self, query: &Query) -> Markup {
        self.page(&self.findings.title(), &folders::content(self, query))
    }

    /// The page of one folder; `None` if there is no such folder.
    pub(super) fn folder(&self, portal: &str, folder: FolderId) -> Option<Markup> {
        let mut rows = self.rows.iter();
        let row = rows.find(|row| row.folder.id == folder && row.portal.name.as_str() == portal)?;
        Some(self.page(row.name(), &folder::content(row, self.now)))
    }

    pub(super) fn errors(&self) -> Markup {
        self.page("Errors", &errors::content(self))
    }

    pub(super) fn health(&self) -> Markup {
        self.page("Health", &health::content(self))
    }

    pub(super) fn config(&self) -> Markup {
        self.page("Configuration", &config::content(self.configuration))
    }

    pub(super) fn documents(&self) -> Markup {
        self.page("Documentation", &documents::list())
    }

    /// A document of this version.
    pub(super) fn document(&self, name: &str) -> Option<Markup> {
        let (title, content) = documents::content(name)?;
        Some(self.page(title, &content))
    }

    fn page(&self, title: &str, content: &Markup) -> Markup {
        layout::page(
            title,
            self.place,
            self.findings.state,
            self.metrics,
            content,
        )
    }
}

/// The link to a folder's page.
fn folder_path(portal: &PortalName, folder: FolderId) -> String {
    let portal: String = url::form_urlencoded::byte_serialize(portal.as_str().as_bytes()).collect();
    // A space is `+` in a query alone.
    format!("folders/{}/{folder}", portal.replace('+', "%20"))
}
