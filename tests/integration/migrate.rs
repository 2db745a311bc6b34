//! `kb-exporter state migrate`: state and ledger move from a folder to PostgreSQL, and back, and nothing is lost.

mod exporter;
mod refused;
mod rows;

use std::path::PathBuf;
use std::process::Output;

use rusqlite::Connection;
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

    /// Does not migrate, and returns why.
    fn refused(&self, to: &str) -> String {
        let output = self.migrate(to);
        let says = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{says}");
        assert!(says.contains("nothing was copied"), "{says}");
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

#[tokio::test]
async fn both_engines_have_the_same_columns() {
    let mut story = Move::used().await;
    story.use_database("state");
    story.migrated("postgres");
    for (file, schema) in rows::FILES {
        let file = Connection::open(story.folder("state").join(file)).unwrap();
        for table in rows::tables(&file) {
            let columns = format!(
                "SELECT string_agg(column_name, ' ' ORDER BY column_name COLLATE \"C\") FROM information_schema.columns
                 WHERE table_schema = '{schema}' AND table_name = '{table}'"
            );
            let mut of_file = rows::columns(&file, &table);
            of_file.sort();
            assert_eq!(story.database.value(&columns), of_file.join(" "), "{table}");
        }
    }
}

/// What the versions before wrote: the first tables in which a portal has its name.
#[tokio::test]
async fn an_older_version_of_the_files_is_brought_up_to_date_on_the_way() {
    let mut story = Move::new().await;
    let folder = story.folder("state");
    std::fs::create_dir(&folder).unwrap();
    rows::make_old(&folder, "main");
    let before = rows::all(&folder);
    story.use_database("state");
    story.migrated("postgres");
    let address = format!("{}/", story.portal.base_url().trim_end_matches('/'));
    let portals = story.database.value("SELECT address FROM kb_ledger.portal");
    assert_eq!(portals, address);
    let base = story.database.value("SELECT base FROM kb_state.folder");
    assert_eq!(base, "[1,2,3,4,5,6]");
    let id = "SELECT nextval('kb_ledger.attempt_id_seq')";
    assert_eq!(story.database.value(id), "8");
    assert_eq!(rows::all(&folder), before);
}
