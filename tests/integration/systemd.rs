//! The service for systemd: what the process reports to systemd, and whether systemd accepts the unit.

use std::collections::HashMap;
use std::fs;
use std::process::Command;

use rustix::time::{ClockId, clock_gettime};
use tokio::net::UnixDatagram;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::process::{run, said};
use crate::support::wait::DEADLINE;
use crate::support::workspace::{Workspace, program};

/// The unit, and the program as it names it.
const UNIT: &str = include_str!("../../deploy/systemd/kb-exporter.service");
const PROGRAM: &str = "/usr/bin/kb-exporter";

/// systemd's end of the messages of a service.
struct Manager {
    messages: mpsc::UnboundedReceiver<Message>,
}

/// The fields of a message.
type Message = HashMap<String, String>;

impl Manager {
    /// Starts an exporter as systemd does, with a watchdog of 0.2 s.
    async fn start(workspace: &Workspace) -> (Self, Exporter) {
        let path = workspace.path("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        let (sender, messages) = mpsc::unbounded_channel();
        tokio::spawn(receive(socket, sender));
        let mut command = workspace.command();
        command
            .env("NOTIFY_SOCKET", path)
            .env("WATCHDOG_USEC", "200000");
        let exporter = Exporter::launch(&mut command).await;
        (Self { messages }, exporter)
    }

    /// The next message.
    async fn any(&mut self) -> Message {
        let received = timeout(DEADLINE, self.messages.recv()).await;
        received.expect("no message").unwrap()
    }

    /// The next message that is not a sign of life.
    async fn next(&mut self) -> Message {
        loop {
            let message = self.any().await;
            if message.get("WATCHDOG").is_none_or(|value| value != "1") {
                return message;
            }
        }
    }

    /// Reloads as systemd does, and returns the status of the service after it.
    async fn reload(&mut self, exporter: &Exporter) -> String {
        let before = monotonic_microseconds();
        exporter.signal("HUP");
        let reloading = self.next().await;
        assert_eq!(reloading["RELOADING"], "1");
        let since: i64 = reloading["MONOTONIC_USEC"].parse().unwrap();
        assert!(before <= since && since <= monotonic_microseconds());
        let mut ready = self.next().await;
        assert_eq!(ready["READY"], "1");
        ready.remove("STATUS").unwrap()
    }
}

/// Takes the messages at once: a process whose messages nobody takes must wait.
async fn receive(socket: UnixDatagram, sender: mpsc::UnboundedSender<Message>) {
    let mut buffer = [0; 4096];
    while let Ok(length) = socket.recv(&mut buffer).await {
        let message = std::str::from_utf8(&buffer[..length]).unwrap();
        let fields = message.lines().map(|field| field.split_once('=').unwrap());
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        if sender.send(fields.collect()).is_err() {
            return;
        }
    }
}

fn monotonic_microseconds() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
}

#[tokio::test]
async fn systemd_knows_when_the_exporter_is_ready_reloads_is_live_and_stops() {
    let portal = Portal::start().await;
    // A portal that does not answer does not keep the service from its start.
    portal.hold("/mine");
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let (mut manager, exporter) = Manager::start(&workspace).await;

    let ready = manager.next().await;
    assert_eq!(ready["READY"], "1");
    let address = exporter.address().to_string();
    assert!(ready["STATUS"].contains(&address), "{ready:?}");
    assert_eq!(exporter.status("/livez").await, 200);

    for _ in 0..8 {
        assert_eq!(manager.any().await["WATCHDOG"], "1");
    }

    let status = manager.reload(&exporter).await;
    assert!(status.contains("uses the configuration"), "{status}");
    workspace.configure("portals:\n  - surprise: 1\n");
    let status = manager.reload(&exporter).await;
    assert!(status.contains("uses the old configuration"), "{status}");
    assert!(
        status.contains("portals[0]: unknown key"),
        "the reason: {status}"
    );

    let (stopping, ()) = tokio::join!(manager.next(), exporter.stop());
    assert_eq!(stopping["STOPPING"], "1");
}

#[tokio::test]
async fn an_exporter_goes_on_when_systemd_does_not_listen() {
    let portal = Portal::start().await;
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let mut command = workspace.command();
    command.env("NOTIFY_SOCKET", workspace.path("nobody"));
    let exporter = Exporter::launch(&mut command).await;
    exporter.collected().await;
    exporter
        .until_logged("a message to systemd cannot be sent")
        .await;
    exporter.stop().await;
}

/// Runs systemd-analyze on the unit, with the program where it was built.
fn analyze(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("kb-exporter.service");
    fs::write(
        &unit,
        UNIT.replace(PROGRAM, env!("CARGO_BIN_EXE_kb-exporter")),
    )
    .unwrap();
    let mut command = Command::new("systemd-analyze");
    let output = run(command.args(arguments).arg(&unit), "");
    let text = said(&output);
    assert!(output.status.success(), "{arguments:?}: {text}");
    text
}

#[test]
fn systemd_understands_the_unit() {
    // What it does not know, it warns of and leaves out.
    assert_eq!(analyze(&["verify", "--man=no"]), "");
}

/// 1.5 of 10. Half of the rest is the network, without which there is nothing to export.
#[test]
fn the_unit_takes_from_the_process_what_it_does_not_need() {
    let text = analyze(&["security", "--offline=true", "--threshold=15", "--no-pager"]);
    assert!(text.contains("Overall exposure level"), "{text}");
}

#[test]
fn the_program_knows_the_arguments_of_the_unit() {
    let line = UNIT
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart="))
        .unwrap();
    let arguments = line.strip_prefix(PROGRAM).unwrap().replace("$ARGS", "");
    let workspace = Workspace::new(&[("main", "https://portal.example".to_owned())]);
    let config = workspace.path("config.yml");
    let config = config.to_str().unwrap();
    let arguments = arguments.replace("/etc/kb-exporter/kb-exporter.yml", config);
    let mut command = program();
    command
        .args(arguments.split_whitespace())
        .arg("--config.check");
    let output = run(&mut command, "");
    assert!(output.status.success(), "{output:?}");
}
