//! The simulated portal, in this process.

use std::future::pending;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use kb_simulator::faults::Faults;
use kb_simulator::{Options, Served, Simulator, Status, Switches, World};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use uuid::Uuid;

/// The key that the portal accepts.
pub const KEY: &str = "kbk_bench";

/// The environment variable that holds it for the exporter.
pub const KEY_VARIABLE: &str = "KB_API_KEY";

/// The core that this process runs on.
const CORE: &str = "1";

/// Keeps this process, which is the portal, off the core that is measured.
pub fn stay_on_one_core() -> Result<()> {
    let process = std::process::id().to_string();
    let moved = Command::new("taskset")
        .args(["-acp", CORE, &process])
        .output()
        .context("cannot start taskset")?;
    ensure!(moved.status.success(), "core {CORE} cannot be had");
    Ok(())
}

/// A portal without folders, in which nothing moves by itself. It ends when this is dropped.
pub struct Portal {
    runtime: Runtime,
    simulator: Simulator,
    /// Its base URL.
    pub url: String,
}

impl Portal {
    /// Starts a portal that keeps so many requests in its log.
    pub fn start(log_capacity: usize, switches: Switches, faults: Faults) -> Result<Self> {
        let simulator = Simulator::empty(Options {
            speed: 0.0,
            key: KEY.to_owned(),
            log_capacity,
            switches,
            ..Options::default()
        });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let url = format!("http://{}", listener.local_addr()?);
        let served = simulator
            .clone()
            .serve_with_faults(faults, listener, pending::<()>());
        runtime.spawn(served);
        Ok(Self {
            runtime,
            simulator,
            url,
        })
    }

    /// Adds so many folders, each with a number of files that are done.
    pub fn add_folders(&self, folders: u32, files: impl Fn(u32) -> u64) -> Vec<Uuid> {
        let add = |number| {
            let counts = [(Status::Done, files(number))].into();
            let name = format!("Folder {number:06}");
            self.world(|world| world.add_synthetic_folder(&name, &counts))
        };
        (0..folders).map(add).collect()
    }

    /// Reads or changes the portal, between two requests.
    pub fn world<T>(&self, act: impl FnOnce(&mut World) -> T) -> T {
        self.simulator.with(act)
    }

    /// The requests in the log from a place on.
    pub fn requests_from(&self, place: usize) -> Vec<Served> {
        self.world(|world| world.requests().skip(place).cloned().collect())
    }

    /// Waits for something while the portal goes on.
    pub fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

/// Lets one file of a folder fail.
pub fn let_one_fail(world: &mut World, folder: Uuid) -> Result<()> {
    let mut counts = world.counts(folder).unwrap_or_default();
    counts.entry(Status::Done).and_modify(|files| *files -= 1);
    counts.retain(|_, files| *files > 0);
    counts.insert(Status::Failed, 1);
    Ok(world.set_counts(folder, &counts)?)
}

/// The folder whose files a request asks for.
pub fn asked_folder(request: &Served) -> Option<Uuid> {
    let (before, last) = request.path.rsplit_once('/')?;
    let (_, folder) = before.rsplit_once('/')?;
    folder.parse().ok().filter(|_| last == "files")
}
