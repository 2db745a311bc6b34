//! The simulated portal, in this process.

use std::future::pending;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use kb_simulator::{Options, Simulator, World};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

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
    pub fn start(log_capacity: usize) -> Result<Self> {
        let simulator = Simulator::empty(Options {
            speed: 0.0,
            key: KEY.to_owned(),
            log_capacity,
            ..Options::default()
        });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let url = format!("http://{}", listener.local_addr()?);
        let served = simulator.clone().serve(listener, pending::<()>());
        runtime.spawn(served);
        Ok(Self {
            runtime,
            simulator,
            url,
        })
    }

    /// Reads or changes the portal, between two requests.
    pub fn world<T>(&self, act: impl FnOnce(&mut World) -> T) -> T {
        self.simulator.with(act)
    }

    /// Waits for something while the portal goes on.
    pub fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}
