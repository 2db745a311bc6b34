//! State and ledger keep the same promises in a folder and in PostgreSQL.

mod ledger;
mod state;

use std::fs;

use kb_exporter::config::HiddenPath;
use kb_exporter::store::{Access, Changes, Documents, Place as StorePlace};
use tempfile::TempDir;

use crate::support::postgres::Server;
use crate::support::postgres::database::Database;
use crate::support::sqlite::Sqlite;
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

    fn open(&self, access: Access) -> Documents {
        let place = if self.database.is_some() {
            StorePlace::Server(self.url_file())
        } else {
            StorePlace::folder(self.folder.path())
        };
        Documents::open(place, access)
    }

    /// The state, as soon as those who had it before have closed it.
    async fn state(&self) -> Documents {
        let state = self.open(Access::Serve);
        wait_for("the state is free", async || {
            let address = "https://portal.example/".into();
            let written = state.write(address, Changes::default());
            written.await.answers.is_ok().then_some(())
        })
        .await;
        state
    }

    /// Does what a statement says with the tables of the state.
    async fn sql(&self, statement: &str) -> Vec<Vec<String>> {
        if let Some(database) = &self.database {
            database.sql(&format!("SET search_path TO kb_exporter; {statement}"))
        } else {
            let mut file = Sqlite::open(&self.folder.path().join("state.db")).await;
            file.sql(statement).await
        }
    }
}
