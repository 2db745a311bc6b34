//! What changes while it is read is never a wrong number without its mark (contract, promise 1).

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::wait::wait_for;
use crate::support::workspace::Workspace;

use kb_exporter::simulator::Status;
use uuid::Uuid;

/// What was shown of a folder that changed while it was read.
struct Shown {
    done: u64,
    failed: u64,
    consistent: bool,
}

/// Fills three pages, changes the folder when two of them were read and the last one was asked for, and collects to the end.
async fn changed_before_the_last_page(change: impl FnOnce(&Portal, Uuid)) -> Shown {
    let portal = Portal::start().await;
    let folder = portal.folder("Moving");
    for number in 0..250 {
        portal.file(folder, &format!("file {number:03}.pdf"), Status::Done);
    }
    portal.hold("page=3&");
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["concurrency"] = 1.into();
    });
    let exporter = Exporter::start(&workspace).await;
    wait_for("the last page is asked for", async || {
        (portal.requests_with("page=3&") == 1).then_some(())
    })
    .await;
    change(&portal, folder);
    portal.heal();
    let metrics = exporter.collected().await;
    let files = metrics.by_status("kb_folder_files", &folder.to_string());
    Shown {
        done: files["done"],
        failed: files["failed"],
        consistent: metrics.value("kb_folder_consistent", &[]) == Some(1.0),
    }
}

/// The ids of the first files by name.
fn first_files(portal: &Portal, folder: Uuid, number: usize) -> Vec<Uuid> {
    let mut files = portal.world(|world| world.file_ids(folder));
    files.truncate(number);
    files
}

#[tokio::test]
async fn a_folder_that_did_not_change_is_called_consistent() {
    let shown = changed_before_the_last_page(|_, _| {}).await;
    assert_eq!((shown.done, shown.consistent), (250, true));
}

#[tokio::test]
async fn files_that_are_deleted_from_pages_read_before_take_the_mark_away() {
    let shown = changed_before_the_last_page(|portal, folder| {
        for file in first_files(portal, folder, 10) {
            portal
                .world(|world| world.delete_file(folder, file))
                .unwrap();
        }
    })
    .await;
    assert!(!shown.consistent, "{} files", shown.done);
}

#[tokio::test]
async fn files_that_arrive_on_pages_read_before_take_the_mark_away() {
    let shown = changed_before_the_last_page(|portal, folder| {
        for number in 0..10 {
            portal.file(folder, &format!("arrived {number}.pdf"), Status::Pending);
        }
    })
    .await;
    assert!(!shown.consistent, "{} files", shown.done);
}

#[tokio::test]
async fn a_status_that_changes_after_its_page_was_read_is_the_one_before() {
    let shown = changed_before_the_last_page(|portal, folder| {
        let file = first_files(portal, folder, 1)[0];
        portal.set(folder, file, Status::Failed);
    })
    .await;
    assert_eq!((shown.done, shown.failed, shown.consistent), (250, 0, true));
}
