//! More folders than the rate allows to read in each interval.

use crate::faults::ailing::Ailing;
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::server::Asked;
use crate::support::wait::wait_for;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

use kb_simulator::Status;
use kb_simulator::faults::{Fault, RetryAfter, Target};
use uuid::Uuid;

/// Folders of one page each.
const FOLDERS: usize = 120;

/// Requests a second: a list and 20 reads or so fit into an interval of a second.
const RATE: u32 = 22;

/// Intervals in which every folder has its turn, at the latest: a sixth of the folders in each, and two for whatever is late.
const ROUND: usize = 8;

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

/// The collections that began before each read of a folder.
fn collections_of(folder: Uuid, asked: &[Asked]) -> Vec<usize> {
    let folder = folder.to_string();
    let reads = asked.iter().enumerate();
    reads
        .filter(|(_, asked)| asked.target.contains(&folder))
        .map(|(number, _)| lists(&asked[..number]))
        .collect()
}

fn lists(asked: &[Asked]) -> usize {
    asked.iter().filter(|asked| is_list(asked)).count()
}

async fn wait_for_lists(portal: &Portal, more: usize) {
    let enough = portal.requests_with("/mine") + more;
    wait_for("more collections", async || {
        (portal.requests_with("/mine") >= enough).then_some(())
    })
    .await;
}

/// Fails where more was asked for than the rate allows, but for what a busy machine delays.
fn assert_rate_is_not_exceeded(asked: &[Asked]) {
    let [first, .., last] = asked else { return };
    let time = last.at.duration_since(first.at).unwrap();
    let allowed = f64::from(RATE) * time.as_secs_f64() + 5.0;
    let sent = f64::from(u32::try_from(asked.len()).unwrap());
    assert!(sent <= allowed, "{sent} requests in {time:?}");
}

/// Does something to a folder, waits until it is counted, and fails where that took more than two collections.
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
    let seen = collections_of(folder, &since);
    let begun = seen.first().copied().unwrap_or_default();
    assert!(begun <= 2, "{status} seen in collection {begun}");
}

#[tokio::test]
async fn a_folder_that_changed_or_holds_files_not_done_comes_before_those_that_wait_for_their_turn()
{
    let (portal, folders) = crowd().await;
    let workspace = workspace(&portal);
    let exporter = counted(&workspace).await;
    let asked = portal.asked();
    let read_at = |folder: Uuid| collections_of(folder, &asked).last().copied();
    let &folder = folders
        .iter()
        .max_by_key(|folder| read_at(**folder))
        .unwrap();
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
async fn quiet_folders_take_turns_within_the_rate_and_keep_their_counts_meanwhile() {
    let (portal, folders) = crowd().await;
    let workspace = workspace(&portal);
    let exporter = counted(&workspace).await;
    wait_for_lists(&portal, 2 * ROUND).await;
    let metrics = exporter.metrics().await;
    let done = metrics.all("kb_folder_files", &[("status", "done")]);
    assert_eq!(done.count(), FOLDERS, "counts are shown for two rounds");
    assert!(all_are(&metrics, 1.0));
    for result in ["partial", "failure", "skipped"] {
        let runs = metrics.count("kb_collection_runs_total", &[("result", result)]);
        assert_eq!(runs, Some(0), "{result}");
    }

    let asked = portal.asked();
    assert_rate_is_not_exceeded(&asked);
    for folder in folders {
        let mut collections = collections_of(folder, &asked);
        collections.push(lists(&asked));
        let waits = collections.windows(2).map(|pair| pair[1] - pair[0]);
        let longest = waits.max().unwrap();
        assert!(longest <= ROUND, "{longest} collections without a read");
    }
    let said = exporter.output().join("\n");
    assert_eq!(said.matches("take turns").count(), 1, "{said}");
    // It is no warning.
    let health = exporter.json("/health").await;
    let check = &health["checks"]["portal:main"][0];
    assert_eq!(
        (&health["status"], &check["status"]),
        (&"pass".into(), &"pass".into())
    );
    let output = check["output"].as_str().unwrap();
    assert!(output.contains("not every folder fits"), "{output}");
    assert!(output.contains("collect.quiet_every"), "{output}");
    let page = exporter.get("/").await.text().await.unwrap();
    assert!(page.contains("not every folder fits"), "{page}");
}

#[tokio::test]
async fn what_was_known_holds_again_as_soon_as_the_portal_can_be_asked_again() {
    let (portal, _) = crowd().await;
    let workspace = workspace(&portal);
    let exporter = counted(&workspace).await;
    portal.refuse("/mine", 500);
    exporter
        .metrics_when("every folder is down", |metrics| all_are(metrics, 0.0))
        .await;
    let before = portal.requests_with("/files");
    portal.heal();
    exporter
        .metrics_when("every folder is up again", |metrics| all_are(metrics, 1.0))
        .await;
    let reads = portal.requests_with("/files") - before;
    assert!(reads < FOLDERS / 2, "{reads} reads were needed");
}

/// Folders of one page each in which nothing moves.
const IDLE: usize = 30;

/// Collections after which all of them rest as long as they may: three reads, and rests of two, four and five intervals.
const SETTLED: usize = 16;

#[tokio::test]
async fn an_idle_portal_is_asked_less_and_a_change_in_the_list_is_seen_at_once_all_the_same() {
    let portal = Portal::start().await;
    let folders = (0..IDLE).map(|number| {
        let folder = portal.folder(&format!("Folder {number}"));
        portal.file(folder, "a.pdf", Status::Done);
        folder
    });
    let folders: Vec<_> = folders.collect();
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        let collect = &mut config["collect"];
        collect["schedule"] = "1s".into();
        collect["quiet_every"] = "5s".into();
        // Far less than a rest.
        collect["stale_after"] = "1s".into();
    });
    let exporter = Exporter::start(&workspace).await;
    wait_for_lists(&portal, SETTLED).await;
    let settled = portal.asked().len();
    wait_for_lists(&portal, 10).await;
    let asked = portal.asked().split_off(settled);
    let reads = asked.len() - lists(&asked);
    println!(
        "{reads} reads of {IDLE} folders in {} collections",
        lists(&asked)
    );
    assert!(reads <= 3 * IDLE, "{reads} reads in ten collections");
    for folder in &folders {
        assert!(
            !collections_of(*folder, &asked).is_empty(),
            "not read in ten collections"
        );
    }
    let metrics = exporter.metrics().await;
    let up = metrics.all("kb_folder_up", &[]);
    assert_eq!(up.filter(|folder| folder.count() == 1).count(), IDLE);
    let done = metrics.all("kb_folder_files", &[("status", "done")]);
    assert_eq!(done.count(), IDLE, "counts are shown while folders rest");
    for result in ["partial", "failure", "skipped"] {
        let runs = metrics.count("kb_collection_runs_total", &[("result", result)]);
        assert_eq!(runs, Some(0), "{result}");
    }
    seen_at_once(&portal, &exporter, folders[7], "pending", || {
        portal.file(folders[7], "b.pdf", Status::Pending);
    })
    .await;
    let said = exporter.output().join("\n");
    assert_eq!(said.matches("requests a minute").count(), 1, "{said}");
    assert!(said.contains("(collect.quiet_every)"), "{said}");
}

#[tokio::test]
async fn folders_that_are_refused_take_one_request_each_and_leave_the_rate_to_the_others() {
    let portal = Ailing::start("kbk_demo", 1).await;
    let refused = ["Refused 1", "Refused 2", "Refused 3"].map(|name| portal.folder(name, 3_000));
    let others: Vec<_> = (0..15)
        .map(|number| portal.folder(&format!("Folder {number}"), 5))
        .collect();
    for folder in refused {
        let forbidden = Fault::Status(403, RetryAfter::Absent);
        portal.strike(Target::Folder(folder), forbidden);
    }
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        let collect = &mut config["collect"];
        collect["schedule"] = "1s".into();
        collect["max_requests_per_second"] = RATE.into();
        collect["quiet_every"] = "8s".into();
    });
    let exporter = Exporter::start(&workspace).await;
    exporter
        .metrics_when("every folder was read", |metrics| {
            metrics.all("kb_folder_up", &[]).count() == refused.len() + others.len()
        })
        .await;
    let reads = reads_of(&portal);
    let lists = || portal.requests_to("/mine");
    let settled = lists();
    wait_for("ten more collections", async || {
        (lists() >= settled + 10).then_some(())
    })
    .await;
    let before: Vec<_> = others.iter().map(|folder| reads(*folder)).collect();
    let (asked, begun) = (refused.map(&reads), lists());
    wait_for("sixteen more collections", async || {
        (lists() >= begun + 16).then_some(())
    })
    .await;
    let counted: Vec<_> = others.iter().map(|folder| reads(*folder)).collect();
    let counted = counted.iter().zip(before).map(|(now, before)| now - before);
    let counted: Vec<_> = counted.collect();
    let refusals = refused.map(&reads);
    println!("looks in 16 collections: {counted:?}, refused {asked:?} -> {refusals:?}");
    // They hold files that are not done, so they are counted in each interval. Some of the lists were asked to settle a refusal.
    let settling = refusals.iter().sum::<usize>() - asked.iter().sum::<usize>();
    for reads in &counted {
        assert!(reads + settling >= 14, "{counted:?}, {settling} refusals");
    }
    for (now, before) in refusals.iter().zip(asked) {
        assert!(now - before <= 4, "asked {} times", now - before);
        assert!(now - before >= 1, "not asked any more");
    }
}

fn reads_of(portal: &Ailing) -> impl Fn(Uuid) -> usize + '_ {
    |folder| portal.requests_to(&format!("{folder}/files"))
}
