//! What changes while it is read is never a wrong number without its mark (contract, promise 1).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::raw::RawPortal;
use crate::support::wait::wait_for;
use crate::support::workspace::Workspace;

use kb_simulator::Status;
use serde_json::json;
use uuid::Uuid;

/// Few enough that a scan of them may be repeated.
const SHORT: usize = 250;

/// Too many for that.
const LONG: usize = 10_050;

/// What was shown of a folder that changed while it was read, and what was true.
#[derive(Debug)]
struct Shown {
    files: BTreeMap<String, u64>,
    consistent: bool,
    before: BTreeMap<String, u64>,
    after: BTreeMap<String, u64>,
}

impl Shown {
    /// How far a count is from what was true after the changes.
    fn largest_error(&self) -> u64 {
        let errors = self.after.iter();
        let errors = errors.map(|(status, files)| self.files[status].abs_diff(*files));
        errors.max().unwrap()
    }
}

/// Fills a folder, the first files failed and the others done; changes it when all pages but the last were read and the last
/// one was asked for; and collects to the end.
async fn changed_before_the_last_page(files: usize, change: impl FnOnce(&Portal, Uuid)) -> Shown {
    let portal = Portal::start().await;
    let folder = portal.folder("Moving");
    for number in 0..files {
        let status = if number < 10 {
            Status::Failed
        } else {
            Status::Done
        };
        portal.file(folder, &format!("file {number:05}.pdf"), status);
    }
    let last = format!("page={}&", files.div_ceil(100));
    portal.hold(&last);
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["concurrency"] = 1.into();
    });
    let exporter = Exporter::start(&workspace).await;
    wait_for("the last page is asked for", async || {
        (portal.requests_with(&last) == 1).then_some(())
    })
    .await;
    let before = true_counts(&portal, folder);
    change(&portal, folder);
    portal.heal();
    let metrics = exporter.collected().await;
    Shown {
        files: metrics.by_status("kb_folder_files", &folder.to_string()),
        consistent: metrics.value("kb_folder_consistent", &[]) == Some(1.0),
        before,
        after: true_counts(&portal, folder),
    }
}

/// All five statuses as the portal has them.
fn true_counts(portal: &Portal, folder: Uuid) -> BTreeMap<String, u64> {
    let counts = portal.world(|world| world.counts(folder)).unwrap();
    let all = Status::KNOWN.map(|status| {
        let files = counts.get(&status).copied().unwrap_or(0);
        (status.name().unwrap().to_owned(), files)
    });
    all.into()
}

fn first_files(portal: &Portal, folder: Uuid, number: usize) -> Vec<Uuid> {
    let mut files = portal.world(|world| world.file_ids(folder));
    files.truncate(number);
    files
}

fn delete_ten(portal: &Portal, folder: Uuid) {
    for file in first_files(portal, folder, 10) {
        let deleted = portal.world(|world| world.delete_file(folder, file));
        deleted.unwrap();
    }
}

fn add_ten(portal: &Portal, folder: Uuid) {
    for number in 0..10 {
        portal.file(folder, &format!("arrived {number}.pdf"), Status::Pending);
    }
}

#[tokio::test]
async fn a_folder_that_did_not_change_is_called_consistent() {
    let shown = changed_before_the_last_page(SHORT, |_, _| {}).await;
    assert!(shown.consistent);
    assert_eq!(shown.files, shown.after);
}

#[tokio::test]
async fn a_long_folder_that_loses_or_gains_files_while_it_is_read_has_its_mark_taken_away() {
    for change in [delete_ten, add_ten] {
        let shown = changed_before_the_last_page(LONG, change).await;
        assert!(!shown.consistent, "{shown:?}");
        assert!(shown.largest_error() <= 10, "{shown:?}");
    }
}

#[tokio::test]
async fn a_short_folder_that_loses_or_gains_files_while_it_is_read_is_exact_or_marked() {
    for change in [delete_ten, add_ten] {
        let shown = changed_before_the_last_page(SHORT, change).await;
        let exact = shown.files == shown.after;
        assert!(exact || !shown.consistent, "{shown:?}");
    }
}

#[tokio::test]
async fn a_status_that_changes_after_its_page_was_read_is_the_one_before() {
    let shown = changed_before_the_last_page(SHORT, |portal, folder| {
        let file = first_files(portal, folder, 1)[0];
        portal.set(folder, file, Status::Done);
    })
    .await;
    assert_ne!(shown.before, shown.after);
    assert_eq!((shown.files, shown.consistent), (shown.before, true));
}

/// A page of a folder of so many done and then failed files, a hundred a page.
fn page_of(done: u64, failed: u64, page: u64) -> String {
    let total = done + failed;
    let rows = ((page - 1) * 100..total.min(page * 100)).map(|at| {
        let status = if at < done { "done" } else { "failed" };
        json!({"id": Uuid::from_u128(at.into()), "indexStatus": status})
    });
    let rows: Vec<_> = rows.collect();
    json!({"data": rows, "pagination": {"page": page, "total": total}}).to_string()
}

#[tokio::test]
async fn of_a_folder_that_loses_files_at_each_request_no_others_are_missing() {
    const DONE: u64 = 19_393;
    const FAILED: u64 = 9_000;
    const DELETED: u64 = 60;
    let folder = Uuid::from_u128(1);
    let list = json!({"data": [{"id": folder, "name": "Moving", "fileCount": DONE + FAILED}]});
    let asked = Arc::new(AtomicU64::new(0));
    let portal = RawPortal::start(list.to_string(), move |_, page| {
        let deleted = DELETED * asked.fetch_add(1, Ordering::Relaxed);
        Some(page_of(DONE.saturating_sub(deleted), FAILED, page))
    })
    .await;
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["strategy"] = "sorted".into();
    });
    let metrics = Exporter::start(&workspace).await.collected().await;
    let files = metrics.by_status("kb_folder_files", &folder.to_string());
    let requests = metrics.count("kb_folder_collection_requests", &[("strategy", "sorted")]);
    let most = DELETED * requests.unwrap();
    for (status, before) in [("done", DONE), ("failed", FAILED)] {
        assert!(files[status].abs_diff(before) <= most, "{files:?}: {most}");
    }
    assert_eq!(metrics.value("kb_folder_consistent", &[]), Some(0.0));
}
