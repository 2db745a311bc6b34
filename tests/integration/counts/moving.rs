//! What changes while it is read is never a wrong number without its mark (contract, promise 1).

use crate::faults::oracle::files_of;
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::wait::wait_for;
use crate::support::workspace::Workspace;

use kb_simulator::Status;
use uuid::Uuid;

/// Too many for a scan of them to be repeated.
const FILES: usize = 10_050;

fn delete_ten(portal: &Portal, folder: Uuid) {
    portal.world(|world| {
        for file in world.file_ids(folder).into_iter().take(10) {
            world.delete_file(folder, file).unwrap();
        }
    });
}

fn add_ten(portal: &Portal, folder: Uuid) {
    for number in 0..10 {
        portal.file(folder, &format!("arrived {number}.pdf"), Status::Pending);
    }
}

/// The first ten files failed. The folder changes when all pages but the last were read and the last one was asked for.
#[tokio::test]
async fn a_long_folder_that_loses_or_gains_files_while_it_is_read_has_its_mark_taken_away() {
    for change in [delete_ten, add_ten] {
        let portal = Portal::start().await;
        let folder = portal.folder("Moving");
        for number in 0..FILES {
            let status = [Status::Failed, Status::Done][usize::from(number >= 10)].clone();
            portal.file(folder, &format!("file {number:05}.pdf"), status);
        }
        let last = format!("page={}&", FILES.div_ceil(100));
        portal.hold(&last);
        let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
            config["collect"]["concurrency"] = 1.into();
        });
        let exporter = Exporter::start(&workspace).await;
        wait_for("the last page is asked for", async || {
            (portal.requests_with(&last) == 1).then_some(())
        })
        .await;
        change(&portal, folder);
        portal.heal();
        let metrics = exporter.collected().await;
        assert_eq!(metrics.value("kb_folder_consistent", &[]), Some(0.0));
        let shown = metrics.by_status("kb_folder_files", &folder.to_string());
        let held = portal.world(|world| world.counts(folder)).unwrap();
        for (status, files) in files_of(&held) {
            let off = shown[&status].abs_diff(files);
            assert!(off <= 10, "{status}: {shown:?} of {held:?}");
        }
    }
}
