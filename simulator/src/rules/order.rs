//! What a real portal may make of `sortBy` and `sortOrder`, in folders that hold their files and in those that compute them.

use uuid::Uuid;

use super::support::Portal;
use crate::{Equals, Position, Status, Switches};

/// The statuses of two files each; docs/portal.md does not name the last three.
fn statuses() -> Vec<Status> {
    let strange = [Status::Null, "archived".into(), "quarantined".into()];
    Status::KNOWN.into_iter().chain(strange).collect()
}

/// A portal with the same statuses in a folder that holds its files and in one that computes them.
fn portal(change: impl FnOnce(&mut Switches)) -> (Portal, [Uuid; 2]) {
    let portal = Portal::with(change);
    for (number, status) in statuses().into_iter().cycle().take(16).enumerate() {
        portal.add(&format!("{:02}", (number * 7) % 16), status);
    }
    let counts = statuses().into_iter().map(|status| (status, 2)).collect();
    let computed = portal.world(|world| world.add_synthetic_folder("Large", &counts));
    let folders = [portal.folder, computed];
    (portal, folders)
}

/// Each status in the order of its first row.
async fn runs(portal: &Portal, folder: Uuid, order: &str) -> String {
    let query = format!("sortBy=indexStatus&sortOrder={order}");
    let mut statuses = portal.page(folder, &query).await.column("indexStatus");
    assert_eq!(statuses.len(), 16);
    statuses.dedup();
    statuses.join(" ")
}

#[tokio::test]
async fn statuses_lie_in_the_order_of_the_portal_and_unnamed_ones_at_an_end_of_it() {
    const KNOWN: &str = "pending processing done failed flagged";
    const BACK: &str = "flagged failed done processing pending";
    const UP: &str = "archived quarantined null";
    const DOWN: &str = "null quarantined archived";
    for equals in [Equals::Fixed, Equals::Shifting] {
        for (position, named, up, down) in [
            (Position::First, KNOWN, [UP, KNOWN], [BACK, DOWN]),
            (Position::Last, KNOWN, [KNOWN, UP], [DOWN, BACK]),
            (Position::Last, BACK, [BACK, UP], [DOWN, KNOWN]),
            (Position::LastEitherWay, KNOWN, [KNOWN, UP], [BACK, DOWN]),
        ] {
            let (portal, folders) = portal(|switches| {
                switches.status_order = named.split(' ').map(Status::from).collect();
                switches.unnamed_statuses = position;
                switches.equals = equals;
            });
            for folder in folders {
                assert_eq!(runs(&portal, folder, "asc").await, up.join(" "));
                assert_eq!(runs(&portal, folder, "desc").await, down.join(" "));
            }
        }
    }
}

#[tokio::test]
async fn equals_keep_their_order_or_shift_at_each_request() {
    let counts = [(Status::Done, 80)].into();
    for (switch, same) in [(Equals::Fixed, true), (Equals::Shifting, false)] {
        let portal = Portal::with(|switches| switches.equals = switch);
        let (held, computed) = portal.world(|world| {
            let added = world.add_files(portal.folder, &Status::Done, 80);
            added.unwrap();
            (portal.folder, world.add_synthetic_folder("Large", &counts))
        });
        for folder in [held, computed] {
            let ids = async |query| portal.page(folder, query).await.column("id");
            let mut first = ids("sortBy=indexStatus").await;
            let mut second = ids("sortBy=indexStatus").await;
            assert_eq!(first == second, same, "{switch:?}");
            first.sort();
            second.sort();
            assert_eq!(first, second, "each answer has every row once");
            let by_name = ids("sortBy=filename").await;
            assert_eq!(ids("sortBy=filename").await, by_name, "names are distinct");
        }
    }
}
