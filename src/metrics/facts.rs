//! What the portals hold: the snapshot as metric families.
//!
//! Each family is written from its own scan over portals or folders, so that it is written as a whole before the next one.

pub(super) mod folder;
pub(super) mod portal;
pub(super) mod reindex;
pub(super) mod view;

use std::io::{self, Write};

use crate::metrics::catalogue;
use crate::metrics::family::Source;
use crate::model::Moment;
use crate::snapshot::Snapshot;

use view::PortalFacts;

/// Writes every family of a snapshot, in the order of their names.
pub(super) fn write(sink: &mut dyn Write, snapshot: &Snapshot, now: Moment) -> io::Result<()> {
    let portals = snapshot.portals.iter();
    let portals: Vec<_> = portals
        .map(|portal| PortalFacts::of(portal, snapshot, now))
        .collect();
    let folders = || portals.iter().flat_map(|portal| &portal.folders);
    for family in catalogue::ALL.iter() {
        let mut samples = family.samples(sink);
        match family.source {
            Source::Event => {}
            Source::Snapshot(value) => samples.add(&[], value(snapshot)),
            Source::Portal(value) => {
                for (portal, value) in portals.iter().filter_map(|it| Some((it, value(it)?))) {
                    samples.add(&[portal.name()], value);
                }
            }
            Source::PortalSamples(add) => portals.iter().for_each(|it| add(it, &mut samples)),
            Source::Folder(value) => {
                for (folder, value) in folders().filter_map(|it| Some((it, value(it)?))) {
                    samples.add(&folder.labels(), value);
                }
            }
            Source::FolderSamples(add) => folders().for_each(|it| add(it, &mut samples)),
        }
        samples.finish()?;
    }
    Ok(())
}
