//! Scans of a simulated portal.

mod rendering;

use super::*;
use crate::cli::testing::{KEY, Scene};
use crate::clock::Moment;
use crate::config::{HiddenPath, KeySource, Strategy};
use kb_simulator::{NewFile, Options, SortParameters, Status};

async fn scan(scene: &Scene) -> (Scan, Arc<Snapshot>) {
    let mut scan = Scan::new(&scene.config).unwrap();
    scan.collect(None).await;
    let snapshot = scan.publisher.current();
    (scan, snapshot)
}

fn judged(snapshot: &Snapshot) -> Health {
    health::judge(snapshot, Conditions::default(), Moment::now())
}

fn assert_row(table: &str, folder: &str, result: &str) {
    let is_it = |line: &str| line.contains(folder) && line.contains(result);
    assert!(table.lines().any(is_it), "{folder}, {result}: {table}");
}

#[tokio::test]
async fn every_folder_is_counted_and_every_form_says_the_same() {
    let scene = Scene::new(&[("Inbox", 205), ("Empty", 0)]).await;
    let inbox = scene.folders()[0];
    let failed = NewFile {
        status: Status::Failed,
        error: Some("no text layer".to_owned()),
        ..NewFile::default()
    };
    scene
        .simulator
        .with(|world| world.add_file(inbox, &failed))
        .unwrap();
    let (scan, snapshot) = scan(&scene).await;
    assert!(judged(&snapshot).is_complete());
    let table = tables::text(&judged(&snapshot), None);
    assert!(
        table.contains(
            "│ main   ┆ Inbox  ┆       0 ┆          0 ┆  205 ┆      1 ┆       0 ┆   206 ┆ ok     │"
        ),
        "{table}"
    );
    assert!(
        table.contains("│ main   ┆ Inbox  ┆ failed ┆     1 ┆ no text layer │"),
        "{table}"
    );
    assert!(
        table.contains("portal main: 206 files in 2 folders, read with 5 requests in "),
        "{table}"
    );
    let json: serde_json::Value = serde_json::from_str(&json(&judged(&snapshot)).unwrap()).unwrap();
    let folders = json["portals"][0]["folders"].as_array().unwrap();
    let counted = folders
        .iter()
        .find(|folder| folder["name"] == "Inbox")
        .unwrap();
    assert_eq!(counted["counts"]["files"]["done"], 205);
    assert_eq!(counted["counts"]["errors"][0]["error"], "no text layer");
    let facts = ConfigFacts {
        reload_successful: true,
        loaded: Moment::now().wall,
    };
    let exposition = exposition(&scan.events, facts, &snapshot).unwrap();
    let sample = format!(
        "kb_folder_files{{portal=\"main\",folder_id=\"{inbox}\",folder=\"Inbox\",status=\"done\"}} 205"
    );
    assert!(
        exposition.lines().any(|line| line == sample),
        "{exposition}"
    );
    assert!(
        !exposition.contains("kb_state_writable"),
        "a scan writes to no store"
    );
}

#[tokio::test]
async fn a_folder_that_left_the_keys_set_after_it_was_listed_is_said() {
    let scene = Scene::with_turn(&[("Inbox", 3), ("Secret", 1)], |world| {
        let inbox = world.folder_ids()[0];
        world.key_folders(KEY, [inbox]);
    })
    .await;
    let (_, snapshot) = scan(&scene).await;
    assert!(judged(&snapshot).is_complete());
    let table = tables::text(&judged(&snapshot), None);
    assert_row(&table, "Secret", "not in the list of the key since");
    assert_row(&table, "Inbox", "3 ┆ ok");
}

#[tokio::test]
async fn a_portal_that_refuses_the_key_is_reported_and_changes_nothing_for_another() {
    let well = Scene::new(&[("Inbox", 2)]).await;
    let mut scene = Scene::new(&[("Outbox", 2)]).await;
    scene.simulator.with(|world| world.revoke_key(KEY));
    let mut portal = well.config.portals[0].clone();
    portal.name = crate::model::PortalName::new("other").unwrap();
    scene.config.portals.push(portal);
    let (_, snapshot) = scan(&scene).await;
    assert!(!judged(&snapshot).is_complete());
    let table = tables::text(&judged(&snapshot), None);
    assert_row(&table, "│ main ", "unauthorized");
    assert!(
        table.contains("portal main: it rejects the key since") && table.contains(": status 401"),
        "{table}"
    );
    assert_row(&table, "│ other ", "2 ┆ ok");
}

#[tokio::test]
async fn a_portal_that_does_not_sort_is_noted_and_is_no_fault() {
    let ignored = |options: &mut Options| {
        options.switches.sort_parameters = SortParameters::ByIgnored;
    };
    let mut scene = Scene::with(&[("Inbox", 1_000)], ignored, |_| {}).await;
    scene.config.collect.strategy = Strategy::Sorted;
    let inbox = scene.folders()[0];
    scene.simulator.with(|world| {
        for file in world.file_ids(inbox).into_iter().step_by(7) {
            let failed = world.set_status(inbox, file, Status::Failed, Some("a reason"));
            failed.unwrap();
        }
    });
    let (_, snapshot) = scan(&scene).await;
    let table = tables::text(&judged(&snapshot), None);
    assert!(table.contains("does not sort by status"), "{table}");
    assert!(
        table.contains("857 ┆    143 ┆       0 ┆  1000 ┆ ok"),
        "{table}"
    );
    assert!(judged(&snapshot).is_complete());
}

#[tokio::test]
async fn a_folder_that_takes_too_long_was_not_counted() {
    let mut scene = Scene::new(&[("Inbox", 1_000)]).await;
    scene.config.collect.timeout = std::time::Duration::from_secs(1);
    scene.config.collect.max_requests_per_second = crate::config::Rate::PerSecond(0.01);
    let (_, snapshot) = scan(&scene).await;
    assert!(!judged(&snapshot).is_complete());
    let table = tables::text(&judged(&snapshot), None);
    assert!(
        table.contains("not counted: not read within collect.timeout (1s)"),
        "{table}"
    );
}

#[tokio::test]
async fn folders_beyond_the_limit_were_not_counted() {
    let mut scene = Scene::new(&[("a", 1), ("b", 1)]).await;
    scene.config.collect.max_folders = 1;
    let (_, snapshot) = scan(&scene).await;
    assert!(!judged(&snapshot).is_complete());
    assert!(
        tables::text(&judged(&snapshot), None).contains("1 folders are beyond collect.max_folders")
    );
}

#[tokio::test]
async fn a_certificate_that_cannot_be_read_is_the_trouble_of_the_portal() {
    let mut scene = Scene::new(&[]).await;
    for (file, expected) in [
        (
            "/nonexistent/ca.pem",
            "the file that ca_file names cannot be read",
        ),
        (
            "/dev/null",
            "the file that ca_file names holds no certificate",
        ),
    ] {
        scene.config.portals[0].ca_file = Some(HiddenPath::file("ca_file", file));
        let (_, snapshot) = scan(&scene).await;
        let text = tables::text(&judged(&snapshot), None);
        assert!(text.contains(expected), "{text}");
    }
}

#[tokio::test]
async fn a_key_that_is_missing_is_the_trouble_of_the_portal() {
    let mut scene = Scene::new(&[("Inbox", 1)]).await;
    scene.config.portals[0].key =
        KeySource::File(HiddenPath::file("api_key_file", "/nonexistent/key"));
    let (_, snapshot) = scan(&scene).await;
    assert!(!judged(&snapshot).is_complete());
    assert!(
        tables::text(&judged(&snapshot), None)
            .contains("the file that api_key_file names cannot be read")
    );
}
