//! Folders that change in a way of their own.

use super::*;

/// 19,000 of 20,000 files are deleted within minutes, while others fail.
pub fn mass_deletion() -> Kind {
    let mut kind = Kind::of(|world| {
        for (number, every) in [(0, 1), (1, 2), (2, 5), (3, 15)] {
            let folder = world.folder(&[(Done, 19_900), (Failed, 100)]);
            let start = (20 + number) * MINUTE - 3 * SECOND;
            world.flow(
                folder,
                Act::Delete(Done),
                every,
                start..start + 19_000 * every,
            );
            let failing = start - MINUTE..start + 10 * MINUTE;
            world.flow(folder, Act::Move(Done, Failed), SECOND, failing);
        }
    });
    kind.configure = |config| config.collect.strategy = crate::config::Strategy::Sorted;
    kind.promise.consistent = 0.5;
    kind
}

/// Files that fail eight seconds after their upload, by a clock that is 30 s behind.
pub fn quick_failures() -> Kind {
    let mut kind = Kind::of(|world| {
        let folder = world.folder(&[(Done, 500), (Failed, 10)]);
        let upload = Act::Upload(8 * SECOND, Failed);
        let one_read = 5 * SECOND..46 * SECOND;
        world.flow(folder, upload, SECOND, one_read);
        world.flow(folder, upload, 75 * SECOND, MINUTE..DAY);
    });
    kind.traits.clock_behind = 30 * SECOND;
    kind
}

/// 2,500 failed files; in each hour, 20 more fail and 20 recover.
pub fn many_failed() -> Kind {
    let mut kind = Kind::of(|world| {
        let folder = world.folder(&[(Done, 5_000), (Failed, 2_500)]);
        world.flow(folder, Act::Move(Done, Failed), 3 * MINUTE, 0..DAY);
        world.flow(folder, Act::Move(Failed, Done), 3 * MINUTE, 0..DAY);
    });
    kind.promise.seen = 12 * MINUTE;
    // A file that recovers and fails again while as many files do the contrary was never seen done.
    kind.promise.lost = 30;
    kind
}

/// 5,000 failed files and 3,500 flagged ones are queued again, and all end as before.
pub fn requeued() -> Kind {
    let mut kind = Kind::of(|world| {
        for (status, files) in [(Failed, 5_000), (Flagged, 3_500)] {
            let folder = world.folder(&[(Done, 20_000), (status, files)]);
            let once = 19 * MINUTE..20 * MINUTE;
            world.flow(folder, Act::Requeue(status, 200, status), MINUTE, once);
        }
    });
    kind.promise.consistent = 0.5;
    kind
}

/// 600 of 10,000 failed files recover while their rows are read for the first time.
pub fn early_recoveries() -> Kind {
    let mut kind = Kind::of(|world| {
        let folder = world.folder(&[(Done, 20_000), (Failed, 10_000)]);
        world.flow(folder, Act::Move(Failed, Done), SECOND, 0..10 * MINUTE);
    });
    kind.promise.consistent = 0.5;
    kind
}

/// A file is deleted in each second.
pub fn steady_deletion() -> Kind {
    let mut kind = Kind::of(|world| {
        let folder = world.folder(&[(Done, 4_950), (Failed, 50)]);
        let deleting = 0..80 * MINUTE;
        world.flow(folder, Act::Delete(Done), SECOND, deleting);
    });
    kind.promise.consistent = 0.5;
    kind
}

/// A folder leaves the list for ten minutes, and is counted soon after it is back.
pub fn folder_that_returns() -> Kind {
    Kind::of(|world| {
        for _ in 0..20 {
            let folder = world.folder(&[(Done, 500), (Failed, 10)]);
            world.flow(folder, Act::Move(Done, Failed), 40 * MINUTE, 0..30 * MINUTE);
        }
        let away = 50 * MINUTE..60 * MINUTE;
        world.folders[3].quirks.push(Quirk::Unlisted(away));
    })
}

/// The counts of before are shown at once.
pub fn restart() -> Kind {
    let mut kind = Kind::of(|world| {
        for _ in 0..30 {
            world.folder(&[(Done, 1_000), (Failed, 10)]);
        }
        for folder in [5, 17, 29] {
            uploads(world, folder, 50 * SECOND);
        }
    });
    kind.restart = Some(20 * MINUTE);
    kind
}
