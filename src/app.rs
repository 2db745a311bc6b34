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
use futures_util::{FutureExt, TryFutureExt};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::http::guard::Guard;
use crate::http::host::HostNames;
use crate::http::passwords::Passwords;
use crate::http::serve::{Limits, serve};
use crate::http::site::{Liveness, Site};
use crate::http::web_config::WebConfigFile;
use crate::metrics::Events;
use crate::schedule::heartbeat;
use crate::snapshot::Publisher;

pub use reload::ConfigSource;

use portal_tasks::Collectors;
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
    web_config: Option<Arc<WebConfigFile>>,
    site: Site,
    portals: Portals,
    built: Built,
    reloader: Reloader,
    /// The address of the status page, if it is another one than this process listens on.
    page: Option<String>,
    hangup: Signal,
    cancel: CancellationToken,
}

impl App {
    /// Builds everything that the configuration asks for, and binds the addresses.
    pub async fn bind(source: ConfigSource, web: &Web) -> Result<Self> {
        // From the beginning: a signal that nobody waits for would end the process.
        let hangup = signal(SignalKind::hangup()).context("SIGHUP cannot be received")?;
        let config = source()?;
        let events = Events::new().context("the metrics cannot be set up")?;
        let listeners = listen::on_all(&web.addresses).await?;
        let publisher = Publisher::default();
        let cancel = CancellationToken::new();
        let heartbeat = heartbeat(cancel.clone()).await;
        let heartbeat = heartbeat.context("the scheduler's heartbeat could not be started")?;
        let (configuration, config_in_use) = watch::channel(reload::loaded(&config));
        let (reload, requests) = mpsc::channel(1);
        let portals = Portals::new(events.clone(), publisher.clone(), heartbeat);
        let built = portals.build(config).await?;
        let guard = Guard {
            file: web.config.clone(),
            open_probes: web.open_probes,
            hosts: HostNames::new(web.external_url.as_deref()),
            passwords: Passwords::default(),
            events,
        };
        let site = Site {
            publisher,
            config: config_in_use,
            liveness: liveness(portals.collectors()),
            reload: web.lifecycle.then_some(reload),
            telemetry_path: web.telemetry_path.clone(),
            guard: Arc::new(guard),
            ready: AtomicBool::default(),
        };
        Ok(Self {
            listeners,
            web_config: web.config.clone(),
            site,
            portals,
            built,
            reloader: Reloader {
                source,
                requests,
                configuration,
            },
            page: web.external_url.clone(),
            hangup,
            cancel,
        })
    }

    /// The addresses that it listens on.
    fn addresses(&self) -> Result<Vec<SocketAddr>> {
        let addresses = self.listeners.iter().map(TcpListener::local_addr);
        Ok(addresses.collect::<std::io::Result<_>>()?)
    }

    /// The address of the status page, with a `/` at its end.
    pub fn page(&self) -> Result<String> {
        match &self.page {
            Some(page) => Ok(format!("{page}/")),
            None => Ok(at(&self.addresses()?, self.web_config.as_deref())),
        }
    }

    /// Collects and serves until `stop`; then lets running requests end.
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        let (addresses, page) = (self.addresses()?, self.page()?);
        let Self {
            listeners,
            web_config,
            site,
            mut portals,
            built,
            reloader,
            hangup,
            cancel,
            ..
        } = self;
        portals.use_config(built).await;
        // Whoever asks first sees the stored counts, if that does not take long.
        let _ = timeout(MAX_START, portals.started()).await;
        let signs = systemd::send_signs_of_life(Arc::clone(&site.liveness));
        let signs = cancel.clone().run_until_cancelled_owned(signs);
        let router = site.router();
        let mut tasks = JoinSet::new();
        tasks.spawn(signs.map(|_| Ok(())));
        for listener in listeners {
            let limits = Limits::default();
            let server = serve(
                listener,
                router.clone(),
                limits,
                web_config.clone(),
                cancel.clone(),
            );
            tasks.spawn(
                server.map_err(|error| anyhow::Error::from(error).context("the server broke")),
            );
        }
        systemd::ready(&addresses);
        info!(url = page, "status page");
        let result = supervise(&mut portals, &mut tasks, reloader, hangup, stop).await;
        systemd::stopping();
        cancel.cancel();
        let drained = async {
            portals.stop_all().await;
            while tasks.join_next().await.is_some() {}
        };
        // What does not end in time is cut when the tasks are dropped.
        let _ = timeout(DRAIN, drained).await;
        result
    }
}

/// Answers reloads until `stop`, or until something ends that never should. A stop does not wait for a reload.
async fn supervise(
    portals: &mut Portals,
    tasks: &mut JoinSet<Result<()>>,
    mut reloader: Reloader,
    mut hangup: Signal,
    stop: CancellationToken,
) -> Result<()> {
    loop {
        let request = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            broken = portals.broken() => return Err(broken),
            Some(ended) = tasks.join_next() => {
                ended.context("the server or the rendering of the metrics broke")??;
                bail!("the server or the rendering of the metrics ended early");
            }
            Some(()) = hangup.recv() => None,
            Some(request) = reloader.requests.recv() => Some(request),
        };
        let Some(result) = stop.run_until_cancelled(reloader.reload(portals)).await else {
            return Ok(());
        };
        if let Some(request) = request {
            // The client may have disconnected.
            let _ = request.send(result);
        }
    }
}

/// The address of the page at the first address that this process listens on.
fn at(addresses: &[SocketAddr], web_config: Option<&WebConfigFile>) -> String {
    let scheme = match web_config.map(WebConfigFile::current) {
        Some(config) if config.tls.is_some() => "https",
        _ => "http",
    };
    let address = addresses.first().map(|address| match address.ip() {
        ip if ip.is_unspecified() => format!("localhost:{}", address.port()),
        _ => address.to_string(),
    });
    format!("{scheme}://{}/", address.unwrap_or_default())
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
