//! Counts are exact, folder by folder and status by status.

mod hostile;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::tally::Tally;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

use kb_simulator::{
    DeletedFolders, EmptyPages, Equals, Options, Position, SortOrder, SortParameters, Switches,
};
use serde_json::json;
use uuid::Uuid;

/// Numbers of files around the edges of a page of 100, and of one of 30.
const SIZES: [usize; 10] = [0, 1, 29, 30, 31, 60, 99, 100, 101, 250];

/// Fills a folder of each size, collects once, and compares.
async fn counts_are_exact(sizes: &[usize], change: impl FnOnce(&mut Options)) {
    let portal = Portal::with(change).await;
    let folders: Vec<_> = sizes
        .iter()
        .map(|size| {
            let folder = portal.folder(&format!("{size} files"));
            (folder, Tally::fill(&portal, folder, *size))
        })
        .collect();
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter.collected().await;
    for ((folder, tally), size) in folders.iter().zip(sizes) {
        assert_eq!(Tally::shown(&metrics, *folder), *tally, "{size} files");
        is_whole(&metrics, *folder, *size);
    }
}

/// The folder was counted, and says that nothing changed while it was read.
fn is_whole(metrics: &Exposition, folder: Uuid, size: usize) {
    let own = metrics.folder(folder);
    for name in ["kb_folder_up", "kb_folder_consistent"] {
        assert_eq!(own.value(name, &[]), Some(1.0), "{name}");
    }
    let reported = own.count("kb_folder_reported_files", &[]);
    assert_eq!(reported, Some(size as u64));
}

#[tokio::test]
async fn folders_around_the_edges_of_a_page_are_counted_exactly() {
    counts_are_exact(&SIZES, |_| {}).await;
}

#[tokio::test]
async fn whatever_the_interface_leaves_open_counts_are_exact() {
    let switches: [fn(&mut Switches); 9] = [
        |switches| switches.empty_pages = EmptyPages::Zero,
        |switches| switches.empty_pages = EmptyPages::One,
        |switches| switches.equals = Equals::Shifting,
        |switches| switches.default_order = SortOrder::Descending,
        |switches| switches.sort_parameters = SortParameters::Ignored,
        |switches| switches.status_order.reverse(),
        |switches| switches.unnamed_statuses = Position::First,
        |switches| switches.deleted_folders = DeletedFolders::Unlisted,
        |switches| {
            switches.max_page_size = 7;
            switches.empty_pages = EmptyPages::One;
            switches.default_order = SortOrder::Descending;
            switches.sort_parameters = SortParameters::Ignored;
        },
    ];
    for change in switches {
        counts_are_exact(&[0, 1, 100, 250], |options| change(&mut options.switches)).await;
    }
}

#[tokio::test]
async fn a_path_in_the_address_is_used() {
    counts_are_exact(&[101], |options| options.base_path = "/portal/admin".into()).await;
}

#[tokio::test]
async fn two_portals_are_counted_side_by_side_even_when_they_share_folder_ids() {
    let (first, second) = (Portal::start().await, Portal::start().await);
    let (in_first, in_second) = (first.folder("Inbox"), second.folder("Outbox"));
    assert_eq!(in_first, in_second, "same seed, same ids");
    let tallies = [
        Tally::fill(&first, in_first, 7),
        Tally::fill(&second, in_second, 103),
    ];
    let portals = [("first", first.base_url()), ("second", second.base_url())];
    let workspace = Workspace::new(&portals);
    let metrics = Exporter::start(&workspace).await.collected().await;
    let metrics = metrics.by_portal();
    for ((portal, _), tally) in portals.iter().zip(tallies) {
        let own = &metrics[*portal];
        assert_eq!(Tally::shown(own, in_first), tally, "{portal}");
        assert_eq!(own.count("kb_portal_folders", &[]), Some(1));
    }
}

#[tokio::test]
async fn folders_that_nobody_counts_are_told_by_their_reason() {
    let portal = Portal::start().await;
    for name in ["Inbox 1", "Inbox 2", "Inbox 3", "Other"] {
        portal.folder(name);
    }
    let mut workspace = Workspace::new(&[("main", portal.base_url())]);
    workspace.change(|config| {
        config["portals"][0]["folders"] = json!({"include": ["Inbox *", "Invoices *", "Bills"]});
        config["collect"]["max_folders"] = 2.into();
    });
    let metrics = Exporter::start(&workspace).await.collected().await;
    for (reason, folders) in [
        ("max_folders", 1),
        ("no_match", 2),
        ("invalid_row", 0),
        ("list_incomplete", 0),
    ] {
        let unwatched = metrics.count("kb_portal_folders_unwatched", &[("reason", reason)]);
        assert_eq!(unwatched, Some(folders), "{reason}");
    }
}
