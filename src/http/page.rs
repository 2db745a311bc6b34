//! The status pages, for people who read them during an incident: rendered here, without need of a script, safe against what a portal
//! sends.

mod attempts;
mod chart;
mod classes;
mod config;
mod documents;
mod errors;
mod folder;
mod folders;
mod layout;
mod query;
mod row;

use std::sync::Arc;

use maud::Markup;
use serde_json::Value as Json;

use crate::clock::Moment;
use crate::config::Reindex;
use crate::health::{Health, PortalHealth};
use crate::metrics::ConfigFacts;
use crate::model::{FolderId, PortalName};
use crate::snapshot::{PortalView, Snapshot};
use crate::trend::Trends;

pub(super) use documents::text as document;
pub(super) use layout::{SCRIPT, STYLE};
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
    pub(super) snapshot: &'a Snapshot,
    pub(super) health: &'a Health,
    pub(super) trends: &'a Trends,
    pub(super) metrics: &'a str,
    pub(super) now: Moment,
}

impl Pages<'_> {
    /// The first page: portals and folders.
    pub(super) fn folders(&self, query: &Query) -> Markup {
        let content = folders::content(self.snapshot, self.health, self.trends, query, self.now);
        self.page("Folders", &content)
    }

    /// The page of one folder; `None` if there is no such folder.
    pub(super) fn folder(&self, portal: &str, folder: FolderId) -> Option<Markup> {
        let (portal, health) = self.portal(portal)?;
        let view = portal.folders.get(&folder)?;
        let id = folder.to_string();
        let health = health.folders.iter().find(|health| health.id == id)?;
        let reindex = self.snapshot.reindex.get(&portal.name);
        let reindex = reindex.map(|view| &**view);
        let content = folder::content(portal, reindex, view, health, self.trends, self.now);
        Some(self.page(&view.name.to_string(), &content))
    }

    pub(super) fn errors(&self) -> Markup {
        self.page(
            "Errors",
            &errors::content(self.snapshot, self.health, self.now),
        )
    }

    pub(super) fn config(&self, configuration: &Configuration) -> Markup {
        self.page("Configuration", &config::content(configuration))
    }

    pub(super) fn documents(&self) -> Markup {
        self.page("Documentation", &documents::list())
    }

    fn portal(&self, name: &str) -> Option<(&PortalView, &PortalHealth)> {
        let mut portals = self.snapshot.portals.iter().zip(&self.health.portals);
        let found = portals.find(|(portal, _)| portal.name.as_str() == name)?;
        Some((found.0, found.1))
    }

    fn page(&self, title: &str, content: &Markup) -> Markup {
        layout::page(title, self.metrics, self.now.wall, content)
    }
}

/// The path of a folder's page.
fn folder_path(portal: &PortalName, folder: FolderId) -> String {
    let portal: String = url::form_urlencoded::byte_serialize(portal.as_str().as_bytes()).collect();
    // A space is `+` in a query alone.
    format!("/folders/{}/{folder}", portal.replace('+', "%20"))
}
