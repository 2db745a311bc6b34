//! Portals and folders at the moment for which their metrics are written.

use crate::clock::Moment;
use crate::config::Mode;
use crate::ledger::{ActiveMode, LedgerView, Totals};
use crate::snapshot::{
    Counts, FolderReindex, FolderState, FolderView, PortalLimits, PortalView, ReindexView, Snapshot,
};

pub(in crate::metrics) struct PortalFacts<'a> {
    pub view: &'a PortalView,
    pub ledger: Option<&'a LedgerView>,
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
            ledger: reindex.and_then(|view| view.ledger.as_deref().ok()),
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

    /// The remaining budget and the breaker, if the ledger can be used.
    pub fn limits(&self) -> Option<PortalLimits> {
        let mode = limited_mode(self.view);
        let limits = |ledger| PortalLimits::of(mode, &self.view.reindex, ledger, self.now);
        self.ledger.map(limits)
    }
}

/// The mode whose limits are shown.
pub(in crate::metrics) fn limited_mode(portal: &PortalView) -> ActiveMode {
    ActiveMode::of(portal.reindex.strongest_mode()).unwrap_or(ActiveMode::DryRun)
}

impl<'a> FolderFacts<'a> {
    fn of(
        portal: &'a PortalView,
        view: &'a FolderView,
        reindex: Option<&'a ReindexView>,
        now: Moment,
    ) -> Self {
        let mode = match view.state {
            FolderState::Departed(_) => None,
            _ => Some(portal.reindex.for_folder(view.id, view.name.label()).mode),
        };
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
    pub fn decided(&self) -> Option<&FolderReindex> {
        self.reindex?.folders.get(&self.view.id)
    }

    /// The totals of its attempts, if the ledger can be used.
    pub fn totals(&self) -> Option<Totals> {
        let ledger = self.reindex?.ledger.as_ref().ok()?;
        Some(ledger.totals(self.view.id))
    }
}
