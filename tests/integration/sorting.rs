//! Whether a portal sorts by status: assumed, shown or refuted, by what its rows say.

use kb_simulator::{SortParameters, Status};
use serde_json::Value;
use uuid::Uuid;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::workspace::Workspace;
use kb_exposition::{Exposition, Sample};

/// The defaults, twenty times as fast.
fn fast_defaults(config: &mut Value) {
    config["collect"] = serde_json::json!({
        "schedule": "3s",
        "jitter": "0s",
        "quiet_every": "15s",
        "full_every": "72m",
        "timeout": "30s",
        "max_requests_per_second": 100,
    });
}

fn workspace(base_url: String, change: impl FnOnce(&mut Value)) -> Workspace {
    Workspace::with(&[("main", base_url)], |config| {
        fast_defaults(config);
        change(config);
    })
}

fn sorting_is(metrics: &Exposition, state: &str) -> bool {
    let states = ["shown", "assumed", "refuted"];
    states.iter().all(|other| {
        let holds = metrics.value("kb_portal_sorting", &[("state", *other)]);
        holds == Some(f64::from(u8::from(*other == state)))
    })
}

fn files(metrics: &Exposition, folder: Uuid, status: &str) -> Option<u64> {
    let own = metrics.folder(folder);
    own.count("kb_folder_files", &[("status", status)])
}

fn is_consistent(metrics: &Exposition, folder: Uuid) -> Option<bool> {
    let own = metrics.folder(folder);
    let consistent = own.value("kb_folder_consistent", &[]);
    consistent.map(|consistent| consistent > 0.5)
}

fn all_requests(metrics: &Exposition) -> u64 {
    let requests = metrics.all("kb_portal_requests_total", &[]);
    requests.map(Sample::count).sum()
}

/// Adds files of one status, whose names are in no order.
fn add(portal: &Portal, folder: Uuid, status: &Status, number: usize, names: &str) -> Vec<Uuid> {
    let random = &mut fastrand::Rng::with_seed(number as u64);
    let names = std::iter::repeat_with(|| format!("{names}{:016x}.pdf", random.u64(..)));
    names
        .take(number)
        .map(|name| portal.file(folder, &name, status.clone()))
        .collect()
}

/// Ten thousand files of which sixty in the middle failed and forty at the end wait.
#[tokio::test]
async fn a_portal_that_sorts_by_creation_time_is_marked_and_then_refuted_by_its_rows() {
    let portal = Portal::with(|options| {
        options.switches.sort_parameters = SortParameters::ByCreation;
    })
    .await;
    let folder = portal.folder("Inbox");
    let contents = [
        (Status::Done, 5_000),
        (Status::Failed, 60),
        (Status::Done, 4_900),
        (Status::Pending, 40),
    ];
    for (status, number) in contents {
        add(&portal, folder, &status, number, "");
    }
    let workspace = workspace(portal.base_url(), |_| {});
    let exporter = Exporter::start(&workspace).await;
    let is_right = |metrics: &Exposition| files(metrics, folder, "failed") == Some(60);
    exporter
        .metrics_when("sorting is refuted, and the folder counted", |metrics| {
            let counted = is_consistent(metrics, folder) == Some(true);
            assert!(!counted || is_right(metrics) || !sorting_is(metrics, "shown"));
            sorting_is(metrics, "refuted") && counted && is_right(metrics)
        })
        .await;
    let health = exporter.json("/health").await;
    let portal = &health["checks"]["portal:main"][0];
    assert_eq!(portal["sorting"], "refuted");
    let said = portal["output"].as_str().unwrap_or_default();
    assert!(said.contains("does not sort by status"), "{said}");
    exporter.stop().await;
    // The next process knows it.
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter.collected().await;
    assert!(sorting_is(&metrics, "refuted"));
}

#[tokio::test]
async fn a_portal_in_which_all_is_done_is_counted_at_once_for_few_requests() {
    let portal = Portal::start().await;
    let done = [(Status::Done, 400_000)].into();
    let folder = portal.world(|world| world.add_synthetic_folder("Archive", &done));
    // Nothing but the first collection.
    let workspace = workspace(portal.base_url(), |config| {
        config["collect"]["schedule"] = "1h".into();
        config["collect"]["max_pages_per_folder"] = 100.into();
    });
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter.collected().await;
    assert_eq!(files(&metrics, folder, "done"), Some(400_000));
    // It has too many pages for a full scan, which alone could vouch for it.
    assert_eq!(is_consistent(&metrics, folder), Some(false));
    assert!(sorting_is(&metrics, "assumed"));
    // The list, and the folder's three pages.
    assert_eq!(all_requests(&metrics), 1 + 3);
}
