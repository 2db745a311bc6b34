//! What collections cost this machine and a portal, from a thousand folders to a hundred thousand, and with ten million files.
//!
//! ```text
//! cargo bench --bench collect
//! cargo bench --bench collect -- folders
//! ```
//!
//! Needs Linux with two cores and util-linux' `taskset`. Arguments choose parts; without any, all is measured, in about half an hour.
//!
//! - `files`: processor time and peak memory of a first count that reads every page.
//! - `folders`: what one process needs for many folders: requests, processor time, memory, the time of a scrape. The first count has no rate
//!   limit. Then the exporter is started again, as in life but ten times as fast: 50 requests a second for 5, a collection every six seconds
//!   for one a minute.
//!
//! The portal is this process, on core 1, with folders that compute their files. `kb-exporter` is a process of its own on core 0: what it used
//! is what the kernel says, and what it asked is what the portal's log says.

#![expect(clippy::unwrap_used, reason = "what cannot go on is no measurement")]

#[expect(dead_code, reason = "the integration tests use all of it")]
#[path = "../tests/integration/support"]
mod support {
    pub(crate) mod exporter;
    pub(crate) mod process;
    pub(crate) mod wait;
    pub(crate) mod workspace;
}

use std::future::pending;
use std::io::{self, Write};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use comfy_table::{Table, presets::ASCII_MARKDOWN};
use kb_exposition::Exposition;
use kb_simulator::{Options, Simulator, Status};
use serde_json::{Value, json};
use support::exporter::Exporter;
use support::workspace::Workspace;
use tokio::net::TcpListener;

/// The cores of the exporter and of the portal.
const CORES: [&str; 2] = ["0", "1"];

/// What the packages and the image set.
const ALLOCATOR: [(&str, &str); 3] = [
    ("MALLOC_ARENA_MAX", "1"),
    ("MALLOC_MMAP_THRESHOLD_", "131072"),
    ("MALLOC_TRIM_THRESHOLD_", "131072"),
];

/// Files of the one folder of a first count, all done.
const FILES: [u64; 2] = [1_000_000, 10_000_000];

/// Folders of a portal, each with ten pages of files that are done, so that they are counted by boundaries.
const FOLDERS: [u64; 3] = [1_000, 10_000, 100_000];

/// How much faster than in life it goes after the first count.
const PACE: u64 = 10;

/// How long it is watched after the first count.
const WATCHED: Duration = Duration::from_mins(1);

/// What has not been counted by then is given up.
const PATIENCE: Duration = Duration::from_mins(20);

#[tokio::main(worker_threads = 1)]
async fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    // Cargo says `--bench` when it benches, and not when it only tries whether everything runs.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let process = std::process::id().to_string();
    let moved = Command::new("taskset")
        .args(["-acp", CORES[1], &process])
        .output()?;
    ensure!(moved.status.success(), "no core {}", CORES[1]);
    let chosen = |part: &str| {
        let mut names = arguments.iter().filter(|name| !name.starts_with('-'));
        names.clone().next().is_none() || names.any(|name| name == part)
    };
    if chosen("files") {
        let mut rows = table(&["files", "processor s", "peak MiB"]);
        for files in FILES {
            rows.add_row(of_files(files).await?);
        }
        writeln!(io::stdout(), "{rows}\n")?;
    }
    if chosen("folders") {
        let mut rows = table(&[
            "folders",
            "requests of the first count",
            "processor s of the first count",
            "peak MiB",
            "ms of a scrape with gzip",
            "requests a day",
            "processor s a day",
        ]);
        for folders in FOLDERS {
            rows.add_row(of_folders(folders).await?);
        }
        writeln!(io::stdout(), "{rows}\n")?;
    }
    Ok(())
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(header);
    table
}

/// A portal with so many folders of so many files, and its address.
async fn portal(folders: u64, files: u64) -> Result<(Simulator, String)> {
    let simulator = Simulator::empty(Options {
        speed: 0.0,
        // All requests of a run.
        log_capacity: 5_000_000,
        ..Options::default()
    });
    let counts = [(Status::Done, files)].into();
    for number in 0..folders {
        let name = format!("Folder {number:06}");
        simulator.with(|world| world.add_synthetic_folder(&name, &counts));
    }
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(simulator.clone().serve(listener, pending::<()>()));
    Ok((simulator, url))
}

async fn of_files(files: u64) -> Result<[String; 3]> {
    let (_portal, url) = portal(1, files).await?;
    let workspace = workspace(
        url,
        json!({
            "strategy": "full", "schedule": "1h", "jitter": "0s", "concurrency": 8,
            "max_requests_per_second": 100_000, "max_pages_per_folder": 2_000_000, "timeout": "1h",
        }),
    );
    let exporter = start(&workspace).await;
    let used = used(&exporter, &counted(&exporter, 1).await?)?;
    Ok([
        files.to_string(),
        format!("{:.1}", used.processor),
        used.peak_mib,
    ])
}

async fn of_folders(folders: u64) -> Result<[String; 7]> {
    let (portal, url) = portal(folders, 1_000).await?;
    let requests = || portal.with(|world| world.requests().count());
    let mut workspace = workspace(
        url,
        json!({
            "schedule": "60s", "jitter": "0s", "concurrency": 8, "max_requests_per_second": 100_000, "quiet_every": "1h",
            "max_folders": 1_000_000,
        }),
    );
    let exporter = start(&workspace).await;
    let once = used(&exporter, &counted(&exporter, folders).await?)?;
    let asked_once = requests();
    let begun = Instant::now();
    let scraped = exporter.get_accepting("/metrics", "gzip").await;
    scraped.bytes().await?;
    let scrape = begun.elapsed().as_millis();
    exporter.kill().await;

    workspace.change(|config| config["collect"] = json!({
        "schedule": format!("{}s", 60 / PACE), "jitter": "0s", "max_requests_per_second": 5 * PACE,
        "quiet_every": format!("{}s", 600 / PACE), "max_folders": 1_000_000,
    }));
    let exporter = start(&workspace).await;
    let (before, asked) = (
        used(&exporter, &counted(&exporter, folders).await?)?,
        requests(),
    );
    tokio::time::sleep(WATCHED).await;
    let after = used(&exporter, &exporter.metrics().await)?;
    let minutes_a_day = u64::from(24 * 60_u32) / PACE;
    let requests_a_day = u64::try_from(requests() - asked)? * minutes_a_day;
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let processor_a_day = (after.processor - before.processor) * minutes_a_day as f64;
    Ok([
        folders.to_string(),
        asked_once.to_string(),
        format!("{:.0}", once.processor),
        once.peak_mib,
        scrape.to_string(),
        requests_a_day.to_string(),
        format!("{processor_a_day:.0}"),
    ])
}

/// What a process has used until now.
struct Used {
    processor: f64,
    peak_mib: String,
}

fn workspace(url: String, collect: Value) -> Workspace {
    Workspace::with(&[("bench", url)], |config| config["collect"] = collect)
}

/// Starts an exporter on its core.
async fn start(workspace: &Workspace) -> Exporter {
    let program = workspace.command();
    let mut command = Command::new("taskset");
    command.args(["-c", CORES[0]]).arg(program.get_program());
    command.args(program.get_args()).arg("run").envs(ALLOCATOR);
    Exporter::launch(&mut command).await
}

/// What the metrics say when every folder is counted.
async fn counted(exporter: &Exporter, folders: u64) -> Result<Exposition> {
    let begun = Instant::now();
    loop {
        let metrics = exporter.metrics().await;
        let counted = metrics.all("kb_folder_files", &[("status", "done")]);
        if counted.count() as u64 == folders {
            return Ok(metrics);
        }
        ensure!(begun.elapsed() < PATIENCE, "it takes too long");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

fn used(exporter: &Exporter, metrics: &Exposition) -> Result<Used> {
    let status = fs::read_to_string(format!("/proc/{}/status", exporter.pid()))?;
    let mut lines = status.lines();
    let peak = lines.find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
    let mib = kib.context("no VmHWM")?.parse::<u64>()? / 1_024;
    Ok(Used {
        processor: metrics
            .value("process_cpu_seconds_total", &[])
            .context("no processor time")?,
        peak_mib: mib.to_string(),
    })
}
