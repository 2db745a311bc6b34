//! What stories could not do without and would not notice.

use std::path::Path;
use std::process::{Command, Output};

use super::bouncer::Bouncer;
use super::home;
use super::proxy::{AtCommit, Proxy};
use super::{Server, all_processes, stat};
use crate::support::process::{Process, run};
use crate::support::wait::wait_for;

/// Runs statements in one session, each as a message of its own.
fn psql(url: &str, statements: &[&str]) -> Output {
    let mut command = Command::new(home::binary("psql"));
    command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]);
    command.args(["--set=ON_ERROR_STOP=1", "--dbname", url]);
    for statement in statements {
        command.args(["--command", statement]);
    }
    run(&mut command, "")
}

/// What the statements write.
fn answer(url: &str, statements: &[&str]) -> String {
    let output = psql(url, statements);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Why the statements fail.
fn failure(url: &str, statements: &[&str]) -> String {
    let output = psql(url, statements);
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[tokio::test]
async fn a_paused_server_stands_still_with_all_its_processes() {
    let server = Server::own().await;
    let states = || -> Vec<_> {
        let processes = all_processes(server.id()).into_iter();
        let states = processes.filter_map(|process| Some(stat(process)?.0));
        states.collect()
    };
    server.pause();
    wait_for("all stand still", async || {
        let states = states();
        (states.len() > 4 && states.iter().all(|state| state == "T")).then_some(())
    })
    .await;
    server.resume();
    assert!(states().iter().all(|state| state != "T"));
    assert_eq!(server.database().value("SELECT 1"), "1");
    server.pause();
    // It ends nevertheless.
    let process = server.id();
    drop(server);
    assert!(!is_alive(process));
}

/// The client of these tests waits in the way of everything else on its thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_proxy_cuts_a_commit_before_or_after_it() {
    let database = Server::shared().await.database();
    let proxy = Proxy::before(Server::shared().await.address()).await;
    let url = database.url_at(proxy.address());
    answer(
        &url,
        &["CREATE TABLE t (n int)", "CREATE TABLE other (n int)"],
    );
    for (cut, rows) in [(AtCommit::CutBefore, "0"), (AtCommit::CutAfter, "1")] {
        proxy.at_commit(cut, "INSERT INTO t ");
        let before = proxy.commits();
        answer(&url, &["BEGIN", "INSERT INTO other VALUES (1)", "COMMIT"]);
        assert_eq!(proxy.commits(), before, "another transaction");
        let says = failure(&url, &["BEGIN", "INSERT INTO t VALUES (1)", "commit"]);
        assert!(says.contains("server closed the connection"), "{says}");
        assert_eq!(proxy.commits(), before + 1);
        assert_eq!(database.value("SELECT count(*) FROM t"), rows, "{cut:?}");
    }
    // Once is enough.
    answer(&url, &["BEGIN", "INSERT INTO t VALUES (1)", "COMMIT"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_proxy_keeps_a_commit_or_its_answer_back() {
    let database = Server::shared().await.database();
    let proxy = Proxy::before(Server::shared().await.address()).await;
    let url = database.url_at(proxy.address());
    answer(&url, &["CREATE TABLE t (n int)"]);
    for (what, rows) in [(AtCommit::LoseBefore, "0"), (AtCommit::LoseAfter, "2")] {
        proxy.at_commit(what, "INSERT INTO t ");
        let before = proxy.commits();
        let mut command = Command::new(home::binary("psql"));
        command.args(["--dbname", &url, "--command", "BEGIN"]);
        command.args([
            "--command",
            "INSERT INTO t VALUES (1)",
            "--command",
            "COMMIT",
        ]);
        let mut waiting = Process::start(&mut command);
        wait_for("the commit comes", async || {
            let reached = database.value("SELECT count(*) FROM t") == rows;
            (proxy.commits() > before && reached).then_some(())
        })
        .await;
        proxy.open();
        assert!(waiting.ended().await.success());
    }
    assert_eq!(database.value("SELECT count(*) FROM t"), "2");
}

#[tokio::test]
async fn a_pooler_gives_one_connection_of_the_server_to_many_clients() {
    let server = Server::shared().await;
    let database = server.database();
    let bouncer = Bouncer::before(server).await;
    let url = database.url_at(bouncer.address());
    let connection = ["SELECT pg_backend_pid()"];
    assert_eq!(answer(&url, &connection), answer(&url, &connection));
    // A statement that was prepared belongs to the connection, not to the client.
    answer(&url, &["PREPARE mine AS SELECT 1"]);
    let says = failure(&url, &["PREPARE mine AS SELECT 1"]);
    assert!(says.contains("already exists"), "{says}");
}

fn is_alive(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
        && stat(process).is_some_and(|(state, _)| state != "Z")
}
