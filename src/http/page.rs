//! The status pages, for people who read them during an incident: rendered here, without need of a script, safe against what a portal
//! sends. Pages have points in time and no ages, which the script computes.

mod chart;
mod config;
mod errors;
mod finding;
mod folder;
mod folders;
mod layout;
mod overview;
mod query;
mod row;
mod runbook;

use std::sync::Arc;

use maud::Markup;

use crate::clock::Moment;
use crate::config::{Mode, Reindex};
use crate::health::Health;
use crate::http::route::Route;
use crate::metrics::ConfigFacts;
use crate::model::FolderId;
use crate::snapshot::{PortalView, ReindexView, Snapshot};

use finding::Findings;

pub(super) use query::Query;

/// The configuration in use.
pub struct Configuration {
    pub facts: ConfigFacts,
    /// Keys and values as JSON, without secrets.
    pub shown: Arc<str>,
    pub reindex: Arc<Reindex>,
}

/// What every page is made from.
pub(super) struct Pages<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) health: &'a Health,
    pub(super) configuration: &'a Configuration,
    pub(super) now: Moment,
    /// The path of the metrics, and that of the page.
    pub(super) metrics: &'a str,
    pub(super) path: &'a str,
}

impl<'a> Pages<'a> {
    /// The page of a route, with the parts of its path that vary; `None` if there is no such page.
    pub(super) fn render(&self, route: Route, parts: &[String], query: &Query) -> Option<Markup> {
        let rows = row::all(self.health, self.now);
        let findings = Findings::of(self.health, &rows);
        let (title, content) = match (route, parts) {
            (Route::Folders, []) => {
                let content = overview::content(self, &rows, &findings, query);
                (findings.title(), content)
            }
            (Route::Folder, [portal, folder]) => {
                let row = row::of(&rows, portal, FolderId::parse(folder)?)?;
                (row.name.to_string(), folder::content(row, self))
            }
            (Route::Errors, []) => ("Errors".to_owned(), errors::content(self)),
            (Route::Configuration, []) => {
                let content = config::content(self.configuration);
                ("Configuration".to_owned(), content)
            }
            (Route::Runbook, []) => ("Runbook".to_owned(), runbook::content()),
            _ => return None,
        };
        let here = match route {
            Route::Folders => query.to_string(),
            _ => format!(".{}", self.path),
        };
        let links = [&here, self.metrics];
        Some(layout::page(&title, links, findings.severity(), &content))
    }

    /// What is decided in a portal, unless the mode of all folders is off.
    fn reindex(&self, portal: &PortalView) -> Option<&'a ReindexView> {
        let view = self.snapshot.reindex.get(&portal.name)?;
        (portal.reindex.strongest_mode() != Mode::Off).then_some(view)
    }
}

#[cfg(test)]
mod tests;
