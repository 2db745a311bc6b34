//! The kinds of portals.

mod changes;
mod listing;
mod load;
mod sorting;

pub(super) use changes::*;
pub(super) use listing::*;
pub(super) use load::*;
pub(super) use sorting::*;

use super::scene::{Act, Scene};
use super::{DAY, HOUR, Kind, MINUTE, Millis, SECOND};
use kb_simulator::Status::{Done, Failed, Flagged, Pending};
use kb_simulator::faults::{Fault, ListFault, PageFault, RetryAfter, Scope, Target};
use uuid::Uuid;

/// A fault that does not end.
const ALWAYS: std::ops::Range<Millis> = 0..Millis::MAX;

/// Uploads into a folder as they usually are: one in ten fails, one in thirty is flagged.
fn uploads(scene: &mut Scene, folder: Uuid, every: Millis) {
    for (ends, every) in [(Done, every), (Failed, 10 * every), (Flagged, 30 * every)] {
        scene.flow(folder, Act::Upload("pdf", ends), every, 0..DAY);
    }
}

/// A folder with some files in each status, and uploads.
fn usual(scene: &mut Scene, files: usize) -> Uuid {
    let folder = scene.folder(&[(Done, files), (Failed, 40), (Flagged, 5), (Pending, 3)]);
    uploads(scene, folder, 50 * SECOND);
    folder
}
