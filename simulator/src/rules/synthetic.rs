//! Folders that compute their files, by the same requests as others.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::support::Portal;
use crate::{Counts, Status};

/// A portal with a folder that computes its files.
fn synthetic(counts: &Counts) -> (Portal, Uuid) {
    let portal = Portal::new();
    let folder = portal.world(|world| world.add_synthetic_folder("Large", counts));
    (portal, folder)
}

/// One field of all rows, page by page.
async fn all(portal: &Portal, folder: Uuid, query: &str, field: &str) -> Vec<String> {
    let mut column = Vec::new();
    for page in 1.. {
        let page = portal.page(folder, &format!("page={page}&{query}")).await;
        match page.column(field) {
            rows if rows.is_empty() => break,
            rows => column.extend(rows),
        }
    }
    column
}

#[tokio::test]
async fn every_file_is_listed_once_and_is_the_same_in_every_order() {
    let counts = [
        (Status::Done, 200),
        (Status::Failed, 40),
        (Status::Flagged, 7),
        ("archived".into(), 3),
    ];
    let (portal, folder) = synthetic(&counts.into());
    let rows = async |query| {
        let mut rows = BTreeMap::new();
        let ids = all(&portal, folder, query, "id").await;
        for field in [
            "filename",
            "linkId",
            "createdAt",
            "indexStatus",
            "indexError",
        ] {
            let column = all(&portal, folder, query, field).await;
            for (id, value) in ids.iter().zip(column) {
                rows.insert((id.clone(), field), value);
            }
        }
        rows
    };
    let by_name = rows("sortBy=filename").await;
    assert_eq!(by_name.len(), 5 * 250);
    assert_eq!(rows("sortBy=indexStatus").await, by_name);
    assert_eq!(rows("sortBy=indexStatus&sortOrder=desc").await, by_name);
    for field in ["filename", "linkId"] {
        let values = by_name.iter().filter(|((_, of), _)| *of == field);
        let values: BTreeSet<_> = values.map(|(_, value)| value).collect();
        assert_eq!(values.len(), 250, "{field}");
    }
    let reasons = by_name.iter().filter(|((_, of), _)| *of == "indexError");
    let given = reasons.filter(|(_, reason)| *reason != "null");
    assert_eq!(given.count(), 47);
}
