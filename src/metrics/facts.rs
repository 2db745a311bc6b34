//! What the portals hold: the snapshot as families.
//!
//! Each family is written from its own scan over portals or folders, so that it is written as a whole before the next one.

mod folder;
mod portal;
mod reindex;

use std::io::Write;

use crate::config::Mode;
use crate::ledger::LedgerView;
use crate::metrics::catalogue::Family;
use crate::metrics::writer::{Samples, write_family};
use crate::model::Moment;
use crate::snapshot::{Counts, FolderState, FolderView, PortalView, ReindexView, Snapshot};

pub(super) use reindex::shown_mode;

/// A family, and where its samples come from.
type Source = (&'static Family, Of);

/// Adds the samples of a family that one thing has.
enum Of {
    Snapshot(fn(&mut Samples<'_>, &Snapshot)),
    Portal(fn(&mut Samples<'_>, &Portal<'_>)),
    Folder(fn(&mut Samples<'_>, &Folder<'_>)),
}

/// A portal, at the moment for which it is written.
struct Portal<'a> {
    view: &'a PortalView,
    ledger: Option<&'a LedgerView>,
    folders: Vec<Folder<'a>>,
    now: Moment,
}

/// A folder, at the moment for which it is written.
struct Folder<'a> {
    portal: &'a str,
    id: String,
    view: &'a FolderView,
    /// Its counts, unless they are too old.
    counts: Option<&'a Counts>,
    /// What is decided about it; nothing once it left.
    reindex: Option<Reindexed<'a>>,
}

/// How a folder is reindexed.
struct Reindexed<'a> {
    mode: Mode,
    view: Option<&'a ReindexView>,
}

/// Writes every family of a snapshot, in the order of their names.
pub(super) fn write(
    sink: &mut dyn Write,
    snapshot: &Snapshot,
    now: Moment,
) -> prometheus::Result<()> {
    let portals: Vec<_> = snapshot
        .portals
        .iter()
        .map(|view| Portal::of(view, snapshot, now))
        .collect();
    for (family, of) in sources() {
        write_family(sink, family, |samples| of.fill(samples, snapshot, &portals))?;
    }
    Ok(())
}

/// Every family, in the order of their names.
fn sources() -> Vec<&'static Source> {
    let mut sources: Vec<_> = [portal::FAMILIES, folder::FAMILIES, reindex::FAMILIES]
        .into_iter()
        .flatten()
        .collect();
    sources.sort_by_key(|(family, _)| family.name);
    sources
}

impl Of {
    fn fill(&self, samples: &mut Samples<'_>, snapshot: &Snapshot, portals: &[Portal<'_>]) {
        match self {
            Self::Snapshot(add) => add(samples, snapshot),
            Self::Portal(add) => {
                for portal in portals {
                    add(samples, portal);
                }
            }
            Self::Folder(add) => {
                for folder in portals.iter().flat_map(|portal| &portal.folders) {
                    add(samples, folder);
                }
            }
        }
    }
}

impl<'a> Portal<'a> {
    fn of(view: &'a PortalView, snapshot: &'a Snapshot, now: Moment) -> Self {
        let decided = snapshot.reindex.get(&view.name).map(|view| &**view);
        let folders = view.folders.values();
        Self {
            view,
            ledger: decided.and_then(|view| view.ledger.as_deref().ok()),
            folders: folders
                .map(|folder| Folder::of(view, folder, decided, now))
                .collect(),
            now,
        }
    }

    /// The one label that every series of a portal has.
    fn name(&self) -> &'a str {
        self.view.name.as_str()
    }
}

impl<'a> Folder<'a> {
    fn of(
        portal: &'a PortalView,
        view: &'a FolderView,
        decided: Option<&'a ReindexView>,
        now: Moment,
    ) -> Self {
        let left = matches!(view.state, FolderState::Departed(_));
        let reindex = (!left).then(|| Reindexed {
            mode: portal.reindex.for_folder(view.id, view.name.label()).mode,
            view: decided,
        });
        Self {
            portal: portal.name.as_str(),
            id: view.id.to_string(),
            view,
            counts: portal.fresh_counts(view, now),
            reindex,
        }
    }

    /// The labels that every series of a folder has.
    fn labels(&self) -> [&str; 3] {
        [self.portal, &self.id, self.view.name.label()]
    }

    /// The same, and one more.
    fn with<'b>(&'b self, value: &'b str) -> [&'b str; 4] {
        [self.portal, &self.id, self.view.name.label(), value]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_one_source() {
        let names: Vec<_> = sources().iter().map(|(family, _)| family.name).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    }
}
