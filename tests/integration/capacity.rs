//! The figures of `kb-exporter capacity`, beside what the program does with such a portal.

use serde_json::Value;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::process::run;
use crate::support::wait::wait_for;
use crate::support::workspace::Workspace;

use kb_exposition::{Exposition, Sample};
use kb_simulator::{Counts, Status};

/// Collections after which folders are idle: three counts, and two that are further apart.
const SETTLED: usize = 14;

/// A multiple of the time between two counts of an idle folder, in intervals.
const OBSERVED: u32 = 12;

/// Folders of a portal.
#[derive(Debug, Clone, Copy)]
struct Shape {
    folders: usize,
    /// Files of each folder.
    files: u64,
    /// Failed files of each of the first folders, and the number of these.
    failed: (u64, usize),
}

impl Shape {
    async fn portal(self) -> Portal {
        let portal = Portal::start().await;
        for number in 0..self.folders {
            let (failed, with_failed) = self.failed;
            let failed = if number < with_failed { failed } else { 0 };
            let mut counts: Counts = [(Status::Done, self.files - failed)].into();
            if failed > 0 {
                counts.insert(Status::Failed, failed);
            }
            let name = format!("Folder {number}");
            portal.world(|world| world.add_synthetic_folder(&name, &counts));
        }
        portal
    }

    /// What the program works out.
    fn figures(self, workspace: &Workspace) -> Value {
        let files = self.folders as u64 * self.files;
        let failed = self.failed.0 * self.failed.1 as u64 * 100_000 / files;
        let mut command = workspace.command();
        command.args(["capacity", "--output", "json"]);
        command.args(["--folders", &self.folders.to_string()]);
        command.args(["--files", &files.to_string()]);
        command.args(["--failed", &format!("0.{failed:05}")]);
        let output = run(&mut command, "");
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn workspace(portal: &Portal, schedule: &str) -> Workspace {
    Workspace::with(&[("main", portal.base_url())], |config| {
        let collect = &mut config["collect"];
        collect["strategy"] = "auto".into();
        collect["schedule"] = schedule.into();
        collect["quiet_every"] = "4s".into();
        collect["max_requests_per_second"] = 1_000.into();
    })
}

/// Requests of the last count of each folder.
fn requests_of_counts(metrics: &Exposition) -> u64 {
    let counts = metrics.all("kb_folder_collection_requests", &[]);
    counts.map(Sample::count).sum()
}

fn assert_close(what: &str, shape: Shape, figure: &Value, measured: f64, tolerance: f64) {
    let figure = figure.as_f64().unwrap();
    assert!(
        (figure - measured).abs() <= tolerance * figure,
        "{what} of {shape:?}: worked out {figure:.1}, measured {measured:.1}"
    );
}

/// Shapes of which each needs another formula: full scans; boundaries; boundaries and files that failed; folders of which some have failed
/// files. The program expects a request more than it needs for a status that is at an end of the list.
const SHAPES: [Shape; 4] = [
    Shape {
        folders: 30,
        files: 100,
        failed: (0, 0),
    },
    Shape {
        folders: 8,
        files: 3_000,
        failed: (0, 0),
    },
    Shape {
        folders: 6,
        files: 3_000,
        failed: (150, 6),
    },
    // With two failed files among a hundred, a folder of ten has one or more with a probability of 18 %.
    Shape {
        folders: 100,
        files: 10,
        failed: (1, 18),
    },
];

#[tokio::test]
async fn the_first_count_takes_as_many_requests_as_worked_out() {
    for shape in SHAPES {
        let portal = shape.portal().await;
        let workspace = workspace(&portal, "1h");
        let exporter = Exporter::start(&workspace).await;
        let metrics = exporter.collected().await;
        let measured = f64::from(u32::try_from(requests_of_counts(&metrics) + 1).unwrap());
        let figures = shape.figures(&workspace);
        let figure = &figures["first_count_requests"];
        assert_close("requests of the first count", shape, figure, measured, 0.2);
    }
}

#[tokio::test]
async fn an_interval_in_which_nothing_changes_takes_as_many_requests_as_worked_out() {
    for shape in SHAPES {
        let portal = shape.portal().await;
        let workspace = workspace(&portal, "1s");
        let exporter = Exporter::start(&workspace).await;
        let figures = shape.figures(&workspace);
        let lists = || portal.requests_with("/mine");
        let audited = figures["audit_requests_per_day"].as_f64().unwrap() > 0.0;
        wait_for("the folders are idle", async || {
            let metrics = exporter.metrics().await;
            let audits = metrics.all("kb_folder_full_read_difference", &[("status", "done")]);
            let are_over = !audited || audits.count() == shape.folders;
            (lists() >= SETTLED && are_over).then_some(())
        })
        .await;
        let (begun, before) = (lists(), portal.asked().len());
        wait_for("some more collections", async || {
            (lists() >= begun + OBSERVED as usize).then_some(())
        })
        .await;
        let requests = u32::try_from(portal.asked().len() - before).unwrap();
        let measured = f64::from(requests) / f64::from(OBSERVED);
        let figure = &figures["idle_requests_per_interval"];
        assert_close("requests per interval", shape, figure, measured, 0.25);
    }
}

#[tokio::test]
async fn the_series_of_the_folders_are_at_most_as_many_as_worked_out() {
    let shape = SHAPES[1];
    let portal = shape.portal().await;
    let workspace = workspace(&portal, "1s");
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter
        .metrics_when("every folder was audited", |metrics| {
            let audits = metrics.all("kb_folder_full_read_difference", &[("status", "done")]);
            audits.count() == shape.folders
        })
        .await;
    let folders = f64::from(u32::try_from(shape.folders).unwrap());
    let text = exporter.get("/metrics").await.text().await.unwrap();
    let series = text.lines().filter(|line| !line.starts_with('#'));
    let series = series.filter(|line| line.contains("folder_id=")).count();
    drop(metrics);
    let measured = f64::from(u32::try_from(series).unwrap());
    let figure = shape.figures(&workspace)["series"].as_f64().unwrap();
    // A folder in which files were processed has nine more series: the histogram of their indexing times.
    let most = measured + 9.0 * folders;
    assert!(
        measured <= figure && figure <= most + 1.0,
        "worked out {figure}, measured {measured}"
    );
}
