//! `kb-exporter state migrate`: state and ledger move from a folder to PostgreSQL, and back, and nothing is lost.

mod cut_short;
mod exporter;
mod refused;
mod rows;

use std::path::PathBuf;
use std::process::Output;

use serde_json::json;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::postgres::Server;
use crate::support::postgres::database::Database;
use crate::support::process::run;
use crate::support::workspace::Workspace;

/// A portal, a workspace with a state folder, and an empty database.
struct Move {
    portal: Portal,
    workspace: Workspace,
    database: Database,
}

impl Move {
    /// The state is in the folder.
    async fn new() -> Self {
        let portal = Portal::start().await;
        let workspace = Workspace::each_second(&[("main", portal.base_url())]);
        let database = Server::shared().await.database();
        std::fs::write(workspace.path("url"), database.url()).unwrap();
        Self {
            portal,
            workspace,
            database,
        }
    }

    /// The same, and an exporter has used the folder.
    async fn used() -> Self {
        let story = Self::new().await;
        let exporter = Exporter::start(&story.workspace).await;
        exporter.collected().await;
        exporter.stop().await;
        story
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.workspace.path(name)
    }

    /// Configures a folder and the database.
    fn use_database(&mut self, folder: &str) {
        let state = json!({
            "path": self.folder(folder),
            "postgres_url_file": self.workspace.path("url"),
            "lease": "2s",
        });
        self.workspace.change(|config| config["state"] = state);
    }

    /// Configures a folder alone.
    fn use_folder(&mut self, folder: &str) {
        let state = json!({"path": self.folder(folder)});
        self.workspace.change(|config| config["state"] = state);
    }

    fn migrate(&self, to: &str) -> Output {
        let mut command = self.workspace.command();
        run(command.args(["state", "migrate", "--to", to]), "")
    }

    /// Migrates, and returns what the command says.
    fn migrated(&self, to: &str) -> String {
        let output = self.migrate(to);
        let says = [&*output.stdout, &*output.stderr].concat();
        let says = String::from_utf8(says).unwrap();
        assert_eq!(output.status.code(), Some(0), "{says}");
        says
    }

    /// Commands that read or write a source that was moved are told where it went.
    fn says_where_it_went(&self, to: &str) {
        let forgive = ["reindex", "forgive", "--portal", "main"];
        for arguments in [
            &["reindex", "history"][..],
            &["reindex", "classes"],
            &forgive,
        ] {
            let output = run(self.workspace.command().args(arguments), "");
            let says = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{arguments:?}: {says}");
            assert!(says.contains("was moved to"), "{arguments:?}: {says}");
            assert!(says.contains(to), "{arguments:?}: {says}");
        }
    }

    /// Does not migrate, and returns why.
    fn refused(&self, to: &str) -> String {
        let output = self.migrate(to);
        let says = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{says}");
        assert!(says.contains("nothing was moved"), "{says}");
        says
    }
}

#[tokio::test]
async fn everything_that_was_stored_comes_back_as_it_was() {
    for seed in 1..=3 {
        let mut story = Move::used().await;
        rows::fill(&story.folder("state"), seed);
        let before = rows::all(&story.folder("state"));
        story.use_database("state");
        let says = story.migrated("postgres");
        assert!(says.contains("is the same as the original"), "{says}");
        assert_eq!(rows::all(&story.folder("state")), before, "seed {seed}");
        story.use_database("back");
        story.migrated("path");
        assert_eq!(rows::all(&story.folder("back")), before, "seed {seed}");
    }
}
