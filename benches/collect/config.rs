//! The configuration of the exporter.

use std::path::Path;

use serde_json::{Value, json};

use crate::portal::{KEY_VARIABLE, Portal};

/// How the exporter collects.
pub struct Config {
    /// How folders are read.
    pub strategy: &'static str,
    /// Requests in flight.
    pub concurrency: usize,
    /// Requests per second.
    pub rate: u32,
    /// Seconds from one collection to the next.
    pub every: u64,
    /// Seconds until a quiet folder is read again.
    pub quiet_every: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            strategy: "full",
            concurrency: 8,
            rate: 100_000,
            every: 1,
            quiet_every: 300,
        }
    }
}

impl Config {
    /// The file, for a portal and with the state in a folder. JSON is YAML as well.
    pub fn file(&self, portal: &Portal, folder: &Path) -> Value {
        json!({
            "portals": [{"name": "bench", "base_url": portal.url, "api_key_env": KEY_VARIABLE}],
            "collect": {
                "strategy": self.strategy,
                "concurrency": self.concurrency,
                "max_requests_per_second": self.rate,
                "schedule": format!("{}s", self.every),
                "jitter": "0s",
                "quiet_every": format!("{}s", self.quiet_every),
                "max_pages_per_folder": 2_000_000,
                "max_folders": 1_000_000,
            },
            "state": {"path": folder.join("state")},
        })
    }
}
