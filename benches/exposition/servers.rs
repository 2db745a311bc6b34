//! Those that are scraped.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flate2::Compression;
use flate2::write::GzEncoder;
use kb_exporter::clock::Moment;
use kb_exporter::config::{BaseUrl, HiddenPath, KeySource, Portal as Configured};
use kb_exporter::http::Configuration;
use kb_exporter::http::guard::Guard;
use kb_exporter::http::serve::{Limits, serve};
use kb_exporter::http::site::Site;
use kb_exporter::metrics::{self, ConfigFacts, Events, Renderer};
use kb_exporter::model::PortalName;
use kb_exporter::snapshot::Publisher;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::FOLDERS;
use crate::portals::Portal;

const PORTALS: [&str; 2] = ["main", "archive"];

/// Between two snapshots of a portal.
const PUBLISH_GAP: Duration = Duration::from_millis(50);

/// Folders that are counted between two snapshots.
const COUNTED: usize = 5;

/// Where they listen.
pub struct Servers {
    /// The program's own server.
    pub exporter: SocketAddr,
    /// One that renders at each scrape.
    pub anew: SocketAddr,
    runtime: Handle,
}

/// What there is to show.
#[derive(Clone)]
struct Shown {
    events: Events,
    publisher: Publisher,
    config: ConfigFacts,
}

impl Servers {
    /// Starts the servers, and collections that go on until `stop`.
    pub async fn start(stop: &CancellationToken) -> Result<Self> {
        let shown = Shown {
            events: Events::new()?,
            publisher: Publisher::default(),
            config: ConfigFacts {
                reload_successful: true,
                loaded: Moment::now().wall,
            },
        };
        shown.collect(stop)?;
        Ok(Self {
            exporter: listen(shown.exporter(stop).await?, stop).await?,
            anew: listen(shown.anew(), stop).await?,
            runtime: Handle::current(),
        })
    }

    /// Starts a bare socket that answers every request with this body.
    pub fn bare(&self, body: &[u8]) -> Result<SocketAddr> {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        let answer: Arc<[u8]> = [head.as_bytes(), body].concat().into();
        self.runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let address = listener.local_addr()?;
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(write_always(stream, Arc::clone(&answer)));
                }
            });
            Ok(address)
        })
    }
}

impl Shown {
    /// Publishes snapshots until `stop`.
    fn collect(&self, stop: &CancellationToken) -> Result<()> {
        let names = PORTALS.map(|name| PortalName::new(name).context("no name of a portal"));
        let names = names.into_iter().collect::<Result<Vec<_>>>()?;
        let base_url = BaseUrl::parse("http://127.0.0.1:1").map_err(anyhow::Error::msg)?;
        let key = || KeySource::File(HiddenPath::file("api_key_file", "/key"));
        let configured = |name: &PortalName| Configured::new(name.clone(), base_url.clone(), key());
        let configured: Vec<_> = names.iter().map(configured).collect();
        self.publisher.use_portals(&configured);
        for name in names {
            let events = self.events.of(&name);
            let mut portal = Portal::new(name, FOLDERS / PORTALS.len());
            self.publisher.publish(portal.collect(0));
            let (publisher, stop) = (self.publisher.clone(), stop.clone());
            let collecting = async move {
                let _events = events;
                let mut ticks = interval(PUBLISH_GAP);
                ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
                loop {
                    ticks.tick().await;
                    publisher.publish(portal.collect(COUNTED));
                }
            };
            tokio::spawn(async move { stop.run_until_cancelled(collecting).await });
        }
        Ok(())
    }

    async fn exporter(&self, stop: &CancellationToken) -> Result<Router> {
        let (mut renderer, exposition) = Renderer::new(&self.publisher, Arc::new(Moment::now))?;
        renderer.render().await?;
        tokio::spawn(renderer.run(stop.clone()));
        let (_, config) = watch::channel(Configuration {
            facts: self.config,
            shown: Arc::default(),
            reindex: Arc::default(),
        });
        let guard = Guard::new(None, false, "/metrics".to_owned(), self.events.clone());
        let site = Site {
            publisher: self.publisher.clone(),
            exposition,
            config,
            liveness: Arc::new(|| Ok(())),
            reload: None,
            guard: Arc::new(guard),
            ready: AtomicBool::default(),
        };
        Ok(site.router())
    }

    fn anew(&self) -> Router {
        let shown = self.clone();
        let answer = async move |headers: HeaderMap| shown.render(&headers).map_err(|_| "broken");
        Router::new().route("/metrics", get(answer))
    }

    fn render(&self, asked: &HeaderMap) -> Result<Response> {
        let snapshot = self.publisher.current();
        let text = metrics::render(&self.events, self.config, &snapshot, Moment::now())?;
        if asked
            .get(ACCEPT_ENCODING)
            .is_none_or(|coding| coding != "gzip")
        {
            return Ok(text.into_response());
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&text)?;
        Ok(([(CONTENT_ENCODING, "gzip")], encoder.finish()?).into_response())
    }
}

async fn listen(router: Router, stop: &CancellationToken) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(serve(
        listener,
        router,
        Limits::default(),
        None,
        stop.clone(),
    ));
    Ok(address)
}

async fn write_always(stream: TcpStream, answer: Arc<[u8]>) -> Result<()> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    while stream.read_line(&mut line).await? > 0 {
        if line.trim().is_empty() {
            stream.write_all(&answer).await?;
        }
        line.clear();
    }
    Ok(())
}
