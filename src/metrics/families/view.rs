//! Portals and folders at the moment for which their metrics are written.

use crate::attempts::{Book, Totals};
use crate::clock::Moment;
use crate::config::Mode;
use crate::policy::{self, Decision};
use crate::snapshot::{Counts, FolderView, PortalView, ReindexView, Snapshot};

pub(in crate::metrics) struct PortalFacts<'a> {
    pub view: &'a PortalView,
    pub book: Option<&'a Book>,
    pub folders: Vec<FolderFacts<'a>>,
    now: Moment,
}

pub(in crate::metrics) struct FolderFacts<'a> {
    portal: &'a str,
    id: String,
    pub view: &'a FolderView,
    /// Its counts, unless they are too old.
    pub counts: Option<&'a Counts>,
    /// Its mode of reindexing; none once it left.
    pub mode: Option<Mode>,
    /// The decisions in its portal, unless its mode is off.
    reindex: Option<&'a ReindexView>,
}

impl<'a> PortalFacts<'a> {
    pub fn of(view: &'a PortalView, snapshot: &'a Snapshot, now: Moment) -> Self {
        let reindex = snapshot.reindex.get(&view.name).map(|view| &**view);
        let folders = view.folders.values();
        Self {
            view,
            book: reindex.and_then(|view| view.book.as_deref().ok()),
            folders: folders
                .map(|folder| FolderFacts::of(view, folder, reindex, now))
                .collect(),
            now,
        }
    }

    /// The one label that every series of a portal has.
    pub fn name(&self) -> &'a str {
        self.view.name.as_str()
    }

    /// The files that remain of the budget, if the ledger can be used.
    pub fn remaining_files(&self) -> Option<u64> {
        let budget = &self.view.reindex.rules.budget;
        let remaining = |book| policy::remaining_files(book, budget, self.now.wall);
        self.book.map(remaining)
    }
}

impl<'a> FolderFacts<'a> {
    fn of(
        portal: &'a PortalView,
        view: &'a FolderView,
        reindex: Option<&'a ReindexView>,
        now: Moment,
    ) -> Self {
        let rules = || portal.reindex.for_folder(view.id, view.name.label());
        let mode = (!view.state.has_left()).then(|| rules().mode);
        Self {
            portal: portal.name.as_str(),
            id: view.id.to_string(),
            view,
            counts: portal.fresh_counts(view, now),
            mode,
            reindex: reindex.filter(|_| mode.is_some_and(|mode| mode != Mode::Off)),
        }
    }

    /// The labels that every series of a folder has.
    pub fn labels(&self) -> [&str; 3] {
        [self.portal, &self.id, self.view.name.label()]
    }

    pub fn with<'b>(&'b self, value: &'b str) -> [&'b str; 4] {
        [self.portal, &self.id, self.view.name.label(), value]
    }

    /// The decision about the folder.
    pub fn decided(&self) -> Option<&Decision> {
        self.reindex?.decisions.get(&self.view.id)
    }

    /// The totals of its attempts, if the ledger can be used.
    pub fn totals(&self) -> Option<Totals> {
        let book = self.reindex?.book.as_ref().ok()?;
        Some(book.totals(self.view.id))
    }
}
