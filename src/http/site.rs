//! The paths, and what answers on each (contract, HTTP).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::limit::RequestBodyLimitLayer;

use crate::health;
use crate::http::{health_json, page};
use crate::metrics::{self, ConfigFacts, Events};
use crate::model::Moment;
use crate::snapshot::{ListState, Publisher};

/// Largest request body that is read.
const MAX_BODY_BYTES: usize = 64 * 1024;

/// The page needs nothing from anywhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// Says whether the process makes progress; `Err` tells what does not.
pub type Liveness = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// What the paths show.
pub struct Site {
    /// What this process did.
    pub events: Events,
    /// What is known of the portals.
    pub publisher: Publisher,
    /// How the configuration came to be.
    pub config: ConfigFacts,
    /// Whether the process makes progress.
    pub liveness: Liveness,
    /// The path of the metrics.
    pub telemetry_path: String,
    ready: AtomicBool,
}

impl Site {
    /// Puts a site together.
    #[must_use]
    pub fn new(
        events: Events,
        publisher: Publisher,
        config: ConfigFacts,
        liveness: Liveness,
        telemetry_path: String,
    ) -> Self {
        Self {
            events,
            publisher,
            config,
            liveness,
            telemetry_path,
            ready: AtomicBool::new(false),
        }
    }

    /// The routes.
    pub fn router(self) -> Router {
        let gzip = CompressionLayer::new().quality(CompressionLevel::Fastest);
        let telemetry_path = self.telemetry_path.clone();
        let mut router = Router::new()
            .route("/livez", get(live))
            .route("/healthz", get(live))
            .route("/readyz", get(ready))
            .route("/health", get(health))
            .route(&telemetry_path, get(metrics).layer(gzip));
        if telemetry_path != "/" {
            router = router.route("/", get(status_page));
        }
        router
            .layer(RequestBodyLimitLayer::new(MAX_BODY_BYTES))
            .with_state(Arc::new(self))
    }

    /// Whether each portal's list was answered, or failed, once.
    fn is_ready(&self) -> bool {
        if self.ready.load(Ordering::Relaxed) {
            return true;
        }
        let snapshot = self.publisher.current();
        let asked = |list: &ListState| !matches!(list, ListState::Unasked);
        let ready = snapshot.portals.iter().all(|portal| asked(&portal.list));
        self.ready.store(ready, Ordering::Relaxed);
        ready
    }
}

async fn live(State(site): State<Arc<Site>>) -> Response {
    match (site.liveness)() {
        Ok(()) => plain(StatusCode::OK, "live".to_owned()),
        Err(reason) => plain(StatusCode::SERVICE_UNAVAILABLE, reason),
    }
}

async fn ready(State(site): State<Arc<Site>>) -> Response {
    if site.is_ready() {
        plain(StatusCode::OK, "ready".to_owned())
    } else {
        let reason = "not every portal's list of folders was answered or failed yet";
        plain(StatusCode::SERVICE_UNAVAILABLE, reason.to_owned())
    }
}

async fn health(State(site): State<Arc<Site>>) -> Response {
    let health = health::judge(&site.publisher.current(), Moment::now());
    let code = match health.status {
        health::Status::Fail => StatusCode::SERVICE_UNAVAILABLE,
        health::Status::Pass | health::Status::Warn => StatusCode::OK,
    };
    match serde_json::to_vec(&health_json::Document::from(health)) {
        Ok(json) => {
            let headers = [
                (CONTENT_TYPE, health_json::CONTENT_TYPE),
                (CACHE_CONTROL, "no-store"),
            ];
            (code, headers, json).into_response()
        }
        Err(error) => plain(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

async fn metrics(State(site): State<Arc<Site>>) -> Response {
    let snapshot = site.publisher.current();
    match metrics::render(&site.events, site.config, &snapshot, Moment::now()) {
        Ok(text) => ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], text).into_response(),
        Err(error) => plain(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

async fn status_page(State(site): State<Arc<Site>>) -> Response {
    let (snapshot, now) = (site.publisher.current(), Moment::now());
    let health = health::judge(&snapshot, now);
    let page = page::render(&snapshot, &health, &site.telemetry_path, now);
    let headers: [(HeaderName, &str); 3] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CACHE_CONTROL, "no-store"),
    ];
    (headers, Html(page.into_string())).into_response()
}

fn plain(code: StatusCode, line: String) -> Response {
    (code, [(CACHE_CONTROL, "no-store")], line + "\n").into_response()
}
