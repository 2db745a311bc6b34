//! The real program, running.

use std::net::SocketAddr;
use std::process::{Command, ExitStatus};

use reqwest::Response;
use serde_json::Value;

use super::process::Process;
use super::wait::{until, wait_for};
use super::workspace::{Workspace, program};
use kb_exposition::{Exposition, Sample};

/// A running exporter.
pub(crate) struct Exporter {
    process: Process,
    address: SocketAddr,
    http: reqwest::Client,
}

impl Exporter {
    /// Starts `run` with a workspace's configuration, and waits until it listens.
    pub(crate) async fn start(workspace: &Workspace) -> Self {
        Self::launch(workspace.command().arg("run")).await
    }

    /// Starts `demo` with flags.
    pub(crate) async fn demo(flags: &[&str]) -> Self {
        let mut command = program();
        command.args(["demo", "--portal.listen-address", "127.0.0.1:0"]);
        Self::launch(command.args(flags)).await
    }

    /// Starts a command that serves, on a free port, and waits until it listens.
    pub(crate) async fn launch(command: &mut Command) -> Self {
        command.args([
            "--log.format",
            "json",
            "--web.listen-address",
            "127.0.0.1:0",
        ]);
        let mut process = Process::start(command);
        let address = process
            .line("the exporter listens", |line| {
                logged_address(line, "listening")
            })
            .await;
        Self {
            process,
            address,
            http: client(),
        }
    }

    /// The address that another message of the log names.
    pub(crate) async fn logged(&mut self, message: &str) -> SocketAddr {
        let read = |line: &str| logged_address(line, message);
        self.process.line(message, read).await
    }

    /// What it wrote so far.
    pub(crate) fn output(&self) -> Vec<String> {
        self.process.output()
    }

    /// Where it serves.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends a signal by its name, such as `HUP`.
    pub(crate) fn signal(&self, name: &str) {
        self.process.signal(name);
    }

    /// The number of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Asks for a path.
    pub(crate) async fn get(&self, path: &str) -> Response {
        self.get_accepting(path, "identity").await
    }

    /// Asks for a path with an `Accept-Encoding`.
    pub(crate) async fn get_accepting(&self, path: &str, encoding: &str) -> Response {
        let url = format!("http://{}{path}", self.address);
        let request = self.http.get(url).header("accept-encoding", encoding);
        request.send().await.unwrap()
    }

    /// Asks for a path and takes the status alone.
    pub(crate) async fn status(&self, path: &str) -> u16 {
        self.get(path).await.status().as_u16()
    }

    /// Asks for a path that answers with JSON, whatever the status is.
    pub(crate) async fn json(&self, path: &str) -> Value {
        json_of(self.get(path).await).await
    }

    /// What `/health` says of the portal `main`.
    pub(crate) async fn notes(&self) -> String {
        self.json("/health").await["checks"]["portal:main"][0]["output"].to_string()
    }

    /// What `/metrics` says now.
    pub(crate) async fn metrics(&self) -> Exposition {
        let response = self.get("/metrics").await;
        assert_eq!(response.status(), 200);
        Exposition::parse(&response.text().await.unwrap()).unwrap()
    }

    /// What `/metrics` says as soon as a condition holds.
    pub(crate) async fn metrics_when(
        &self,
        what: &str,
        holds: impl Fn(&Exposition) -> bool,
    ) -> Exposition {
        wait_for(what, async || {
            let metrics = self.metrics().await;
            holds(&metrics).then_some(metrics)
        })
        .await
    }

    /// What `/metrics` says when a sample has a value.
    pub(crate) async fn until_value(
        &self,
        name: &str,
        labels: &[(&str, &str)],
        value: f64,
    ) -> Exposition {
        self.metrics_when(&format!("{name} of {labels:?} is {value}"), |metrics| {
            metrics.value(name, labels) == Some(value)
        })
        .await
    }

    /// How many lines it wrote so far that contain a text.
    pub(crate) fn lines_with(&self, text: &str) -> usize {
        let lines = self.process.output();
        lines.iter().filter(|line| line.contains(text)).count()
    }

    /// Waits until it wrote a line that contains a text.
    pub(crate) async fn until_logged(&self, text: &str) {
        until(text, async || self.lines_with(text) > 0).await;
    }

    /// Changes its configuration, and waits until that is in use.
    pub(crate) async fn reconfigure(
        &self,
        workspace: &mut Workspace,
        change: impl FnOnce(&mut Value),
    ) {
        let reloads = || self.lines_with("the configuration was read again and is in use");
        let before = reloads();
        workspace.change(change);
        self.signal("HUP");
        until("the configuration is in use", async || reloads() > before).await;
    }

    /// What `/metrics` says when these stores are writable, or none of them is.
    pub(crate) async fn until_writable(&self, stores: &[&str], yes: bool) -> Exposition {
        self.metrics_when(&format!("{stores:?} are writable: {yes}"), |metrics| {
            let mut stores = stores.iter();
            stores.all(|store| is_writable(metrics, store) == Some(yes))
        })
        .await
    }

    /// What `/metrics` says when the first collection of every portal has ended.
    pub(crate) async fn collected(&self) -> Exposition {
        self.metrics_when("every portal is collected once", |metrics| {
            let portals = metrics.all("kb_portal_up", &[]).count();
            let ended = metrics.all("kb_collection_last_run_timestamp_seconds", &[]);
            ended.count() == portals
        })
        .await
    }

    /// What `/metrics` says when a whole collection has begun and ended from now on.
    pub(crate) async fn collected_again(&self) -> Exposition {
        // One may be under way that began before.
        self.collections(2).await
    }

    /// What `/metrics` says when this number of further collections has ended.
    pub(crate) async fn collections(&self, more: u64) -> Exposition {
        let before = ended_collections(&self.metrics().await);
        self.metrics_when("more collections have ended", |metrics| {
            ended_collections(metrics) >= before + more
        })
        .await
    }

    /// Asks it to stop, and expects that everything ends before it is cut.
    pub(crate) async fn stop(mut self) {
        self.process.signal("TERM");
        assert_eq!(self.process.ended().await.code(), Some(0));
        assert_eq!(self.lines_with("before all work is finished"), 0);
    }

    /// Ends it at once, as a machine does that goes out.
    pub(crate) async fn kill(self) {
        self.process.signal("KILL");
        self.ended().await;
    }

    /// How it ends.
    pub(crate) async fn ended(mut self) -> ExitStatus {
        self.process.ended().await
    }
}

/// What is stored, as the metrics name it.
pub(crate) const STORES: [&str; 2] = ["state", "ledger"];

/// Whether a store is writable.
pub(crate) fn is_writable(metrics: &Exposition, store: &str) -> Option<bool> {
    let writable = metrics.count("kb_state_writable", &[("store", store)]);
    writable.map(|writable| writable == 1)
}

/// Collections that ended and were not skipped.
pub(crate) fn ended_collections(metrics: &Exposition) -> u64 {
    let runs = metrics.all("kb_collection_runs_total", &[]);
    let ended = runs.filter(|run| run.labels["result"] != "skipped");
    ended.map(Sample::count).sum()
}

/// Talks to loopback alone, without TLS, and takes bodies as they come.
pub(crate) fn client() -> reqwest::Client {
    let builder = loopback().no_gzip();
    // The exporter may end an idle connection just when it is used again.
    builder.pool_max_idle_per_host(0).build().unwrap()
}

/// The same, but it accepts gzip and unpacks it.
pub(crate) fn unpacking_client() -> reqwest::Client {
    loopback().gzip(true).build().unwrap()
}

/// To read the certificates of the machine takes a debug build longer than most requests.
fn loopback() -> reqwest::ClientBuilder {
    kb_exporter::tls::install_provider();
    let builder = reqwest::Client::builder().no_proxy();
    builder.tls_certs_only([])
}

fn logged_address(line: &str, message: &str) -> Option<SocketAddr> {
    let line: Value = serde_json::from_str(line).ok()?;
    let is_it = line["msg"] == message;
    let address = line["address"].as_str().filter(|_| is_it)?;
    Some(address.parse().unwrap())
}

/// The body of an answer as JSON.
pub(crate) async fn json_of(response: Response) -> Value {
    serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
}
