//! The paths, and what answers on each (docs/operations.md, HTTP paths).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::extract::{MatchedPath, Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use tokio::sync::{mpsc, oneshot, watch};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

use crate::clock::Moment;
use crate::config::ConfigError;
use crate::health::{self, Conditions, Health};
use crate::http::answer::{self, file, line};
use crate::http::guard::{Guard, admit};
use crate::http::health_json;
use crate::http::page::{self, Configuration, Pages};
use crate::http::route::Route;
use crate::metrics::{self, Facts, Process};
use crate::reindex::kill_switch;
use crate::snapshot::{PortalView, Publisher, Snapshot};

const RELOAD_OFF: &str =
    "reloading over HTTP is not enabled; start with --web.enable-lifecycle, or send SIGHUP";

/// Whether the process makes progress; `Err` says what does not.
pub type Liveness = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// Requests a reload; the answer is the error, if it failed.
pub type ReloadRequest = oneshot::Sender<Result<(), String>>;

pub struct Site {
    /// The current snapshot.
    pub publisher: Publisher,
    pub config: watch::Receiver<Configuration>,
    pub liveness: Liveness,
    /// Receives requests to reload the configuration, if they are allowed.
    pub reload: Option<mpsc::Sender<ReloadRequest>>,
    pub telemetry_path: String,
    pub guard: Arc<Guard>,
    /// Whether each portal's first collection has ended, as far as was asked.
    pub ready: AtomicBool,
}

impl Site {
    pub fn router(self) -> Router {
        let guard = middleware::from_fn_with_state(Arc::clone(&self.guard), admit);
        let mut router = Router::new().route(&self.telemetry_path, get(exposition));
        for route in Route::ALL {
            let answer = match route {
                Route::Style => get(async || file("text/css; charset=utf-8", answer::STYLE)),
                Route::Script => {
                    get(async || file("text/javascript; charset=utf-8", answer::SCRIPT))
                }
                Route::Live | Route::Healthy => get(live),
                Route::Ready => get(ready),
                Route::Health => get(health),
                Route::Reload => post(reload),
                _ => get(page),
            };
            router = router.route(route.as_str(), answer);
        }
        router
            .fallback(async || line(StatusCode::NOT_FOUND, "there is no such page"))
            .layer(compression())
            .layer(guard)
            .with_state(Arc::new(self))
    }

    /// Whether each portal's first collection has ended, with any result; then always. From then on the process has all facts, so that
    /// it can replace another one.
    fn is_ready(&self) -> bool {
        let is_known = |portal: &PortalView| {
            portal.collections.last_run.is_some() || portal.holder().is_some()
        };
        let snapshot = self.publisher.current();
        if snapshot.portals.iter().all(|portal| is_known(portal)) {
            self.ready.store(true, Ordering::Relaxed);
        }
        self.ready.load(Ordering::Relaxed)
    }

    /// Whether a kill switch file stops reindexing now.
    async fn kill_switch(&self) -> bool {
        let reindex = Arc::clone(&self.config.borrow().reindex);
        kill_switch::is_on(&reindex).await
    }

    /// Why the web configuration as it is now is not in use, if so.
    fn web_fault(&self) -> Option<ConfigError> {
        self.guard.file.as_ref()?.fault()
    }

    async fn health(&self, snapshot: &Snapshot, now: Moment) -> Health {
        let conditions = Conditions {
            kill_switch: self.kill_switch().await,
            reload_failed: !self.config.borrow().facts.reload_successful
                || self.web_fault().is_some(),
        };
        health::judge(snapshot, conditions, now)
    }
}

/// Compresses answers for clients that accept gzip, while they are sent. A higher level costs ten times as much for a tenth less bytes.
pub fn compression() -> CompressionLayer {
    CompressionLayer::new().quality(CompressionLevel::Fastest)
}

/// Answers with a page.
async fn page(
    State(site): State<Arc<Site>>,
    Path(parts): Path<Vec<String>>,
    Query(query): Query<page::Query>,
    matched: MatchedPath,
    path: Uri,
) -> Response {
    let (snapshot, now) = (site.publisher.current(), Moment::now());
    let health = site.health(&snapshot, now).await;
    let configuration = &site.config.borrow();
    let pages = Pages {
        snapshot: &snapshot,
        health: &health,
        configuration,
        now,
        metrics: &site.telemetry_path,
        path: path.path(),
    };
    let route = Route::of(matched.as_str());
    match route.and_then(|route| pages.render(route, &parts, &query)) {
        Some(page) => answer::page(page),
        None => line(StatusCode::NOT_FOUND, "there is no such page"),
    }
}

async fn reload(State(site): State<Arc<Site>>) -> Response {
    let Some(requests) = &site.reload else {
        return line(StatusCode::FORBIDDEN, RELOAD_OFF);
    };
    let (answer, answered) = oneshot::channel();
    // If the process stops, nobody answers either.
    let _ = requests.send(answer).await;
    match (answered.await, site.web_fault()) {
        (Ok(Ok(())), None) => line(StatusCode::OK, "reloaded"),
        (Ok(Ok(())), Some(fault)) => {
            let reason = format!("the configuration is reloaded; that of the web is not: {fault}");
            line(StatusCode::INTERNAL_SERVER_ERROR, reason)
        }
        (Ok(Err(reason)), _) => line(StatusCode::INTERNAL_SERVER_ERROR, reason),
        (Err(_), _) => line(StatusCode::SERVICE_UNAVAILABLE, "stopping"),
    }
}

async fn live(State(site): State<Arc<Site>>) -> Response {
    match (site.liveness)() {
        Ok(()) => line(StatusCode::OK, "live"),
        Err(reason) => line(StatusCode::SERVICE_UNAVAILABLE, reason),
    }
}

async fn ready(State(site): State<Arc<Site>>) -> Response {
    if site.is_ready() {
        return line(StatusCode::OK, "ready");
    }
    let reason = "not every portal's first collection has ended yet";
    line(StatusCode::SERVICE_UNAVAILABLE, reason)
}

async fn health(State(site): State<Arc<Site>>) -> Response {
    let snapshot = site.publisher.current();
    let health = site.health(&snapshot, Moment::now()).await;
    let code = match health.status {
        health::Status::Fail => StatusCode::SERVICE_UNAVAILABLE,
        health::Status::Pass | health::Status::Warn => StatusCode::OK,
    };
    let content_type = [(CONTENT_TYPE, health_json::CONTENT_TYPE)];
    let document = Json(health_json::document(&health));
    (code, content_type, document).into_response()
}

async fn exposition(State(site): State<Arc<Site>>) -> Response {
    let kill_switch = site.kill_switch().await;
    let file = site.guard.file.as_ref();
    let facts = Facts {
        snapshot: site.publisher.current(),
        config: site.config.borrow().facts,
        web: file.map(|file| file.facts()),
        kill_switch,
        process: Process::now(),
        now: Moment::now(),
    };
    let content_type = [(CONTENT_TYPE, metrics::CONTENT_TYPE)];
    match metrics::scrape(&site.guard.events, facts) {
        Ok(pieces) => (content_type, Body::from_stream(pieces)).into_response(),
        Err(error) => line(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}
