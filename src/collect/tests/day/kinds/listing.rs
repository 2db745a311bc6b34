//! Lists that are not what they should be.

use super::*;

/// A search engine that ends at 5,000 files, while the list of folders has them all.
pub fn capped_total() -> Kind {
    let mut kind = Kind::of(|world| {
        let folder = world.folder(&[(Done, 7_020), (Failed, 30)]);
        world.folders[folder].quirks.push(Quirk::EndsAt(5_000));
    });
    kind.promise.judged_from = 4 * MINUTE;
    kind.promise.marked_off = true;
    kind.promise.consistent = 0.0;
    kind
}

/// The audit finds it, and a restart does not forget it.
pub fn rows_on_no_page() -> Kind {
    let mut kind = Kind::of(|world| {
        let folder = usual(world, 3_000);
        world.folders[folder].hide(Done, 60);
    });
    kind.restart = Some(30 * MINUTE);
    kind.promise.judged_from = 10 * MINUTE;
    kind.promise.marked_off = true;
    // Entries begin when the scans have listed all that they will.
    kind.promise.lost = 20;
    kind.promise.consistent = 0.0;
    kind
}

/// A few rows that are missing hide no entry.
pub fn few_rows_on_no_page() -> Kind {
    let mut kind = Kind::of(|world| {
        let folder = usual(world, 160);
        world.flow(folder, Act::Move(Done, Failed), 3 * MINUTE, 0..DAY);
        world.folders[folder].hide(Done, 5);
    });
    kind.promise.marked_off = true;
    kind.promise.consistent = 0.0;
    kind
}

/// The last page has as many rows as the total says. The audit finds that files are listed twice in place of others.
pub fn overlapping_pages() -> Kind {
    let mut kind = Kind::of(|world| {
        let folder = world.folder(&[(Done, 5_500), (Failed, 510), (Flagged, 90)]);
        world.flow(folder, Act::Move(Done, Failed), 4 * MINUTE, 0..DAY);
        world.folders[folder].quirks.push(Quirk::PagesOverlap);
    });
    kind.promise.marked_off = true;
    kind.promise.consistent = 0.0;
    // Entries are counted by consistent counts and whole rows alone.
    kind.promise.lost = 400;
    kind
}

pub fn file_listed_twice() -> Kind {
    let mut kind = Kind::of(|world| {
        let folder = world.folder(&[(Done, 400), (Failed, 20)]);
        world.folders[folder].list_twice(Failed);
        uploads(world, folder, 3 * MINUTE);
    });
    kind.promise.off = 1;
    kind.promise.consistent = 0.0;
    kind
}

/// An index that is rebuilt: for three reads, also the first ones, the lists have no rows.
pub fn empty_lists() -> Kind {
    Kind::of(|world| {
        let folder = world.folder(&[(Done, 2_000), (Failed, 260)]);
        uploads(world, folder, 50 * SECOND);
        world.folders[folder].quirks.push(Quirk::Empty {
            every: 40 * MINUTE,
            lasts: 3 * MINUTE,
        });
    })
}

/// In the list by name one page lacks rows, the first time that it is read.
pub fn short_page_once() -> Kind {
    Kind::of(|world| {
        let folder = usual(world, 6_000);
        world.folders[folder]
            .quirks
            .push(Quirk::ShortOnce { page: 30 });
    })
}
