//! An exporter that goes on with what was copied.

use kb_simulator::{NewFile, Status};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Move;
use crate::reindex::scene::LONG_AGO;
use crate::support::attempts;
use crate::support::exporter::Exporter;
use crate::support::process::run;
use crate::support::sqlite;
use crate::support::wait::wait_for;

impl Move {
    /// The attempts, newest first.
    fn history(&self) -> Vec<Value> {
        let mut command = self.workspace.command();
        let output = run(command.args(["reindex", "history", "--output", "json"]), "");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        document["attempts"].as_array().unwrap().clone()
    }

    /// Adds a folder in which files failed, for a reason of its own, so that it does not wait for what comes of another one.
    fn failing_folder(&self, name: &str) -> Uuid {
        let folder = self.portal.folder(name);
        for file in ["a.pdf", "b.pdf"] {
            self.portal.file(folder, file, Status::Done);
        }
        for file in ["c.pdf", "d.pdf"] {
            let file = NewFile::new(file, Status::Failed).because(name);
            self.portal.add(folder, &file);
        }
        folder
    }

    /// Lets one more file fail, and waits until so many entries are counted and stored.
    async fn fail_one(&self, exporter: &Exporter, folder: Uuid, entries: u64) {
        let name = format!("{entries}.pdf");
        self.portal.file(folder, &name, Status::Failed);
        self.entered(exporter, folder, entries).await;
    }

    async fn entered(&self, exporter: &Exporter, folder: Uuid, entries: u64) {
        let folder = folder.to_string();
        let labels = [("folder_id", &*folder), ("status", "failed")];
        exporter
            .metrics_when(&format!("{entries} entries into failed"), |metrics| {
                let found = metrics.count("kb_folder_status_entries_total", &labels);
                assert!(found.is_none_or(|found| found <= entries), "{found:?}");
                found == Some(entries)
            })
            .await;
    }

    async fn attempted(&self, attempts: usize) {
        // The request takes along every file that fails before it.
        wait_for(&format!("{attempts} attempts are answered"), async || {
            let history = self.history();
            let accepted = history.iter().filter(|row| row["result"] == "accepted");
            (accepted.count() == attempts).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn an_exporter_goes_on_in_postgresql_and_back_in_a_folder() {
    let mut story = Move::new().await;
    story.portal.writes().allow_reindex_failed();
    let rules = json!({"mode": "enforce", "min_age": "0s", "cooldown": "1h"});
    story.workspace.change(|config| config["reindex"] = rules);
    let exporter = Exporter::start(&story.workspace).await;
    exporter.collected().await;
    exporter.stop().await;
    let ledger = story.folder("state").join("ledger.db");
    sqlite::sql(&ledger, &attempts::age(LONG_AGO));

    let first = story.failing_folder("First");
    let exporter = Exporter::start(&story.workspace).await;
    story.attempted(1).await;
    story.fail_one(&exporter, first, 1).await;
    exporter.stop().await;
    let in_folder = story.history();
    let number = in_folder[0]["id"].as_i64().unwrap();

    story.use_database("state");
    story.migrated("postgres");
    assert_eq!(story.history(), in_folder);
    story.use_folder("state");
    story.says_where_it_went("the PostgreSQL database of state.postgres_url_file");
    story.use_database("state");
    let second = story.failing_folder("Second");
    let exporter = Exporter::start(&story.workspace).await;
    story.entered(&exporter, first, 1).await;
    story.fail_one(&exporter, first, 2).await;
    story.attempted(2).await;
    story.use_database("back");
    let says = story.refused("path");
    assert!(says.contains("a process uses the database"), "{says}");
    story.fail_one(&exporter, second, 1).await;
    exporter.stop().await;
    let in_database = story.history();
    assert_eq!(in_database[1], in_folder[0]);
    assert!(in_database[0]["id"].as_i64().unwrap() > number);

    story.migrated("path");
    story.says_where_it_went("/back");
    story.use_folder("back");
    assert_eq!(story.history(), in_database);
    let exporter = Exporter::start(&story.workspace).await;
    story.entered(&exporter, first, 2).await;
    story.entered(&exporter, second, 1).await;
    story.fail_one(&exporter, first, 3).await;
    exporter.stop().await;
    assert_eq!(story.history(), in_database, "the cooldown lasts");
}
