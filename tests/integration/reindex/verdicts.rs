//! What an attempt is judged by while the folder moves.

use std::time::Duration;

use kb_simulator::{NewFile, Simulator, Status};
use serde_json::json;
use uuid::Uuid;

use super::scene::Scene;
use crate::support::exporter::Exporter;
use crate::support::wait::wait_for;
use crate::support::writes::REINDEX_FAILED;
use kb_exposition::Exposition;

/// Files that were done before anything happens.
const DONE: usize = 1_000;

/// Adds files to a folder, with names that sort in the order of their numbers.
fn add(scene: &Scene, name: &str, number: usize, status: &Status) -> Vec<Uuid> {
    let name = |number| format!("{name} {number:04}.pdf");
    let files = (0..number).map(|number| {
        let file = scene.portal.file(scene.folder, &name(number), Status::Done);
        scene.portal.set(scene.folder, file, status.clone());
        file
    });
    files.collect()
}

/// A portal with as many done and failed files, under the default strategy: what is done is counted by boundaries, and not read. It is
/// collected seldom enough that a done file is deleted between any two collections.
async fn counted_by_boundaries(failed: usize) -> (Scene, Vec<Uuid>, Vec<Uuid>) {
    let scene = Scene::with("enforce", |config| {
        let collect = config["collect"].as_object_mut().unwrap();
        collect.remove("strategy");
        collect["schedule"] = "3s".into();
    })
    .await;
    scene.settle(&Status::Done);
    let done = add(&scene, "done", DONE, &Status::Done);
    let failed = add(&scene, "failed", failed, &Status::Failed);
    (scene, done, failed)
}

/// Deletes one done file each second, and replaces every second one by another with the same name.
fn keep_moving(portal: Simulator, folder: Uuid, done: Vec<Uuid>) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move {
        let mut seconds = tokio::time::interval(Duration::from_secs(1));
        for (number, file) in done.into_iter().enumerate() {
            seconds.tick().await;
            portal.with(|world| {
                world.delete_file(folder, file).unwrap();
                if number % 2 == 0 {
                    let name = format!("done {number:04}.pdf");
                    let status = Status::Done;
                    let file = NewFile {
                        name,
                        status,
                        ..NewFile::default()
                    };
                    world.add_file(folder, &file).unwrap();
                }
            });
        }
    })
}

/// Files that were requeued, came back, and failed again.
fn files(scene: &Scene, metrics: &Exposition) -> [f64; 3] {
    ["requeued", "recovered", "refailed"].map(|fate| {
        let name = format!("kb_reindex_files_{fate}_total");
        scene.value(metrics, &name, None).unwrap()
    })
}

/// What is said of the first attempt when it is judged.
async fn judged(scene: &Scene, exporter: &Exporter) -> (&'static str, [f64; 3]) {
    const VERDICTS: [&str; 4] = ["recovered", "partial", "none", "inconclusive"];
    let verdict = |metrics: &Exposition| {
        let given = |verdict: &&str| {
            let label = Some(("outcome", *verdict));
            scene.value(metrics, "kb_reindex_outcomes_total", label) == Some(1.0)
        };
        VERDICTS.into_iter().find(given)
    };
    let metrics = exporter
        .metrics_when("the attempt is judged", |metrics| {
            verdict(metrics).is_some()
        })
        .await;
    (verdict(&metrics).unwrap(), files(scene, &metrics))
}

#[tokio::test]
async fn files_that_come_back_while_others_are_deleted_and_replaced_have_recovered() {
    let (scene, done, failed) = counted_by_boundaries(40).await;
    let moving = keep_moving(scene.portal.simulator(), scene.folder, done);
    let exporter = scene.start_with_old_ledger().await;
    scene.attempted(&exporter, "accepted").await;
    // Some of them come back before others do.
    for some in failed.chunks(20) {
        exporter.collected_again().await;
        for file in some {
            scene.portal.set(scene.folder, *file, Status::Done);
        }
    }
    let judged = judged(&scene, &exporter).await;
    let strategy = [("strategy", "sorted")];
    let metrics = exporter.metrics().await;
    assert_eq!(
        metrics
            .all("kb_folder_collection_requests", &strategy)
            .count(),
        1
    );
    assert_eq!(judged, ("recovered", [40.0, 40.0, 0.0]));
    moving.abort();
    exporter.stop().await;
    assert_eq!(scene.sent(), 1);
}

#[tokio::test]
async fn what_files_did_is_what_was_read_of_them_whatever_the_portal_says_that_it_took() {
    let (scene, _, failed) = counted_by_boundaries(90).await;
    scene.portal.hold(REINDEX_FAILED);
    let exporter = scene.start_with_old_ledger().await;
    scene.first_sent().await;
    // The portal takes 88 of the 90 files that the exporter saw.
    for file in &failed[..2] {
        scene.portal.set(scene.folder, *file, Status::Done);
    }
    scene.portal.heal();
    scene.attempted(&exporter, "accepted").await;
    wait_for("the files are seen waiting", async || {
        let metrics = exporter.metrics().await;
        let files = metrics.by_status("kb_folder_files", &scene.folder.to_string());
        (files["pending"] == 88).then_some(())
    })
    .await;
    exporter.collected_again().await;
    for (number, file) in failed[2..].iter().enumerate() {
        let status = if number < 24 {
            Status::Done
        } else {
            Status::Failed
        };
        scene.portal.set(scene.folder, *file, status);
    }
    // More fail meanwhile, which the attempt had not sent.
    add(&scene, "late", 30, &Status::Failed);
    let (verdict, [requeued, recovered, refailed]) = judged(&scene, &exporter).await;
    assert_eq!((verdict, requeued), ("partial", 88.0));
    assert_eq!((recovered, refailed), (26.0, 64.0));
    exporter.stop().await;
}

#[tokio::test]
async fn the_command_shows_the_numbers_that_decide() {
    let scene = Scene::new("enforce").await;
    // With the class that they will have later, too.
    scene.settle(&Status::Failed);
    let exporter = scene.start_with_old_ledger().await;
    scene.attempted(&exporter, "accepted").await;
    scene.helped_and_failed_anew(&exporter).await;
    scene.held(&exporter, "cooldown").await;
    exporter.collected_again().await;
    let mut command = scene.workspace.command();
    command.args(["reindex", "classes", "--output", "json"]);
    let output = command.output().unwrap();
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let (portal, class) = (&said["portals"][0], &said["classes"][0]);
    assert_eq!(
        (&portal["tries_left"], &portal["tries"]),
        (&json!(1), &json!(2))
    );
    let newest = (&class["newest_recovered"], &class["newest"]);
    assert_eq!(newest, (&json!(2), &json!(2)), "{said}");
    exporter.stop().await;
}
