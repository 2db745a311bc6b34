//! State and ledger keep the same promises in a folder and in PostgreSQL.

mod ledger;
mod state;

use std::fs;

use kb_exporter::config::HiddenPath;
use kb_exporter::state::{StateFolder, Store};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::postgres::Server;
use crate::support::postgres::database::Database;
use crate::support::wait::wait_for;

/// Where state and ledger are, from one process to the next.
#[derive(Debug)]
struct Place {
    /// The state folder, or the folder of the file with the URL.
    folder: TempDir,
    database: Option<Database>,
}

impl Place {
    /// One of each kind, both empty.
    async fn all() -> [Self; 2] {
        let database = Server::shared().await.database();
        [None, Some(database)].map(|database| {
            let folder = tempfile::tempdir().unwrap();
            if let Some(database) = &database {
                fs::write(folder.path().join("url"), database.url()).unwrap();
            }
            Self { folder, database }
        })
    }

    fn url_file(&self) -> HiddenPath {
        HiddenPath::file("state.postgres_url_file", self.folder.path().join("url"))
    }

    /// The state, as soon as those who had it before have closed it.
    async fn state(&self) -> Store {
        let store = if self.database.is_some() {
            Store::on_server(&self.url_file())
        } else {
            Store::in_folder(StateFolder::new(self.folder.path()))
        };
        wait_for("the state is free", async || {
            store.check_write().await.is_ok().then_some(())
        })
        .await;
        store
    }

    /// Does what a statement says with the tables of the state.
    fn sql(&self, statement: &str) {
        if let Some(database) = &self.database {
            database.sql(&format!("SET search_path TO kb_state; {statement}"));
        } else {
            let file = Connection::open(self.folder.path().join("state.db")).unwrap();
            file.execute_batch(statement).unwrap();
        }
    }
}
