//! The folder that an exporter is started in: its key, its configuration, its state.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use super::process::run;

/// The simulated portal's key.
const KEY: &str = "kbk_demo";

/// A folder with a key file and a configuration; the state stays in it from one start to the next.
pub(crate) struct Workspace {
    folder: TempDir,
    config: Value,
}

impl Workspace {
    /// Watches portals by name and address. Collects once and not again for an hour, with nothing to slow it down.
    pub(crate) fn new(portals: &[(&str, String)]) -> Self {
        Self::with(portals, |_| {})
    }

    /// The same, once a second.
    pub(crate) fn each_second(portals: &[(&str, String)]) -> Self {
        Self::with(portals, |config| {
            config["collect"]["schedule"] = "1s".into();
        })
    }

    /// The same with other settings.
    pub(crate) fn with(portals: &[(&str, String)], change: impl FnOnce(&mut Value)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = folder.path().join("key");
        fs::write(&key, KEY).unwrap();
        let portals = portals
            .iter()
            .map(|(name, url)| json!({"name": name, "base_url": url, "api_key_file": key}));
        let config = json!({
            "portals": portals.collect::<Vec<_>>(),
            "collect": {
                "schedule": "1h",
                "jitter": "0s",
                "strategy": "full",
                // Every folder is counted in every collection.
                "quiet_every": "1s",
                "concurrency": 4,
                "max_requests_per_second": 100_000,
            },
            "request": {"retries": 0},
            "state": {"path": folder.path().join("state")},
        });
        let mut workspace = Self { folder, config };
        workspace.change(change);
        workspace
    }

    /// Another folder with the same configuration but for a change.
    pub(crate) fn variant(&self, change: impl FnOnce(&mut Value)) -> Self {
        let mut variant = Self {
            folder: tempfile::tempdir().unwrap(),
            config: self.config.clone(),
        };
        variant.change(change);
        variant
    }

    /// Changes the configuration. JSON is YAML as well.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Value)) {
        change(&mut self.config);
        self.configure(&self.config.to_string());
    }

    /// Writes any text in place of the configuration.
    pub(crate) fn configure(&self, text: &str) {
        fs::write(self.path("config.yml"), text).unwrap();
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with this configuration and no other surroundings.
    pub(crate) fn command(&self) -> Command {
        let mut command = program();
        command.arg("--config.file").arg(self.path("config.yml"));
        command
    }

    /// Runs a command of the program to its end, in a thread of its own, since the portal may run in this one.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.command();
        command.args(arguments);
        let ended = spawn_blocking(move || run(&mut command, ""));
        ended.await.unwrap()
    }
}

/// The program, without the settings of the environment that the tests run in.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kb-exporter"));
    for name in [
        "KB_BASE_URL",
        "KB_API_KEY",
        "KB_API_KEY_FILE",
        "KB_PORTAL_NAME",
        "KB_CA_FILE",
        "KB_STATE_PATH",
    ] {
        command.env_remove(name);
    }
    command
}
