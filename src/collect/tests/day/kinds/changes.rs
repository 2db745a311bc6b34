//! Folders that change in a way of their own.

use super::*;

/// 19,000 of 20,000 files are deleted within minutes, while others fail.
pub fn mass_deletion() -> Kind {
    let mut kind = Kind::of(|scene| {
        for (number, every) in [(0, 1), (1, 2), (2, 5), (3, 15)] {
            let folder = scene.folder(&[(Done, 19_900), (Failed, 100)]);
            let start = (20 + number) * MINUTE - 3 * SECOND;
            scene.flow(
                folder,
                Act::Delete(Done),
                every,
                start..start + 19_000 * every,
            );
            let failing = start - MINUTE..start + 10 * MINUTE;
            scene.flow(folder, Act::Move(Done, Failed), SECOND, failing);
        }
    });
    kind.configure = |config| config.collect.strategy = crate::config::Strategy::Sorted;
    kind.promise.consistent = 0.5;
    kind
}

/// Files that fail within ten seconds of their upload, by a clock that is 30 s behind.
pub fn quick_failures() -> Kind {
    let mut kind = Kind::of(|scene| {
        let folder = scene.folder(&[(Done, 500), (Failed, 10)]);
        let upload = Act::Upload("txt", Failed);
        let one_read = 5 * SECOND..46 * SECOND;
        scene.flow(folder, upload.clone(), SECOND, one_read);
        scene.flow(folder, upload, 75 * SECOND, MINUTE..DAY);
    });
    kind.clock_behind = 30 * SECOND;
    kind
}

/// 2,500 failed files; in each hour, 20 more fail and 20 recover.
pub fn many_failed() -> Kind {
    let mut kind = Kind::of(|scene| {
        let folder = scene.folder(&[(Done, 5_000), (Failed, 2_500)]);
        scene.flow(folder, Act::Move(Done, Failed), 3 * MINUTE, 0..DAY);
        scene.flow(folder, Act::Move(Failed, Done), 3 * MINUTE, 0..DAY);
    });
    kind.promise.seen = 12 * MINUTE;
    // A file that recovers and fails again while as many files do the contrary was never seen done.
    kind.promise.lost = 30;
    kind
}

/// 4,000 failed files and 2,800 flagged ones are queued again, and all end as before.
pub fn requeued() -> Kind {
    let mut kind = Kind::of(|scene| {
        for (status, files) in [(Failed, 4_000), (Flagged, 2_800)] {
            let folder = scene.folder(&[(Done, 20_000), (status.clone(), files)]);
            let once = 19 * MINUTE..20 * MINUTE;
            scene.flow(folder, Act::Requeue(status), MINUTE, once);
        }
    });
    kind.promise.consistent = 0.5;
    kind
}

/// 600 of 10,000 failed files recover while their rows are read for the first time.
pub fn early_recoveries() -> Kind {
    let mut kind = Kind::of(|scene| {
        let folder = scene.folder(&[(Done, 20_000), (Failed, 10_000)]);
        scene.flow(folder, Act::Move(Failed, Done), SECOND, 0..10 * MINUTE);
    });
    kind.promise.consistent = 0.5;
    kind
}

/// A file is deleted in each second.
pub fn steady_deletion() -> Kind {
    let mut kind = Kind::of(|scene| {
        let folder = scene.folder(&[(Done, 4_950), (Failed, 50)]);
        let deleting = 0..80 * MINUTE;
        scene.flow(folder, Act::Delete(Done), SECOND, deleting);
    });
    kind.promise.consistent = 0.5;
    kind
}

/// A folder leaves the list for ten minutes, and is counted soon after it is back.
pub fn folder_that_returns() -> Kind {
    Kind::of(|scene| {
        let folders = [(); 20].map(|()| {
            let folder = scene.folder(&[(Done, 500), (Failed, 10)]);
            scene.flow(folder, Act::Move(Done, Failed), 40 * MINUTE, 0..30 * MINUTE);
            folder
        });
        let folder = folders[3];
        let away = 50 * MINUTE..60 * MINUTE;
        let left = Fault::List(ListFault::Without(folder));
        scene.trouble(folder, away.clone(), Scope::each(Target::List), left);
        let forbidden = Fault::Status(403, RetryAfter::Absent);
        scene.trouble(folder, away, Scope::each(Target::Folder(folder)), forbidden);
    })
}

/// The counts of before are shown at once.
pub fn restart() -> Kind {
    let mut kind = Kind::of(|scene| {
        let folders = [(); 30].map(|()| scene.folder(&[(Done, 1_000), (Failed, 10)]));
        for folder in [5, 17, 29] {
            uploads(scene, folders[folder], 50 * SECOND);
        }
    });
    kind.restart = Some(20 * MINUTE);
    kind
}
