//! The processes that share the folders.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use serde_json::json;
use tempfile::TempDir;

use crate::exporter::Exporter;
use crate::folders::Folders;
use crate::portal::KEY_VARIABLE;
use crate::scrape::{folders_with_a_failure, scrape};
use crate::transactions::{committed, postgres};

/// Counts of each folder, after which it is idle for two minutes: see `collect::read_schedule`.
pub const COUNTS: usize = 5;

/// Seconds from one collection to the next.
const EVERY: u64 = 30;

/// How long nothing changes.
const QUIET: Duration = Duration::from_secs(30);

/// Files that fail, one after the other.
const FAILURES: usize = 12;

/// Between two of them, and between two looks at the metrics.
const PAUSE: Duration = Duration::from_secs(2);

/// By then the metrics show every change.
const PATIENCE: Duration = Duration::from_mins(5);

/// What happened in a time.
pub struct Work {
    /// Requests a second.
    pub requests: f64,
    /// Counts of folders a second.
    pub counts: f64,
    /// Transactions a second.
    pub transactions: f64,
    /// How long each change took to show.
    pub shown_after: Vec<Duration>,
}

/// Processes that share the folders of a portal. They end when this is dropped.
pub struct Fleet {
    processes: Vec<Exporter>,
    states: Vec<PathBuf>,
    _folder: TempDir,
}

impl Fleet {
    /// Starts so many processes.
    pub fn start(folders: &Folders, processes: u32) -> Result<Self> {
        let folder = tempfile::tempdir().context("no temporary folder can be made")?;
        let (mut started, mut states) = (Vec::new(), Vec::new());
        for index in 0..processes {
            let state = folder.path().join(index.to_string());
            let [index, count] = [index, processes].map(|number| number.to_string());
            let shard = ["--shard.index", &index, "--shard.count", &count];
            let shard = if processes == 1 { &[] } else { &shard[..] };
            let url = &folders.portal.url;
            started.push(Exporter::start(|_| config(url, processes, &state), shard)?);
            states.push(state);
        }
        Ok(Self {
            processes: started,
            states,
            _folder: folder,
        })
    }

    /// Scrapes each process in both forms, as different servers may.
    pub async fn scrape_in_both_forms(&self) -> Result<()> {
        for form in ["identity", "gzip"] {
            try_join_all(self.scrapes(form)).await?;
        }
        Ok(())
    }

    fn scrapes(&self, form: &str) -> impl Iterator<Item = impl Future<Output = Result<Vec<u8>>>> {
        let addresses = self.processes.iter().map(|process| &process.metrics);
        addresses.map(move |address| scrape(address, form))
    }

    /// Resident memory of all processes.
    pub fn resident_bytes(&self) -> Result<u64> {
        let processes = self.processes.iter();
        processes.map(|it| resident_bytes(it.process.id())).sum()
    }

    /// What the processes do while nothing changes.
    pub fn quiet(&self, folders: &Folders) -> Result<Work> {
        self.work(folders, || {
            folders.wait(async { tokio::time::sleep(QUIET).await });
            Ok(Vec::new())
        })
    }

    /// What they do while some files fail.
    pub fn busy(&self, folders: &Folders) -> Result<Work> {
        self.work(folders, || folders.wait(self.failures(folders)))
    }

    fn work(&self, folders: &Folders, act: impl FnOnce() -> Result<Vec<Duration>>) -> Result<Work> {
        let begun = Instant::now();
        let before = (folders.requests(), folders.counts(), self.committed()?);
        let shown_after = act()?;
        let seconds = begun.elapsed().as_secs_f64();
        let per_second =
            |more: usize| Ok::<_, anyhow::Error>(f64::from(u32::try_from(more)?) / seconds);
        Ok(Work {
            requests: per_second(folders.requests() - before.0)?,
            counts: per_second(folders.counts() - before.1)?,
            transactions: per_second(usize::try_from(self.committed()? - before.2)?)?,
            shown_after,
        })
    }

    fn committed(&self) -> Result<u64> {
        committed(self.states.iter().map(PathBuf::as_path))
    }

    /// Lets files fail, and waits until the metrics show each.
    async fn failures(&self, folders: &Folders) -> Result<Vec<Duration>> {
        let (begun, mut waiting, mut shown_after) = (Instant::now(), HashMap::new(), Vec::new());
        while shown_after.len() < FAILURES {
            ensure!(
                begun.elapsed() < PATIENCE,
                "{} changes are not shown",
                waiting.len()
            );
            if waiting.len() + shown_after.len() < FAILURES {
                let folder = folders.let_one_fail(waiting.len() + shown_after.len())?;
                waiting.insert(folder.to_string(), Instant::now());
            }
            tokio::time::sleep(PAUSE).await;
            for body in try_join_all(self.scrapes("gzip")).await? {
                for folder in folders_with_a_failure(&body)? {
                    shown_after.extend(waiting.remove(&folder).map(|since| since.elapsed()));
                }
            }
        }
        Ok(shown_after)
    }
}

fn config(url: &str, processes: u32, state: &Path) -> serde_json::Value {
    let state = postgres().map_or_else(
        || json!({"path": state}),
        |file| json!({"postgres_url_file": file}),
    );
    json!({
        "portals": [{"name": format!("bench {processes}"), "base_url": url, "api_key_env": KEY_VARIABLE}],
        "collect": {
            "concurrency": 8,
            "max_requests_per_second": 100_000,
            "schedule": format!("{EVERY}s"),
            "jitter": "0s",
            "quiet_every": "1h",
            "max_folders": crate::FOLDERS,
        },
        "state": state,
    })
}

/// Resident memory of a process.
fn resident_bytes(process: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    Ok(kib.context("no VmRSS")?.trim().parse::<u64>()? << 10)
}
