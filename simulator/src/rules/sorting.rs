//! What a real portal may make of `sortBy` and `sortOrder`, in folders that hold their files and in those that compute them.

use super::support::{FOLDERS, Portal};
use crate::{Equals, Position, SortOrder, SortParameters, Status, Switches};

const BY_STATUS: &str = "sortBy=indexStatus&sortOrder";

/// The statuses of two files each; docs/portal.md does not name the last three.
fn statuses() -> Vec<Status> {
    let strange = [Status::Null, "archived".into(), "quarantined".into()];
    Status::KNOWN.into_iter().chain(strange).collect()
}

/// A portal with the same statuses in a folder that holds its files and in one that computes them.
fn portal(change: impl FnOnce(&mut Switches)) -> (Portal, [String; 2]) {
    let portal = Portal::with_switches(change);
    for (number, status) in statuses().into_iter().cycle().take(16).enumerate() {
        portal.add(&format!("{:02}", (number * 7) % 16), "", status);
    }
    let counts = statuses().into_iter().map(|status| (status, 2)).collect();
    let computed = portal
        .simulator
        .with(|world| world.add_synthetic_folder("Large", &counts));
    let paths = [portal.folder, computed].map(|id| format!("{FOLDERS}/{id}/files?pageSize=100&"));
    (portal, paths)
}

async fn column(portal: &Portal, path: &str, query: &str, field: &str) -> Vec<String> {
    portal.get(&format!("{path}{query}")).await.column(field)
}

/// Each status in the order of its first row.
fn runs(mut statuses: Vec<String>) -> String {
    statuses.dedup();
    statuses.join(" ")
}

#[tokio::test]
async fn the_order_may_be_ignored_while_what_to_sort_by_is_not() {
    let table = [
        (SortOrder::Ascending, "asc"),
        (SortOrder::Descending, "desc"),
    ];
    for (default, as_if) in table {
        let (portal, paths) = portal(|switches| {
            switches.sort_parameters = SortParameters::OrderIgnored;
            switches.default_order = default;
        });
        let (obedient, _) = self::portal(|_| {});
        for path in &paths {
            for by in ["filename", "indexStatus"] {
                let asked = |order| format!("sortBy={by}&sortOrder={order}");
                let up = column(&portal, path, &asked("asc"), "filename").await;
                let down = column(&portal, path, &asked("desc"), "filename").await;
                assert_eq!(up, down, "{by}");
            }
        }
        let held = |portal: &Portal| format!("{FOLDERS}/{}/files?pageSize=100&", portal.folder);
        let query = |order| format!("{BY_STATUS}={order}");
        let got = column(&portal, &paths[0], &query("asc"), "indexStatus").await;
        let expected = column(&obedient, &held(&obedient), &query(as_if), "indexStatus").await;
        assert_eq!(got, expected);
    }
}

#[tokio::test]
async fn what_to_sort_by_may_be_ignored_while_the_order_is_not() {
    let (portal, paths) = portal(|s| s.sort_parameters = SortParameters::ByIgnored);
    for path in &paths {
        let up = column(&portal, path, &format!("{BY_STATUS}=asc"), "filename").await;
        let mut down = column(&portal, path, &format!("{BY_STATUS}=desc"), "filename").await;
        assert!(up.is_sorted());
        down.reverse();
        assert_eq!(down, up);
    }
}

#[tokio::test]
async fn unnamed_statuses_lie_at_an_end_of_the_order_or_behind_it_both_ways() {
    let known = "pending processing done failed flagged";
    let (back, strange) = (
        "flagged failed done processing pending",
        ["archived quarantined null", "null quarantined archived"],
    );
    let table = [
        (
            Position::First,
            format!("{} {known}", strange[0]),
            format!("{back} {}", strange[1]),
        ),
        (
            Position::Last,
            format!("{known} {}", strange[0]),
            format!("{} {back}", strange[1]),
        ),
        (
            Position::LastEitherWay,
            format!("{known} {}", strange[0]),
            format!("{back} {}", strange[1]),
        ),
    ];
    for equals in [Equals::Fixed, Equals::Shifting] {
        for (position, up, down) in &table {
            let (portal, paths) = portal(|switches| {
                switches.unnamed_statuses = *position;
                switches.equals = equals;
            });
            for path in &paths {
                for (order, expected) in [("asc", up), ("desc", down)] {
                    let query = format!("{BY_STATUS}={order}");
                    let got = column(&portal, path, &query, "indexStatus").await;
                    assert_eq!(got.len(), 16);
                    assert_eq!(runs(got), *expected, "{position:?} {equals:?} {order}");
                }
            }
        }
    }
}
