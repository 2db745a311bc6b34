//! Interface, the order of the file list.

use axum::http::StatusCode;

use super::support::Portal;
use crate::{Equals, Position, SortOrder, SortParameters, Status};

#[tokio::test]
async fn files_are_sorted_by_name_either_way_and_an_unknown_sort_is_silently_by_name() {
    let portal = Portal::new();
    for name in ["b", "c", "a"] {
        portal.add(name, "", Status::Done);
    }
    for (query, expected) in [
        ("", ["a", "b", "c"]),
        ("?sortBy=filename&sortOrder=asc", ["a", "b", "c"]),
        ("?sortOrder=desc", ["c", "b", "a"]),
        ("?sortBy=fileSize&sortOrder=desc", ["c", "b", "a"]),
        ("?sortOrder=sideways", ["a", "b", "c"]),
    ] {
        let answer = portal.files(query).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.column("filename"), expected, "{query}");
    }
}

#[tokio::test]
async fn the_default_order_may_be_the_other_one_and_sorting_may_be_ignored() {
    let portal = Portal::with_switches(|switches| {
        switches.default_order = SortOrder::Descending;
        switches.sort_parameters = SortParameters::Ignored;
    });
    for (name, status) in [("a", Status::Failed), ("b", Status::Pending)] {
        portal.add(name, "", status);
    }
    for query in ["", "?sortBy=indexStatus&sortOrder=asc", "?sortOrder=asc"] {
        assert_eq!(
            portal.files(query).await.column("filename"),
            ["b", "a"],
            "{query}"
        );
    }
}

fn one_of_each(portal: &Portal) {
    for status in Status::KNOWN {
        portal.add("x", "", status);
    }
    portal.add("x", "", Status::Other("archived".into()));
}

#[tokio::test]
async fn statuses_sort_in_any_order_that_a_portal_has() {
    let orders = [
        (
            Position::Last,
            "pending processing done failed flagged archived",
        ),
        (
            Position::First,
            "archived done failed flagged pending processing",
        ),
        (
            Position::Last,
            "flagged processing failed done pending archived",
        ),
    ];
    for (position, order) in orders {
        let portal = Portal::with_switches(|switches| {
            let names = order.split(' ').filter(|name| *name != "archived");
            switches.status_order = names.map(Status::from).collect();
            switches.unnamed_statuses = position;
        });
        one_of_each(&portal);
        let mut expected: Vec<&str> = order.split(' ').collect();
        let ascending = portal.files("?sortBy=indexStatus&sortOrder=asc").await;
        assert_eq!(ascending.column("indexStatus"), expected);
        expected.reverse();
        let descending = portal.files("?sortBy=indexStatus&sortOrder=desc").await;
        assert_eq!(descending.column("indexStatus"), expected);
    }
}

#[tokio::test]
async fn the_order_by_status_follows_a_change() {
    let portal = Portal::new();
    let first = portal.add("a", "", Status::Pending);
    portal.add("b", "", Status::Pending);
    let sorted = async || portal.files("?sortBy=indexStatus").await.column("filename");
    assert_eq!(sorted().await, ["a", "b"]);
    let set = portal
        .simulator
        .with(|world| world.set_status(portal.folder, first, Status::Done, None));
    set.unwrap();
    assert_eq!(sorted().await, ["b", "a"]);
    portal.add("c", "", Status::Pending);
    assert_eq!(sorted().await, ["b", "c", "a"]);
}

#[tokio::test]
async fn equals_keep_their_order_or_shift_at_each_request() {
    let query = "?sortBy=indexStatus&pageSize=100";
    let table = [(Equals::Fixed, true), (Equals::Shifting, false)];
    for (switch, same) in table {
        let portal = Portal::with_switches(|switches| switches.equals = switch);
        for number in 0..40 {
            portal.add(&format!("{number:02}"), "", Status::Done);
        }
        let first = portal.files(query).await.column("filename");
        let mut others = Vec::new();
        for _ in 0..5 {
            others.push(portal.files(query).await.column("filename"));
        }
        assert_eq!(
            others.iter().all(|other| *other == first),
            same,
            "{switch:?}"
        );
        for mut names in others {
            names.sort();
            names.dedup();
            assert_eq!(names.len(), 40, "one answer has every row once");
        }
    }
}

#[tokio::test]
async fn shifting_equals_leave_distinct_names_in_order() {
    let portal = Portal::with_switches(|switches| switches.equals = Equals::Shifting);
    for name in ["c", "a", "b"] {
        portal.add(name, "", Status::Done);
    }
    for _ in 0..5 {
        assert_eq!(portal.files("").await.column("filename"), ["a", "b", "c"]);
    }
}
