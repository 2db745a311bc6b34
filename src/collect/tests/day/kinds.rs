//! The kinds of portals.

mod changes;
mod listing;
mod load;
mod sorting;

pub(super) use changes::*;
pub(super) use listing::*;
pub(super) use load::*;
pub(super) use sorting::*;

use super::quirk::Quirk;
use super::world::{Act, World};
use super::{DAY, HOUR, Kind, MINUTE, Millis, SECOND};
use crate::model::Status::{Done, Failed, Flagged, Pending};

/// Uploads into a folder as they usually are: one in ten fails, one in thirty is flagged.
fn uploads(world: &mut World, folder: usize, every: Millis) {
    for (ends, every) in [(Done, every), (Failed, 10 * every), (Flagged, 30 * every)] {
        world.flow(folder, Act::Upload(90 * SECOND, ends), every, 0..DAY);
    }
}

/// A folder with some files in each status, and uploads.
fn usual(world: &mut World, files: usize) -> usize {
    let folder = world.folder(&[(Done, files), (Failed, 40), (Flagged, 5), (Pending, 3)]);
    uploads(world, folder, 50 * SECOND);
    folder
}
