//! What the servers, the proxy and the pooler promise to the stories.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use super::bouncer::Bouncer;
use super::home;
use super::proxy::{AtCommit, Proxy};
use super::{Server, all_processes, stat};
use crate::support::certificates::Certificates;
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
async fn each_database_is_its_own_and_belongs_to_a_user_with_a_password() {
    let server = Server::shared().await;
    let (one, two) = (server.database(), server.database());
    answer(&one.url(), &["CREATE TABLE t AS SELECT 1"]);
    answer(&two.socket_url(), &["CREATE TABLE t AS SELECT 2"]);
    assert_eq!([one.value("TABLE t"), two.value("TABLE t")], ["1", "2"]);
    let rows = one.sql("SELECT 1, 'a b' UNION ALL SELECT 2, E'c\\nd' ORDER BY 1");
    assert_eq!(rows, [["1", "a b"], ["2", "c\nd"]]);
    let wrong = one.url().replace("8d1c97e2", "guess");
    let says = failure(&wrong, &["SELECT 1"]);
    assert!(says.contains("password authentication failed"), "{says}");
}

#[tokio::test]
async fn a_server_keeps_its_data_and_its_port_when_it_is_stopped_or_killed() {
    let server = Server::with(&["fsync=on"]).await;
    let database = server.database();
    assert_eq!(database.value("SHOW fsync"), "on");
    answer(&database.url(), &["CREATE TABLE t (n int)"]);
    for round in [1, 2] {
        answer(&database.url(), &["INSERT INTO t VALUES (1)"]);
        if round == 1 {
            server.stop().await;
        } else {
            server.kill().await;
        }
        failure(&database.url(), &["SELECT 1"]);
        server.start().await;
        let rows = answer(&database.url(), &["SELECT count(*) FROM t"]);
        assert_eq!(rows, round.to_string());
    }
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
async fn a_proxy_passes_on_is_slow_and_closes() {
    let database = Server::shared().await.database();
    let proxy = Proxy::before(Server::shared().await.address()).await;
    let url = database.url_at(proxy.address());
    assert_eq!(answer(&url, &["SELECT 1"]), "1");

    proxy.slow_down(Duration::from_millis(200));
    let begun = std::time::Instant::now();
    assert_eq!(answer(&url, &["SELECT 2"]), "2");
    assert!(begun.elapsed() > Duration::from_millis(400));

    proxy.lose();
    let mut command = Command::new(home::binary("psql"));
    let mut waiting =
        Process::start(command.args(["--dbname", &url, "--command", "SELECT 'it came'"]));
    proxy.open();
    assert!(waiting.ended().await.success());

    proxy.close();
    failure(&url, &["SELECT 3"]);
    proxy.open();
    let mut command = Command::new(home::binary("psql"));
    let mut waiting =
        Process::start(command.args(["--dbname", &url, "--command", "SELECT pg_sleep(3600)"]));
    wait_for("it sleeps", async || {
        let sleeps = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'";
        (database.value(sleeps) == "1").then_some(())
    })
    .await;
    proxy.cut();
    assert!(!waiting.ended().await.success());
}

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

#[tokio::test]
async fn a_server_speaks_tls_with_a_certificate_for_its_address() {
    let folder = tempfile::tempdir().unwrap();
    Certificates::in_folder(folder.path());
    let server = Server::with_tls(folder.path()).await;
    let database = server.database();
    let trusting = |authority: &str| {
        let authority = folder.path().join(authority);
        let parameters = format!("sslmode=verify-full&sslrootcert={}", authority.display());
        String::from(database.url_with(&parameters))
    };
    let is_encrypted = ["SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"];
    assert_eq!(answer(&trusting("ca.crt"), &is_encrypted), "t");
    let says = failure(&trusting("stranger.crt"), &is_encrypted);
    assert!(says.contains("certificate verify failed"), "{says}");
}

#[tokio::test]
async fn nothing_is_left_of_a_process_that_is_killed() {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "support::postgres::tests::holds_a_paused_server"]);
    let mut runner = Process::start(command.args(["--ignored", "--nocapture"]));
    let read = |line: &str| {
        let (process, folder) = line.strip_prefix("HOLDS ")?.split_once(' ')?;
        Some((process.parse().unwrap(), PathBuf::from(folder)))
    };
    let (process, folder): (u32, _) = runner.line("the server is started", read).await;
    assert!(is_alive(process) && folder.exists());
    runner.signal("KILL");
    wait_for("the server ends, and its folder goes", async || {
        (!is_alive(process) && !folder.exists()).then_some(())
    })
    .await;
}

#[tokio::test]
#[ignore = "runs in a process of its own, by `nothing_is_left_of_a_process_that_is_killed`"]
async fn holds_a_paused_server() {
    let server = Server::own().await;
    server.pause();
    let folder = server.folder.parent().unwrap();
    println!("HOLDS {} {}", server.id(), folder.display());
    std::future::pending::<()>().await;
}

fn is_alive(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
        && stat(process).is_some_and(|(state, _)| state != "Z")
}
