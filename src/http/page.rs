//! The status pages, for people who read them during an incident: rendered here, without need of a script, safe against what a portal
//! sends. Pages have points in time and no ages, which the script computes: so a page that did not change need not be sent again.

mod attempts;
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
    /// The keys and values of the file, without secrets; null if there is no file.
    pub written: Arc<Json>,
    pub reindex: Arc<Reindex>,
}

/// What every page is made from.
pub(super) struct Pages<'a> {
    snapshot: &'a Snapshot,
    health: &'a Health,
    metrics: &'a str,
    now: Moment,
    rows: Vec<Row<'a>>,
    findings: Findings,
}

impl<'a> Pages<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        health: &'a Health,
        metrics: &'a str,
        now: Moment,
    ) -> Self {
        let rows = row::all(snapshot, health, now);
        Self {
            findings: Findings::of(snapshot, health, &rows),
            snapshot,
            health,
            metrics,
            now,
            rows,
        }
    }

    /// The first page: what is wrong, and the folders.
    pub(super) fn folders(&self, query: &Query) -> Markup {
        let title = self.findings.title();
        self.page(&title, "/", &folders::content(self, query))
    }

    /// The page of one folder; `None` if there is no such folder.
    pub(super) fn folder(&self, portal: &str, folder: FolderId) -> Option<Markup> {
        let mut rows = self.rows.iter();
        let row = rows.find(|row| row.folder.id == folder && row.portal.name.as_str() == portal)?;
        let reindex = self.snapshot.reindex.get(&row.portal.name);
        let reindex = reindex.map(|view| &**view);
        let content = folder::content(row, reindex, self.now);
        Some(self.page(row.name(), "", &content))
    }

    pub(super) fn errors(&self) -> Markup {
        self.page("Errors", "/errors", &errors::content(self))
    }

    pub(super) fn health(&self) -> Markup {
        self.page("Health", "/health.html", &health::content(self))
    }

    pub(super) fn config(&self, configuration: &Configuration) -> Markup {
        let content = config::content(configuration);
        self.page("Configuration", "/config", &content)
    }

    /// A document of this version, or the list of them if the name is empty.
    pub(super) fn document(&self, name: &str) -> Option<Markup> {
        let (title, content) = documents::content(name)?;
        Some(self.page(title, "/docs", &content))
    }

    fn page(&self, title: &str, path: &str, content: &Markup) -> Markup {
        layout::page(title, path, self.findings.state, self.metrics, content)
    }
}

/// The path of a folder's page.
fn folder_path(portal: &PortalName, folder: FolderId) -> String {
    let portal: String = url::form_urlencoded::byte_serialize(portal.as_str().as_bytes()).collect();
    // A space is `+` in a query alone.
    format!("/folders/{}/{folder}", portal.replace('+', "%20"))
}
