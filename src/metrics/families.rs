//! All metric families (docs/metrics.md, All metrics): each is declared with name, help, labels and source of its value, in the
//! modules here or in `events`.
//!
//! A family of the snapshot is written from its own scan over portals or folders, so that it is written as a whole before the next one.

pub(super) mod folder;
pub(super) mod portal;
pub(super) mod reindex;
pub(super) mod view;

use std::io::{self, Write};
use std::sync::LazyLock;

use crate::clock::Moment;
use crate::metrics::events;
use crate::metrics::family::Source;
use crate::snapshot::Snapshot;

use view::PortalFacts;

pub use crate::metrics::family::{Family, Kind};

/// Every family, in the order of their names.
pub static ALL: LazyLock<Vec<&'static Family>> = LazyLock::new(|| {
    let families = [
        events::FAMILIES,
        portal::FAMILIES,
        folder::FAMILIES,
        reindex::FAMILIES,
    ];
    let mut all = families.concat();
    all.sort_by_key(|family| family.name);
    all
});

/// Writes every family of a snapshot, in the order of their names.
pub(super) fn write(sink: &mut dyn Write, snapshot: &Snapshot, now: Moment) -> io::Result<()> {
    // A portal that another process reads has only the family that says so.
    let portals = snapshot.shown();
    let portals: Vec<_> = portals
        .map(|portal| PortalFacts::of(portal, snapshot, now))
        .collect();
    let folders = || portals.iter().flat_map(PortalFacts::folders);
    for family in ALL.iter() {
        let mut samples = family.samples(sink);
        match family.source {
            Source::Event => {}
            Source::Snapshot(add) => add(snapshot, &mut samples),
            Source::Portal(value) => {
                for (portal, value) in portals.iter().filter_map(|it| Some((it, value(it)?))) {
                    samples.add(&[portal.name()], value);
                }
            }
            Source::PortalSamples(add) => portals.iter().for_each(|it| add(it, &mut samples)),
            Source::Folder(value) => {
                for (folder, value) in
                    folders().filter_map(|it| value(&it).map(|value| (it, value)))
                {
                    samples.add(&folder.labels(), value);
                }
            }
            Source::FolderSamples(add) => folders().for_each(|it| add(&it, &mut samples)),
        }
        samples.finish()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_help_texts_are_sentences_that_need_no_escape() {
        assert!(ALL.is_sorted_by(|a, b| a.name < b.name));
        for Family { name, help, .. } in ALL.iter() {
            assert!(
                help.ends_with('.') && !help.contains(['\\', '\n']),
                "{name}"
            );
        }
    }
}
