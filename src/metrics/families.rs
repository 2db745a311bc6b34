//! All metric families (docs/metrics.md, All metrics): each is declared with name, help, labels and source of its value, in the
//! modules here or in `events`.
//!
//! A family of the snapshot is written from its own scan over portals or folders, so that it is written as a whole before the next one.

mod exporter;
pub(super) mod folder;
pub(super) mod portal;
mod process;
pub(super) mod reindex;
pub(super) mod view;

use std::io::{self, Write};
use std::sync::LazyLock;

use crate::metrics::events;
use crate::metrics::family::Source;

use view::{Facts, PortalFacts};

pub use crate::metrics::family::{Family, Kind};

/// Every family, in the order of their names.
pub static ALL: LazyLock<Vec<&'static Family>> = LazyLock::new(|| {
    let families = [
        events::FAMILIES,
        exporter::FAMILIES,
        portal::FAMILIES,
        folder::FAMILIES,
        reindex::FAMILIES,
    ];
    let mut all = families.concat();
    all.sort_by_key(|family| family.name);
    all
});

/// Writes every family but those of events, in the order of their names.
pub(super) fn write(sink: &mut dyn Write, facts: &Facts) -> io::Result<()> {
    // A portal that another process reads has only the family that says so.
    let portals = facts.snapshot.shown();
    let portals = portals.map(|portal| PortalFacts::of(portal, facts));
    let portals: Vec<_> = portals.collect();
    let folders = || portals.iter().flat_map(PortalFacts::folders);
    for family in ALL.iter().chain(process::FAMILIES) {
        let mut samples = family.samples(sink);
        match family.source {
            Source::Event => {}
            Source::Exporter(value) => samples.add_if_known(value(facts)),
            Source::ExporterSamples(add) => add(facts, &mut samples),
            Source::Portal(value) => portals
                .iter()
                .for_each(|it| samples.about(&it.labels()).add_if_known(value(it))),
            Source::PortalSamples(add) => portals
                .iter()
                .for_each(|it| add(it, samples.about(&it.labels()))),
            Source::Folder(value) => {
                folders().for_each(|it| samples.about(&it.labels()).add_if_known(value(&it)));
            }
            Source::FolderSamples(add) => {
                folders().for_each(|it| add(&it, samples.about(&it.labels())));
            }
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
