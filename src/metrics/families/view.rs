//! Portals and folders at the moment for which their metrics are written.

use crate::attempts::{Book, Totals};
use crate::clock::Moment;
use crate::config::Mode;
use crate::policy::{self, Decision};
use crate::snapshot::{Counts, FolderView, PortalView, ReindexView, Snapshot};

pub(in crate::metrics) struct PortalFacts<'a> {
    pub view: &'a PortalView,
    pub book: Option<&'a Book>,
    reindex: Option<&'a ReindexView>,
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
    pub fn of(view: &'a PortalView, snapshot: &'a Snapshot, now: Moment) -> Self {
        let reindex = snapshot.reindex.get(&view.name).map(|view| &**view);
        Self {
            view,
            book: reindex.and_then(|view| view.book.as_deref().ok()),
            reindex,
            now,
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
    /// Its mode of reindexing; none once it left.
    pub fn mode(&self) -> Option<Mode> {
        let rules = || {
            self.portal
                .reindex
                .for_folder(self.view.id, self.view.name.label())
        };
        (!self.view.state.has_left()).then(|| rules().mode)
    }

    /// The labels that every series of a folder has.
    pub fn labels(&self) -> [&str; 3] {
        [self.portal.name.as_str(), &self.id, self.view.name.label()]
    }

    pub fn with<'b>(&'b self, value: &'b str) -> [&'b str; 4] {
        [
            self.portal.name.as_str(),
            &self.id,
            self.view.name.label(),
            value,
        ]
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
        let decided = self.reindex?;
        self.mode()
            .filter(|mode| *mode != Mode::Off)
            .map(|_| decided)
    }
}
