//! More folders than the rate allows to read in each interval. Stories of many intervals are in `src/collect/tests/turns.rs`, in paused time.

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::server::Asked;
use crate::support::wait::wait_for;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

use kb_simulator::Status;
use uuid::Uuid;

/// Folders of one page each.
const FOLDERS: usize = 120;

/// Requests a second: a list and 20 reads or so fit into an interval of a second.
const RATE: u32 = 22;

/// A portal whose folders take turns, with one file in each.
async fn crowd() -> (Portal, Vec<Uuid>) {
    let portal = Portal::start().await;
    let folders = (0..FOLDERS).map(|number| {
        let folder = portal.folder(&format!("Folder {number}"));
        portal.file(folder, "a.pdf", Status::Done);
        folder
    });
    let folders = folders.collect();
    (portal, folders)
}

fn workspace(portal: &Portal) -> Workspace {
    Workspace::with(&[("main", portal.base_url())], |config| {
        let collect = &mut config["collect"];
        collect["schedule"] = "1s".into();
        collect["max_requests_per_second"] = RATE.into();
        collect["quiet_every"] = "2s".into();
        // Far less than a round.
        collect["stale_after"] = "1s".into();
    })
}

fn all_are(metrics: &Exposition, up: f64) -> bool {
    let folders = metrics.all("kb_folder_up", &[]);
    folders
        .filter(|folder| folder.value.total_cmp(&up).is_eq())
        .count()
        == FOLDERS
}

/// An exporter that has counted every folder.
async fn counted(workspace: &Workspace) -> Exporter {
    let exporter = Exporter::start(workspace).await;
    exporter
        .metrics_when("every folder is counted", |metrics| all_are(metrics, 1.0))
        .await;
    exporter
}

fn is_list(asked: &Asked) -> bool {
    asked.target.ends_with("/mine")
}

/// Does something to a folder, waits until it is counted, and fails where half of the folders were read before it.
async fn seen_at_once(
    portal: &Portal,
    exporter: &Exporter,
    folder: Uuid,
    status: &str,
    act: impl FnOnce(),
) {
    let before = portal.asked().len();
    act();
    let id = folder.to_string();
    let labels = [("folder_id", &*id), ("status", status)];
    exporter
        .metrics_when("what was done is counted", |metrics| {
            metrics.count("kb_folder_files", &labels) == Some(1)
        })
        .await;
    let since = portal.asked().split_off(before);
    let mut reads = since.iter().filter(|asked| !is_list(asked));
    let others = reads.position(|asked| asked.target.contains(&id)).unwrap();
    assert!(others < FOLDERS / 2, "{status} seen after {others} reads");
}

#[tokio::test]
async fn a_folder_that_changed_or_holds_files_not_done_comes_before_those_that_wait_for_their_turn()
{
    let (portal, folders) = crowd().await;
    let workspace = workspace(&portal);
    let exporter = counted(&workspace).await;
    let asked = portal.asked();
    let read_at = |folder: &Uuid| {
        let id = folder.to_string();
        asked.iter().rposition(|asked| asked.target.contains(&id))
    };
    // Its turn is the farthest away.
    let &folder = folders.iter().max_by_key(|folder| read_at(folder)).unwrap();
    let mut file = Uuid::nil();
    // The list shows that a file came, and not its status.
    seen_at_once(&portal, &exporter, folder, "pending", || {
        file = portal.file(folder, "b.pdf", Status::Pending);
    })
    .await;
    seen_at_once(&portal, &exporter, folder, "failed", || {
        portal.set(folder, file, Status::Failed);
    })
    .await;
}

#[tokio::test]
async fn how_many_folders_wait_is_said_and_is_no_warning() {
    let (portal, _) = crowd().await;
    let workspace = workspace(&portal);
    let exporter = counted(&workspace).await;
    let health = wait_for("folders wait", async || {
        let health = exporter.json("/health").await;
        let waits = health.to_string().contains("to be read, the first for");
        waits.then_some(health)
    })
    .await;
    let check = &health["checks"]["portal:main"][0];
    assert_eq!(
        (&health["status"], &check["status"]),
        (&"pass".into(), &"pass".into())
    );
    let page = exporter.get("/").await.text().await.unwrap();
    assert!(page.contains("to be read, the first for"), "{page}");
}
