//! A real Prometheus server on a port of its own.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use url::Url;

use super::exporter::{client, json_of};
use super::process::Process;

/// A server of the Prometheus family, on a port of its own, in a folder of its own.
pub(crate) struct Running {
    _process: Process,
    address: SocketAddr,
    _folder: TempDir,
}

impl Running {
    /// Starts a command, and waits until it listens.
    pub(crate) async fn start(mut command: Command, folder: TempDir) -> Self {
        let command = command.args(["--web.listen-address", "127.0.0.1:0"]);
        let mut process = Process::start(command);
        let address = process.line("the server listens", listening).await;
        Self {
            _process: process,
            address,
            _folder: folder,
        }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

/// A running Prometheus.
pub(crate) struct Prometheus(pub(crate) Running);

impl Prometheus {
    /// Scrapes one target each second.
    pub(crate) async fn scraping(target: SocketAddr) -> Self {
        Self::start(&scraping(target), tempfile::tempdir().unwrap(), &[]).await
    }

    /// Starts with a configuration and more flags, over the data that a folder has in its folder `data`.
    pub(crate) async fn start(config: &Value, folder: TempDir, flags: &[&str]) -> Self {
        let file = folder.path().join("prometheus.yml");
        fs::write(&file, config.to_string()).unwrap();
        let mut command = Command::new("prometheus");
        command.arg("--config.file").arg(file);
        command.arg("--storage.tsdb.path").arg(data(folder.path()));
        command.args(flags);
        Self(Running::start(command, folder).await)
    }

    /// The whole answer to a question, such as `query` or `label/portal/values`; none where the server is not ready.
    pub(crate) async fn ask(&self, path: &str, parameters: &[(&str, &str)]) -> Option<Value> {
        let url = format!("http://{}/api/v1/{path}", self.0.address);
        let url = Url::parse_with_params(&url, parameters).unwrap();
        let response = client().get(url).send().await.unwrap();
        if response.status() == 503 {
            return None;
        }
        Some(json_of(response).await)
    }

    /// The result of an instant query; none where the server is not ready or has nothing.
    pub(crate) async fn query(&self, query: &str) -> Vec<Value> {
        let answer = self.ask("query", &[("query", query)]).await;
        let result = answer.and_then(|answer| answer["data"]["result"].as_array().cloned());
        result.unwrap_or_default()
    }
}

/// Where a server that is started with a folder keeps its data.
pub(crate) fn data(folder: &Path) -> std::path::PathBuf {
    folder.join("data")
}

/// A configuration that scrapes one target each second.
pub(crate) fn scraping(target: SocketAddr) -> Value {
    json!({"scrape_configs": [{
        "job_name": "kb-exporter",
        "scrape_interval": "1s",
        "scrape_timeout": "1s",
        "static_configs": [{"targets": [target]}],
    }]})
}

/// The address in a line that says where a server of the Prometheus family listens.
fn listening(line: &str) -> Option<SocketAddr> {
    let (_, after) = line.split_once("Listening on")?;
    let (_, address) = after.split_once("address=")?;
    Some(address.trim().parse().unwrap())
}
