//! Portals that are large, slow or strict.

use super::*;

pub fn one_answer_a_second() -> Kind {
    let mut kind = Kind::of(|scene| {
        let folders = [(); 40].map(|()| scene.folder(&[(Done, 300), (Failed, 5)]));
        for folder in [3, 22] {
            uploads(scene, folders[folder], 100 * SECOND);
        }
    });
    kind.latency = SECOND;
    kind.serial = true;
    kind.promise.first = 5 * MINUTE;
    kind
}

/// 300 folders, one of which has half of all files.
pub fn two_million_files() -> Kind {
    let mut kind = Kind::of(|scene| {
        let large = scene.large_folder(999_000, 1_000);
        // The file that recovers is the one that failed last: between two reads, nobody would see either.
        scene.flow(large, Act::Move(Done, Failed), 8 * MINUTE, 0..DAY / 2);
        scene.flow(large, Act::Move(Failed, Done), 9 * MINUTE, DAY / 2..DAY);
        for number in 1..298 {
            scene.large_folder(3_305 + number % 50, 40);
        }
        for _ in 0..2 {
            let folder = scene.folder(&[(Done, 3_305), (Failed, 40)]);
            uploads(scene, folder, 50 * SECOND);
        }
    });
    kind.promise.first = 270 * SECOND;
    kind.promise.quiet_seen = 20 * MINUTE;
    kind
}

/// A full scan takes ten minutes at this rate.
pub fn short_pages() -> Kind {
    let mut kind = Kind::of(|scene| {
        let folder = scene.folder(&[(Done, 59_000), (Failed, 1_000)]);
        uploads(scene, folder, 3 * MINUTE);
    });
    kind.configure = |config| config.collect.strategy = crate::config::Strategy::Full;
    kind.switches.max_page_size = 20;
    kind.promise.first = 12 * MINUTE;
    kind.promise.seen = 25 * MINUTE;
    kind.promise.quiet_seen = 25 * MINUTE;
    kind.promise.consistent = 0.0;
    kind
}

/// One answer in a hundred is 429.
pub fn random_refusals() -> Kind {
    let mut kind = Kind::of(|scene| {
        for _ in 0..20 {
            usual(scene, 500);
        }
        let one_in_a_hundred = Scope::chance(Target::All, 0.01);
        let refused = Fault::Status(429, RetryAfter::Absent);
        scene.trouble(Uuid::nil(), ALWAYS, one_in_a_hundred, refused);
    });
    kind.promise.first = 3 * MINUTE;
    kind.promise.refused = 8_640;
    kind
}

/// A page of one folder answers 429 for ten minutes.
pub fn refused_page() -> Kind {
    let mut kind = Kind::of(|scene| {
        let folders = [(); 5].map(|()| usual(scene, 500));
        let page = Scope::each(Target::Page(folders[4], 1));
        let refused = Fault::Status(429, RetryAfter::Absent);
        scene.trouble(folders[4], 20 * MINUTE..30 * MINUTE, page, refused);
    });
    kind.promise.refused = 100;
    kind
}

/// 300 folders with a failed file each, one of which fails or recovers now and then.
pub fn quiet() -> Kind {
    let mut kind = Kind::of(|scene| {
        let folders = [(); 300].map(|()| scene.folder(&[(Done, 40), (Failed, 1)]));
        for folder in [10, 150, 290] {
            scene.flow(folders[folder], Act::Move(Done, Failed), HOUR / 2, 0..DAY);
        }
    });
    kind.promise.requests = 60_000;
    kind
}
