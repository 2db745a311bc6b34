//! State and ledger keep the same promises in a folder and in PostgreSQL.

mod ledger;
mod state;

use std::fs;

use kb_exporter::state::Store;
use tempfile::TempDir;

use crate::support::postgres::Server;
use crate::support::wait::wait_for;

/// Where state and ledger are, from one process to the next.
#[derive(Debug)]
struct Place {
    /// The state folder, or the folder of the file with the URL.
    folder: TempDir,
    in_database: bool,
}

impl Place {
    /// One of each kind, both empty.
    async fn all() -> [Self; 2] {
        let [in_folder, in_database] = [false, true].map(|in_database| Self {
            folder: tempfile::tempdir().unwrap(),
            in_database,
        });
        let database = Server::shared().await.database();
        fs::write(in_database.url_file(), database.url()).unwrap();
        [in_folder, in_database]
    }

    fn url_file(&self) -> std::path::PathBuf {
        self.folder.path().join("url")
    }

    /// The state, as soon as those who had it before have closed it.
    async fn state(&self) -> Store {
        if self.in_database {
            return Store::on_server(&self.url_file());
        }
        wait_for("the folder is free", async || {
            let (store, _, error) = Store::open(self.folder.path());
            error.is_none().then_some(store)
        })
        .await
    }
}
