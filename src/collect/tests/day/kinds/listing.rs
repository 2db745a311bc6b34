//! Lists that are not what they should be.

use super::*;

/// A search engine that ends at 5,000 files, while the list of folders has them all.
pub fn capped_total() -> Kind {
    let mut kind = Kind::of(|scene| {
        let folder = scene.folder(&[(Done, 7_020), (Failed, 30)]);
        let end = Fault::Page(PageFault::EndsAt(5_000));
        scene.trouble(folder, ALWAYS, Scope::each(Target::Folder(folder)), end);
    });
    kind.promise.judged_from = 4 * MINUTE;
    kind.promise.marked_off = true;
    kind.promise.consistent = 0.0;
    kind
}

/// The walk of all rows finds it, and a restart does not forget it.
pub fn rows_on_no_page() -> Kind {
    let mut kind = Kind::of(|scene| {
        let folder = usual(scene, 3_000);
        scene.hide(folder, &Done, 60);
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
    let mut kind = Kind::of(|scene| {
        let folder = usual(scene, 160);
        scene.flow(folder, Act::Move(Done, Failed), 3 * MINUTE, 0..DAY);
        scene.hide(folder, &Done, 5);
    });
    kind.promise.marked_off = true;
    kind.promise.consistent = 0.0;
    kind
}

/// The last page has as many rows as the total says. The walk of all rows finds that files are listed twice in place of others.
pub fn overlapping_pages() -> Kind {
    let mut kind = Kind::of(|scene| {
        let folder = scene.folder(&[(Done, 5_500), (Failed, 510), (Flagged, 90)]);
        scene.flow(folder, Act::Move(Done, Failed), 4 * MINUTE, 0..DAY);
    });
    kind.switches.overlap = 1;
    kind.promise.marked_off = true;
    kind.promise.consistent = 0.0;
    // Entries are counted by consistent counts and whole rows alone.
    kind.promise.lost = 400;
    kind
}

/// In place of another one.
pub fn file_listed_twice() -> Kind {
    let mut kind = Kind::of(|scene| {
        let folder = scene.folder(&[(Done, 400), (Failed, 20)]);
        let twice = Fault::Page(PageFault::RowsTwice);
        scene.trouble(folder, ALWAYS, Scope::each(Target::Page(folder, 5)), twice);
        uploads(scene, folder, 3 * MINUTE);
    });
    // The other one may be a file that failed.
    kind.promise.off = 1;
    kind.promise.lost = 1;
    kind.promise.consistent = 0.0;
    kind
}

/// An index that is rebuilt: for three reads, also the first ones, the lists have no rows.
pub fn empty_lists() -> Kind {
    const LASTS: Millis = 3 * MINUTE;
    let mut kind = Kind::of(|scene| {
        let folder = scene.folder(&[(Done, 2_000), (Failed, 260)]);
        uploads(scene, folder, 50 * SECOND);
        for start in (0..DAY).step_by(40 * 60 * 1_000) {
            let empty = Fault::Page(PageFault::EndsAt(0));
            let scope = Scope::each(Target::Folder(folder));
            scene.trouble(folder, start..start + LASTS, scope, empty);
        }
    });
    // Nothing is seen meanwhile.
    kind.promise.seen += LASTS;
    kind
}

/// One page lacks rows, the first time that it is read.
pub fn short_page_once() -> Kind {
    Kind::of(|scene| {
        let folder = usual(scene, 6_000);
        let once = Scope::nth(Target::Page(folder, 30), 1);
        scene.trouble(folder, ALWAYS, once, Fault::Page(PageFault::MissingRows));
    })
}
