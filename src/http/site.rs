//! The paths, and what answers on each (docs/operations.md, HTTP paths).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::extract::{MatchedPath, Path, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Router, middleware};
use tokio::sync::{mpsc, oneshot, watch};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

use crate::clock::Moment;
use crate::health::{self, Conditions, Health};
use crate::http::answer::{self, Asset};
use crate::http::guard::{Guard, admit};
use crate::http::health_json;
use crate::http::page;
use crate::http::page::{Configuration, Pages};
use crate::http::route::Route;
use crate::metrics;
use crate::reindex::kill_switch;
use crate::snapshot::{Publisher, Snapshot};

/// No answer may be cached but scrapes, pages and what they use.
const NO_STORE: (HeaderName, &str) = (CACHE_CONTROL, "no-store");

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
    pub guard: Arc<Guard>,
    /// Whether each portal's first collection has ended, as far as was asked.
    pub ready: AtomicBool,
}

impl Site {
    pub fn router(self) -> Router {
        let guard = middleware::from_fn_with_state(Arc::clone(&self.guard), admit);
        let telemetry_path = &self.guard.telemetry_path;
        let mut router = Router::new().route(telemetry_path, get(exposition));
        for route in Route::ALL {
            let answer = match route {
                Route::Style => asset(&answer::STYLE),
                Route::Script => asset(&answer::SCRIPT),
                Route::Live | Route::Healthy => get(live),
                Route::Ready => get(ready),
                Route::Health => get(health),
                Route::Reload => post(reload),
                _ => get(page),
            };
            router = router.route(route.as_str(), answer);
        }
        router
            .layer(compression())
            .layer(guard)
            .with_state(Arc::new(self))
    }

    /// Whether each portal's first collection has ended, with any result; then always. From then on the process has all facts, so that
    /// it can replace another one.
    fn is_ready(&self) -> bool {
        let portals = &self.publisher.current().portals;
        let all = || {
            portals
                .iter()
                .all(|portal| portal.was_collected() || portal.holder().is_some())
        };
        let ready = self.ready.load(Ordering::Relaxed) || all();
        self.ready.store(ready, Ordering::Relaxed);
        ready
    }

    /// Whether a kill switch file stops reindexing now.
    async fn kill_switch(&self) -> bool {
        let reindex = Arc::clone(&self.config.borrow().reindex);
        kill_switch::is_on(&reindex).await
    }

    async fn health(&self, snapshot: &Snapshot, now: Moment) -> Health {
        let conditions = Conditions {
            kill_switch: self.kill_switch().await,
            reload_failed: !self.config.borrow().facts.reload_successful,
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
    asked: HeaderMap,
) -> Response {
    let (snapshot, now) = (site.publisher.current(), Moment::now());
    let health = site.health(&snapshot, now).await;
    let paths = [&*site.guard.telemetry_path, path.path()];
    let configuration = site.config.borrow();
    let pages = Pages::new(&snapshot, &health, &configuration, now, paths);
    let route = Route::of(matched.as_str());
    match route.and_then(|route| pages.render(route, &parts, &query)) {
        Some(page) => answer::page(page, &asked),
        None => plain(StatusCode::NOT_FOUND, "there is no such page"),
    }
}

fn asset(asset: &'static Asset) -> MethodRouter<Arc<Site>> {
    get(async move || answer::asset(asset))
}

async fn reload(State(site): State<Arc<Site>>) -> Response {
    let Some(requests) = &site.reload else {
        let reason =
            "reloading over HTTP is not enabled; start with --web.enable-lifecycle, or send SIGHUP";
        return plain(StatusCode::FORBIDDEN, reason);
    };
    let (answer, answered) = oneshot::channel();
    let sent = requests.send(answer).await.is_ok();
    match (sent, answered.await) {
        (true, Ok(Ok(()))) => plain(StatusCode::OK, "reloaded"),
        (true, Ok(Err(reason))) => plain(StatusCode::INTERNAL_SERVER_ERROR, reason),
        _ => plain(StatusCode::SERVICE_UNAVAILABLE, "stopping"),
    }
}

async fn live(State(site): State<Arc<Site>>) -> Response {
    match (site.liveness)() {
        Ok(()) => plain(StatusCode::OK, "live"),
        Err(reason) => plain(StatusCode::SERVICE_UNAVAILABLE, reason),
    }
}

async fn ready(State(site): State<Arc<Site>>) -> Response {
    if site.is_ready() {
        return plain(StatusCode::OK, "ready");
    }
    let reason = "not every portal's first collection has ended yet";
    plain(StatusCode::SERVICE_UNAVAILABLE, reason)
}

async fn health(State(site): State<Arc<Site>>) -> Response {
    let snapshot = site.publisher.current();
    let health = site.health(&snapshot, Moment::now()).await;
    let code = match health.status {
        health::Status::Fail => StatusCode::SERVICE_UNAVAILABLE,
        health::Status::Pass | health::Status::Warn => StatusCode::OK,
    };
    let content_type = (CONTENT_TYPE, health_json::CONTENT_TYPE);
    let document = axum::Json(health_json::document(&health));
    (code, [content_type, NO_STORE], document).into_response()
}

async fn exposition(State(site): State<Arc<Site>>) -> Response {
    let events = &site.guard.events;
    events.show_kill_switch(site.kill_switch().await);
    site.guard.show_web_config();
    let config = site.config.borrow().facts;
    let snapshot = site.publisher.current();
    let content_type = [(CONTENT_TYPE, metrics::CONTENT_TYPE)];
    match metrics::scrape(&snapshot, events, config, Moment::now()) {
        Ok(pieces) => (content_type, Body::from_stream(pieces)).into_response(),
        Err(error) => plain(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

fn plain(code: StatusCode, line: impl Into<String>) -> Response {
    (code, [NO_STORE], line.into() + "\n").into_response()
}
