//! Portals that sort otherwise.

use std::time::Duration;

use super::*;

/// The last files that were uploaded are those that wait or have failed: so it looks sorted.
pub fn sorted_by_creation() -> Kind {
    let mut kind = Kind::of(|scene| {
        for _ in 0..3 {
            let folder = scene.folder_in_order(vec![Done; 3_000]);
            uploads(scene, folder, 50 * SECOND);
            scene.flow(folder, Act::Move(Done, Failed), 4 * MINUTE, 0..DAY);
        }
    });
    kind.switches.sort_parameters = kb_simulator::SortParameters::ByCreation;
    // Until a walk of all rows refutes it, the boundaries are believed; nothing on their pages tells otherwise.
    kind.promise.judged_from = 10 * MINUTE;
    kind.promise.seen = 12 * MINUTE;
    kind.promise.sorts = Some(false);
    kind
}

/// Nothing on its first and last pages tells that 60 files in the middle have failed.
pub fn one_unsorted_folder() -> Kind {
    let mut kind = Kind::of(|scene| {
        for _ in 0..9 {
            usual(scene, 2_000);
        }
        let mut files = vec![Done; 3_000];
        files[1_500..1_560].fill(Failed);
        let folder = scene.folder_in_order(files);
        let by_name = Fault::Page(PageFault::ByName);
        scene.trouble(folder, ALWAYS, Scope::each(Target::Folder(folder)), by_name);
    });
    kind.promise.sorts = None;
    // The order of others shows that the portal sorts, until all rows of the folder are walked.
    kind.promise.judged_from = 15 * MINUTE;
    // Every page of the folder is read from then on, and of the others until they were shown to be sorted.
    kind.rate = 10;
    kind.promise.requests = 150_000;
    // The counts by boundaries are marked then.
    kind.promise.consistent = 0.95;
    kind
}

/// An index that is five seconds behind the database, from which its rows come.
pub fn late_index() -> Kind {
    let mut kind = Kind::of(|scene| {
        for _ in 0..3 {
            let folder = usual(scene, 4_000);
            scene.flow(folder, Act::Move(Done, Failed), 4 * MINUTE, 0..DAY);
        }
    });
    kind.switches.index_delay = Duration::from_secs(5);
    kind
}
