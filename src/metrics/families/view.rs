//! What the metrics are written from: the process, its portals and their folders at one moment.

use std::sync::Arc;

use crate::attempts::{Book, Totals};
use crate::clock::Moment;
use crate::config::Mode;
use crate::metrics::process::Process;
use crate::model::Timestamp;
use crate::policy::Decision;
use crate::snapshot::{Counts, FolderView, PortalView, ReindexView, Snapshot};

/// What is known at one moment, beside the events.
#[derive(Debug, Clone)]
pub struct Facts {
    pub snapshot: Arc<Snapshot>,
    pub config: ConfigFacts,
    /// With a web configuration file.
    pub web: Option<WebConfigFacts>,
    /// Whether a kill switch stops reindexing.
    pub kill_switch: bool,
    /// Unless this process has ended when its metrics are read.
    pub process: Option<Process>,
    pub now: Moment,
}

/// Facts about the last configuration reload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigFacts {
    /// Whether the last attempt to load one was successful.
    pub reload_successful: bool,
    /// When the one in use was loaded.
    pub loaded: Timestamp,
}

/// Facts about the web configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebConfigFacts {
    /// Whether the files as they are now are in use.
    pub reload_successful: bool,
    /// When those in use were read.
    pub loaded: Timestamp,
    /// When the first certificate of the server's chain expires.
    pub certificate_expiry: Option<Timestamp>,
}

pub(in crate::metrics) struct PortalFacts<'a> {
    pub view: &'a PortalView,
    pub reindex: Option<&'a ReindexView>,
    now: Moment,
}

pub(in crate::metrics) struct FolderFacts<'a> {
    portal: &'a PortalView,
    id: String,
    pub view: &'a FolderView,
    /// Its counts, unless they are too old.
    pub counts: Option<&'a Counts>,
    /// The decisions in its portal.
    reindex: Option<&'a ReindexView>,
}

impl<'a> PortalFacts<'a> {
    pub fn of(view: &'a PortalView, facts: &'a Facts) -> Self {
        let reindex = facts.snapshot.reindex.get(&view.name).map(|view| &**view);
        Self {
            view,
            reindex,
            now: facts.now,
        }
    }

    /// Its folders, each looked up anew for each family: all of them together would take more memory than a scrape may.
    pub fn folders(&self) -> impl Iterator<Item = FolderFacts<'a>> {
        let folders = self.view.folders.values();
        folders.map(|folder| FolderFacts {
            portal: self.view,
            id: folder.id.to_string(),
            view: folder,
            counts: self.view.fresh_counts(folder, self.now),
            reindex: self.reindex,
        })
    }

    /// The attempts to reindex its files, if the ledger can be used.
    pub fn book(&self) -> Option<&'a Book> {
        self.reindex?.book.as_deref().ok()
    }

    /// The labels that every series of a portal has.
    pub fn labels(&self) -> [&'a str; 1] {
        [self.view.name.as_str()]
    }
}

impl<'a> FolderFacts<'a> {
    /// Its mode of reindexing; none once it left.
    pub fn mode(&self) -> Option<Mode> {
        let (rules, name) = (&self.portal.reindex, self.view.name.label());
        let has_left = self.view.state.has_left();
        (!has_left).then(|| rules.for_folder(self.view.id, name).mode)
    }

    /// The labels that every series of a folder has.
    pub fn labels(&self) -> [&str; 3] {
        [self.portal.name.as_str(), &self.id, self.view.name.label()]
    }

    /// The decision about the folder.
    pub fn decided(&self) -> Option<&Decision> {
        self.decisions()?.decisions.get(&self.view.id)
    }

    /// The totals of its attempts, if the ledger can be used.
    pub fn totals(&self) -> Option<Totals> {
        let book = self.decisions()?.book.as_ref().ok()?;
        Some(book.totals(self.view.id))
    }

    /// The decisions in its portal, unless its mode is off.
    fn decisions(&self) -> Option<&'a ReindexView> {
        self.reindex
            .filter(|_| self.mode().is_some_and(|mode| mode != Mode::Off))
    }
}
