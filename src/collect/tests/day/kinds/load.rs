//! Portals that are large, slow or strict.

use super::*;

pub fn one_answer_a_second() -> Kind {
    let mut kind = Kind::of(|world| {
        for _ in 0..40 {
            world.folder(&[(Done, 300), (Failed, 5)]);
        }
        for folder in [3, 22] {
            uploads(world, folder, 50 * SECOND);
        }
    });
    kind.traits.latency = SECOND;
    kind.traits.serial = true;
    kind.promise.first = 5 * MINUTE;
    kind
}

/// 300 folders, one of which has half of all files.
pub fn two_million_files() -> Kind {
    let mut kind = Kind::of(|world| {
        world.folder(&[(Done, 999_000), (Failed, 1_000)]);
        for number in 1..300 {
            world.folder(&[(Done, 3_305 + number % 50), (Failed, 40)]);
        }
        for folder in [0, 50, 250] {
            uploads(world, folder, 50 * SECOND);
        }
    });
    kind.promise.first = 270 * SECOND;
    kind.promise.quiet_seen = 20 * MINUTE;
    kind
}

/// A full scan takes ten minutes at this rate.
pub fn short_pages() -> Kind {
    let mut kind = Kind::of(|world| {
        let folder = world.folder(&[(Done, 59_000), (Failed, 1_000)]);
        uploads(world, folder, 3 * MINUTE);
    });
    kind.configure = |config| config.collect.strategy = crate::config::Strategy::Full;
    kind.traits.page_size = 20;
    kind.promise.first = 12 * MINUTE;
    kind.promise.seen = 25 * MINUTE;
    kind.promise.quiet_seen = 25 * MINUTE;
    kind.promise.consistent = 0.0;
    kind
}

/// One answer in a hundred is 429.
pub fn random_refusals() -> Kind {
    let mut kind = Kind::of(|world| {
        for _ in 0..20 {
            usual(world, 500);
        }
    });
    kind.traits.refused_share = 0.01;
    kind.promise.first = 3 * MINUTE;
    kind.promise.refused = 8_640;
    kind
}

/// A page of one folder answers 429 for ten minutes.
pub fn refused_page() -> Kind {
    let mut kind = Kind::of(|world| {
        for _ in 0..5 {
            usual(world, 500);
        }
        world.folders[4].quirks.push(Quirk::Refuses {
            page: 1,
            during: 20 * MINUTE..30 * MINUTE,
        });
    });
    kind.promise.refused = 100;
    kind
}

/// 300 folders with a failed file each, one of which fails or recovers now and then.
pub fn quiet() -> Kind {
    let mut kind = Kind::of(|world| {
        for _ in 0..300 {
            world.folder(&[(Done, 40), (Failed, 1)]);
        }
        for folder in [10, 150, 290] {
            world.flow(folder, Act::Move(Done, Failed), HOUR / 2, 0..DAY);
        }
    });
    kind.promise.requests = 60_000;
    kind
}
