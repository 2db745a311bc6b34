//! Builds the parts, binds the addresses, supervises the tasks and drains them.
//!
//! [`App::bind`] does all that can fail before anything is started; [`App::run`] runs until it is stopped, or until a task ends
//! that never should. A configuration is built completely (`Built`) before it replaces the old one: a reload is all or nothing.

mod listen;
mod portal_tasks;
mod portals;
mod reload;
mod state;
mod systemd;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures_util::FutureExt;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::http::guard::Guard;
use crate::http::host::HostNames;
use crate::http::passwords::Passwords;
use crate::http::serve::{Limits, serve};
use crate::http::site::{Liveness, ReloadRequest, Site};
use crate::http::web_config::WebConfigFile;
use crate::metrics::Events;
use crate::schedule::heartbeat;
use crate::snapshot::Publisher;

pub use reload::ConfigSource;

use portal_tasks::{Collectors, Shared};
use portals::{Built, Portals};
use reload::Reloader;

/// Without progress for this long, a part of the process counts as stuck.
const MAX_SILENCE: Duration = Duration::from_mins(1);

/// How long the first answers wait until it is known who reads each portal, and what is stored of it.
const MAX_START: Duration = Duration::from_secs(2);

/// Running requests and writes may take this long at the end.
const DRAIN: Duration = Duration::from_secs(8);

/// Where and how the process serves.
#[derive(Clone)]
pub struct Web {
    pub addresses: Vec<SocketAddr>,
    pub telemetry_path: String,
    /// Where people reach this exporter, without a slash at the end.
    pub external_url: Option<String>,
    /// Whether `POST /-/reload` is allowed.
    pub lifecycle: bool,
    pub config: Option<Arc<WebConfigFile>>,
    /// Whether the paths of liveness and readiness are open to everybody.
    pub open_probes: bool,
}

/// The whole process, bound to its addresses and ready to run.
pub struct App {
    listeners: Vec<TcpListener>,
    site: Site,
    built: Built,
    process: Process,
    cancel: CancellationToken,
    /// The address of the status page, with a `/` at its end.
    pub page: String,
}

impl App {
    /// Builds everything that the configuration asks for, and binds the addresses.
    pub async fn bind(source: ConfigSource, web: &Web) -> Result<Self> {
        // From the beginning: a signal that nobody waits for would end the process.
        let hangup = signal(SignalKind::hangup()).context("SIGHUP cannot be received")?;
        let config = source()?;
        let events = Events::new().context("the metrics cannot be set up")?;
        let listeners = listen::on_all(&web.addresses).await?;
        let first = listeners.first().context("no address to listen on")?;
        let page = page_at(first.local_addr()?, web.config.as_deref());
        let cancel = CancellationToken::new();
        let heartbeat = heartbeat(cancel.clone()).await;
        let shared = Shared {
            events: events.clone(),
            publisher: Publisher::default(),
            heartbeat: heartbeat.context("the scheduler's heartbeat could not be started")?,
            collectors: watch::Sender::default(),
        };
        let reloader = Reloader {
            source,
            configuration: watch::Sender::new(reload::loaded(&config)),
        };
        let (reload, reloads) = mpsc::channel(1);
        let guard = Guard {
            file: web.config.clone(),
            open_probes: web.open_probes,
            hosts: HostNames::new(web.external_url.as_deref()),
            passwords: Passwords::default(),
            events,
        };
        let site = Site {
            publisher: shared.publisher.clone(),
            config: reloader.configuration.subscribe(),
            liveness: liveness(shared.collectors.subscribe()),
            reload: web.lifecycle.then_some(reload),
            telemetry_path: web.telemetry_path.clone(),
            guard: Arc::new(guard),
            ready: AtomicBool::default(),
        };
        let portals = Portals::new(shared);
        Ok(Self {
            listeners,
            site,
            built: portals.build(config).await?,
            process: Process {
                portals,
                tasks: JoinSet::new(),
                reloader,
                reloads,
                hangup,
            },
            cancel,
            page: web.external_url.clone().unwrap_or(page) + "/",
        })
    }

    /// Collects and serves until `stop`; then lets running requests end.
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        let (mut process, cancel) = (self.process, self.cancel);
        process.portals.use_config(self.built).await;
        // Whoever asks first sees the stored counts, if that does not take long.
        let _ = timeout(MAX_START, process.portals.started()).await;
        let signs = systemd::send_signs_of_life(Arc::clone(&self.site.liveness));
        let signs = cancel.clone().run_until_cancelled_owned(signs);
        process.tasks.spawn(signs.map(|_| Ok(())));
        let file = self.site.guard.file.clone();
        let router = self.site.router();
        for listener in self.listeners {
            let (router, file) = (router.clone(), file.clone());
            let server = serve(listener, router, Limits::default(), file, cancel.clone());
            process.tasks.spawn(server);
        }
        systemd::ready(&format!("serves {}", self.page));
        info!(url = self.page, "status page");
        let result = process.supervise(&stop).await;
        systemd::stopping();
        cancel.cancel();
        if timeout(DRAIN, process.drain()).await.is_err() {
            // Dropping the tasks ends them.
            warn!(after = ?DRAIN, "exiting before all work is finished");
        }
        result
    }
}

/// What runs until it is stopped.
struct Process {
    portals: Portals,
    tasks: JoinSet<std::io::Result<()>>,
    reloader: Reloader,
    reloads: mpsc::Receiver<ReloadRequest>,
    hangup: Signal,
}

impl Process {
    /// Answers reloads until `stop`, or until something ends that never should. A stop does not wait for a reload.
    async fn supervise(&mut self, stop: &CancellationToken) -> Result<()> {
        loop {
            let request = tokio::select! {
                () = stop.cancelled() => return Ok(()),
                broken = self.portals.broken() => return Err(broken),
                Some(ended) = self.tasks.join_next() => {
                    ended.context("the server broke")?.context("the server broke")?;
                    bail!("the server ended early");
                }
                Some(()) = self.hangup.recv() => None,
                Some(request) = self.reloads.recv() => Some(request),
            };
            systemd::reloading();
            let reload = self.reloader.reload(&mut self.portals);
            let Some(result) = stop.run_until_cancelled(reload).await else {
                return Ok(());
            };
            systemd::ready(&match &result {
                Ok(()) => "uses the configuration that was read again".to_owned(),
                Err(why) => {
                    format!("uses the old configuration, since the new one is wrong: {why}")
                }
            });
            if let Some(request) = request {
                // The client may have disconnected.
                let _ = request.send(result);
            }
        }
    }

    async fn drain(&mut self) {
        self.portals.stop_all().await;
        while self.tasks.join_next().await.is_some() {}
    }
}

/// The address of the page of a process that listens at an address.
fn page_at(address: SocketAddr, web_config: Option<&WebConfigFile>) -> String {
    let scheme = match web_config.map(WebConfigFile::current) {
        Some(config) if config.tls.is_some() => "https",
        _ => "http",
    };
    match address.ip() {
        ip if ip.is_unspecified() => format!("{scheme}://localhost:{}", address.port()),
        _ => format!("{scheme}://{address}"),
    }
}

fn liveness(collectors: watch::Receiver<Collectors>) -> Liveness {
    Arc::new(move || {
        let collectors = collectors.borrow();
        let mut stuck = collectors
            .iter()
            .filter(|(_, progress)| progress.silence() > MAX_SILENCE);
        match stuck.next() {
            Some((portal, _)) => Err(format!("the collector of portal {portal} stands still")),
            None => Ok(()),
        }
    })
}
