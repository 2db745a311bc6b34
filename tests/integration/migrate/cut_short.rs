//! A move whose last step is cut: the next try completes it.

use super::*;
use crate::support::postgres::proxy::{AtCommit, Proxy};

/// What only the transactions of a move have.
const MARKS: &str = "UPDATE store SET moved_to";

impl Move {
    /// Lets the command reach the database by a proxy.
    async fn by_proxy(&self) -> Proxy {
        let proxy = Proxy::before(Server::shared().await.address()).await;
        let url = self.database.url_at(proxy.address());
        std::fs::write(self.workspace.path("url"), url).unwrap();
        proxy
    }

    /// The same as [`Self::migrate`], while this thread serves a proxy.
    async fn migrate_meanwhile(&self, to: &str) -> Output {
        let mut command = self.workspace.command();
        command.args(["state", "migrate", "--to", to]);
        tokio::task::spawn_blocking(move || run(&mut command, ""))
            .await
            .unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_move_to_postgresql_that_was_cut_short_is_completed_by_the_next_try() {
    for cut in [AtCommit::CutBefore, AtCommit::CutAfter] {
        let mut story = Move::used().await;
        rows::fill(&story.folder("state"), 5);
        let before = rows::all(&story.folder("state"));
        story.use_database("state");
        let proxy = story.by_proxy().await;
        proxy.at_commit(cut, "INSERT INTO event");
        let output = story.migrate_meanwhile("postgres").await;
        let says = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{cut:?}: {says}");
        assert!(says.contains("try again"), "{cut:?}: {says}");

        // Whatever came of it, the folder is not used beside the database.
        story.use_folder("state");
        story.says_where_it_went("state.postgres_url_file");
        story.use_database("state");
        let output = story.migrate_meanwhile("postgres").await;
        let says = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{cut:?}: {says}");
        story.use_database("back");
        assert_eq!(story.migrate_meanwhile("path").await.status.code(), Some(0));
        assert_eq!(rows::all(&story.folder("back")), before, "{cut:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_move_to_a_folder_that_was_cut_short_is_completed_by_the_next_try() {
    for cut in [AtCommit::CutBefore, AtCommit::CutAfter] {
        let mut story = Move::used().await;
        rows::fill(&story.folder("state"), 6);
        let before = rows::all(&story.folder("state"));
        story.use_database("state");
        story.migrated("postgres");
        story.use_database("back");
        let proxy = story.by_proxy().await;
        proxy.at_commit(cut, MARKS);
        let output = story.migrate_meanwhile("path").await;
        let says = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{cut:?}: {says}");
        assert!(says.contains("try again"), "{cut:?}: {says}");
        let output = story.migrate_meanwhile("path").await;
        let says = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{cut:?}: {says}");
        assert_eq!(rows::all(&story.folder("back")), before, "{cut:?}");
    }
}
