//! `kb-exporter files`: which files failed or are flagged, and why.

use kb_simulator::faults::Target;
use kb_simulator::{NewFile, Status};
use serde_json::Value;

use crate::support::portal::Portal;
use crate::support::workspace::Workspace;

/// Runs the command, which must end with a code, and returns what it prints and what it logs.
async fn files(workspace: &Workspace, arguments: &[&str], code: i32) -> [String; 2] {
    let output = workspace.run(&[&["files"], arguments].concat()).await;
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
}

fn rows(document: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(document).unwrap();
    document["files"].as_array().unwrap().clone()
}

#[tokio::test]
async fn each_failed_and_flagged_file_is_a_row_with_its_reason_and_class() {
    let portal = Portal::start().await;
    let [inbox, archive] = ["Inbox", "Archive"].map(|name| portal.folder(name));
    portal.file(inbox, "good.pdf", Status::Done);
    let formula = "=HYPERLINK(\"http://x\").pdf";
    for (folder, name, status, reason) in [
        (inbox, "a b.pdf", Status::Failed, "a b.pdf: no text, page 7"),
        (inbox, formula, Status::Failed, "no text"),
        (inbox, "c.pdf", Status::Flagged, "virus, or not"),
        (archive, "old.pdf", Status::Failed, "no text"),
    ] {
        portal.add(folder, &NewFile::new(name, status).because(reason));
    }
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let all = rows(&files(&workspace, &["--output", "json"], 0).await[0]);
    assert_eq!(all.len(), 4, "{all:?}");
    let row = all.iter().find(|row| row["name"] == "a b.pdf").unwrap();
    for (key, value) in [
        ("folder", "Inbox"),
        ("status", "failed"),
        ("class", "<file>: no text, page <n>"),
        ("reason", "a b.pdf: no text, page 7"),
        ("portal", "main"),
    ] {
        assert_eq!(row[key], value);
    }
    assert!(row["created"].is_string(), "{row}");

    for (arguments, expected) in [
        (["--folder", "Arch*"], 1),
        (["--status", "flagged"], 1),
        (["--class", "no text"], 2),
        (["--class", "nothing"], 0),
    ] {
        let arguments = [&arguments[..], &["--output", "json"]].concat();
        let found = rows(&files(&workspace, &arguments, 0).await[0]);
        assert_eq!(found.len(), expected, "{arguments:?}: {found:?}");
    }
    let [_, said] = files(&workspace, &["--class", "??"], 0).await;
    assert!(said.contains("; names that exist: \"no text\", "), "{said}");
    let [csv, _] = files(&workspace, &["--output", "csv"], 0).await;
    assert_eq!(csv.lines().count(), 5, "{csv}");
    assert!(csv.starts_with("folder,name,status,class,reason,created,"));
    assert!(
        csv.contains("\"'=HYPERLINK(\"\"http://x\"\").pdf\""),
        "{csv}"
    );
    let [table, _] = files(&workspace, &[], 0).await;
    assert!(table.contains("virus, or not") && table.contains("old.pdf"));
}

#[tokio::test]
async fn files_of_a_large_folder_are_found_by_the_order_of_the_list() {
    let portal = Portal::start().await;
    // Names are in another order than statuses.
    let counts = [
        (Status::Done, 20_000),
        (Status::Failed, 150),
        (Status::Pending, 350),
    ];
    portal.world(|world| world.add_synthetic_folder("Large", &counts.into()));
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["max_requests_per_second"] = 1_000.into();
        config["collect"]["strategy"] = "auto".into();
    });
    let [csv, _] = files(&workspace, &["--output", "csv"], 0).await;
    assert_eq!(csv.lines().count(), 151);
    let requests = portal.requests_with("/files");
    assert!(requests < 60, "{requests} requests for 205 pages");
}

#[tokio::test]
async fn a_folder_that_cannot_be_read_is_said_and_the_others_are_listed() {
    let portal = Portal::start().await;
    let [good, bad] = ["Good", "Bad"].map(|name| portal.folder(name));
    for folder in [good, bad] {
        portal.file(folder, "a.pdf", Status::Failed);
    }
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["strategy"] = "auto".into();
    });
    for (status, code, reason) in [
        (401, 1, "status 401"),
        (403, 1, "status 403"),
        (404, 0, "deleted since"),
    ] {
        portal.refuse(Target::Folder(bad), status);
        let [printed, said] = files(&workspace, &["--output", "json"], code).await;
        assert_eq!(rows(&printed).len(), 1, "{printed}");
        let is_said = said.starts_with("portal main, folder Bad: ") && said.contains(reason);
        assert!(is_said && said.lines().count() == 1, "{said}");
    }
}

#[tokio::test]
async fn folders_of_one_name_and_of_none_are_told_apart() {
    let portal = Portal::start().await;
    let folders = ["Inbox", "Inbox", " "].map(|name| portal.folder(name));
    for folder in folders {
        portal.file(folder, "a.pdf", Status::Failed);
    }
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let [printed, _] = files(&workspace, &["--output", "json"], 0).await;
    let rows = rows(&printed);
    let shown: Vec<_> = rows
        .iter()
        .map(|row| row["folder"].as_str().unwrap())
        .collect();
    let [first, second, blank] = folders;
    let mut expected = [
        format!("Inbox ({first})"),
        format!("Inbox ({second})"),
        blank.to_string(),
    ];
    expected.sort();
    assert_eq!(shown, expected);
}

#[tokio::test]
async fn files_that_may_be_missing_and_a_folder_that_is_not_there_are_said() {
    for strategy in ["auto", "full"] {
        let portal = Portal::with(|options| options.switches.hidden_files = 30).await;
        let counts = [(Status::Done, 400), (Status::Failed, 130)];
        portal.world(|world| world.add_synthetic_folder("Large", &counts.into()));
        let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
            config["collect"]["max_requests_per_second"] = 1_000.into();
            config["collect"]["strategy"] = strategy.into();
        });
        let [csv, logged] = files(&workspace, &["--output", "csv"], 1).await;
        assert!(csv.lines().count() > 100, "{strategy}: {csv}");
        assert!(
            logged.contains("files may be missing"),
            "{strategy}: {logged}"
        );
        let [_, logged] = files(&workspace, &["--folder", "Lrge"], 1).await;
        assert!(logged.contains("matches --folder"), "{logged}");
    }
}
