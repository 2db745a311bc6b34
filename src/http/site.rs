//! The paths, and what answers on each (docs/operations.md, HTTP paths).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::State;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use tokio::sync::{mpsc, oneshot, watch};
use tower_http::limit::RequestBodyLimitLayer;

use crate::health;
use crate::http::{health_json, page, scrape};
use crate::metrics::{ConfigFacts, Events, Exposition};
use crate::model::Moment;
use crate::snapshot::{ListState, PortalView, Publisher};

/// Largest request body that is read.
const MAX_BODY_BYTES: usize = 64 * 1024;

/// The page loads nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// Every answer but a scrape is of the moment.
const NO_STORE: (HeaderName, &str) = (CACHE_CONTROL, "no-store");

/// Says whether the process makes progress; `Err` says what does not.
pub type Liveness = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// Asks for a reload; the answer is why there was none.
pub type ReloadRequest = oneshot::Sender<Result<(), String>>;

/// What the paths show.
pub struct Site {
    /// What this process did.
    pub events: Events,
    /// What is known of the portals.
    pub publisher: Publisher,
    /// What is known of them, as metrics.
    pub exposition: Exposition,
    /// How the configuration in use came to be.
    pub config: watch::Receiver<ConfigFacts>,
    /// Whether the process makes progress.
    pub liveness: Liveness,
    /// Takes requests to read the configuration again, where they are allowed.
    pub reload: Option<mpsc::Sender<ReloadRequest>>,
    /// The path of the metrics.
    pub telemetry_path: String,
}

/// A site with its state.
struct Served {
    site: Site,
    ready: AtomicBool,
}

impl Site {
    /// The routes.
    pub fn router(self) -> Router {
        let telemetry_path = self.telemetry_path.clone();
        let mut router = Router::new()
            .route("/livez", get(live))
            .route("/healthz", get(live))
            .route("/readyz", get(ready))
            .route("/health", get(health))
            .route("/-/reload", post(reload))
            .route(&telemetry_path, get(metrics));
        if telemetry_path != "/" {
            router = router.route("/", get(status_page));
        }
        let ready = AtomicBool::new(false);
        router
            .layer(RequestBodyLimitLayer::new(MAX_BODY_BYTES))
            .with_state(Arc::new(Served { site: self, ready }))
    }
}

impl Served {
    /// Whether the list of folders of each portal was answered or failed once; then always.
    fn is_ready(&self) -> bool {
        let portals = &self.site.publisher.current().portals;
        let is_asked = |portal: &Arc<PortalView>| !matches!(portal.list, ListState::Unasked);
        let ready = self.ready.load(Ordering::Relaxed) || portals.iter().all(is_asked);
        self.ready.store(ready, Ordering::Relaxed);
        ready
    }
}

async fn reload(State(served): State<Arc<Served>>) -> Response {
    let Some(requests) = &served.site.reload else {
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

async fn live(State(served): State<Arc<Served>>) -> Response {
    match (served.site.liveness)() {
        Ok(()) => plain(StatusCode::OK, "live"),
        Err(reason) => plain(StatusCode::SERVICE_UNAVAILABLE, reason),
    }
}

async fn ready(State(served): State<Arc<Served>>) -> Response {
    if served.is_ready() {
        return plain(StatusCode::OK, "ready");
    }
    let reason = "not every portal's list of folders was answered or failed yet";
    plain(StatusCode::SERVICE_UNAVAILABLE, reason)
}

async fn health(State(served): State<Arc<Served>>) -> Response {
    let health = health::judge(&served.site.publisher.current(), Moment::now());
    let code = match health.status {
        health::Status::Fail => StatusCode::SERVICE_UNAVAILABLE,
        health::Status::Pass | health::Status::Warn => StatusCode::OK,
    };
    let content_type = (CONTENT_TYPE, health_json::CONTENT_TYPE);
    let document = Json(health_json::document(&health));
    (code, [content_type, NO_STORE], document).into_response()
}

async fn metrics(State(served): State<Arc<Served>>, headers: HeaderMap) -> Response {
    let site = &served.site;
    let config = *site.config.borrow();
    scrape::answer(&site.exposition, &site.events, config, &headers)
        .await
        .unwrap_or_else(|error| plain(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
}

async fn status_page(State(served): State<Arc<Served>>) -> Response {
    let site = &served.site;
    let (snapshot, now) = (site.publisher.current(), Moment::now());
    let health = health::judge(&snapshot, now);
    let page = page::render(&snapshot, &health, &site.telemetry_path, now);
    let headers = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        NO_STORE,
    ];
    (headers, Html(page.into_string())).into_response()
}

fn plain(code: StatusCode, line: impl Into<String>) -> Response {
    (code, [NO_STORE], line.into() + "\n").into_response()
}
