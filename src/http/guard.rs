//! The checks before a request is answered.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{CACHE_CONTROL, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use headers::HeaderMapExt as _;
use headers::authorization::{Authorization, Basic};

use crate::http::host::HostNames;
use crate::http::passwords::Passwords;
use crate::http::refusal::{self, Refusal};
use crate::http::route::Route;
use crate::http::web_config::{WebConfig, WebConfigFile};
use crate::metrics::Events;

/// The handler of paths that are not there, in the label `handler`.
const UNKNOWN: &str = "unknown";

/// Admits requests as the web configuration says.
pub struct Guard {
    /// Without a file nothing is asked for.
    pub file: Option<Arc<WebConfigFile>>,
    /// Whether the paths of liveness and readiness are open to everybody.
    pub open_probes: bool,
    pub hosts: HostNames,
    pub passwords: Passwords,
    pub events: Events,
}

impl Guard {
    async fn check(
        &self,
        config: &WebConfig,
        handler: &str,
        request: &Parts,
    ) -> Result<(), Refusal> {
        if self.open_probes && Route::of(handler).is_some_and(Route::is_probe) {
            return Ok(());
        }
        let headers = &request.headers;
        Refusal::CrossSite.when(!request.method.is_safe() && is_cross_site(headers))?;
        // Behind a password or TLS, a page of another site reads nothing under a name of its own. A client of HTTP/1.0 may name no host.
        let is_open = config.users.is_empty() && config.tls.is_none();
        let is_ours = |host: &HeaderValue| host.to_str().is_ok_and(|host| self.hosts.are_of(host));
        Refusal::ForeignHost.when(is_open && !headers.get(HOST).is_none_or(is_ours))?;
        if !config.users.is_empty() {
            let asked: Option<Authorization<Basic>> = headers.typed_get();
            let asked = asked.ok_or(Refusal::Password)?;
            let is_right = self.passwords.check(&config.users, &asked.0).await;
            Refusal::Password.when(!is_right)?;
        }
        // Whoever has no password uses up nothing of those who have one.
        let limit = config.limit.as_ref();
        Refusal::Rate.when(limit.is_some_and(|limit| !limit.allows_one()))
    }
}

/// Answers a request, or refuses it. The handler is the path as it was registered, so that the label has few values.
pub(super) async fn admit(
    State(guard): State<Arc<Guard>>,
    Extension(peer): Extension<SocketAddr>,
    matched: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let file = guard.file.as_ref();
    let config = file.map(|file| file.current()).unwrap_or_default();
    let handler = matched.as_ref().map_or(UNKNOWN, MatchedPath::as_str);
    let (parts, body) = request.into_parts();
    let mut response = match guard.check(&config, handler, &parts).await {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(refusal) => {
            refusal::log(refusal, peer);
            refusal.into_response()
        }
    };
    let headers = response.headers_mut();
    let uncached = HeaderValue::from_static("no-store");
    headers.entry(CACHE_CONTROL).or_insert(uncached);
    headers.extend(config.headers.clone());
    guard.events.answered(handler, response.status().as_u16());
    response
}

/// Whether a browser sent the request for a page of another site. Other clients set none of these headers.
fn is_cross_site(headers: &HeaderMap) -> bool {
    let text = |value: &HeaderValue| value.to_str().unwrap_or_default().to_owned();
    if let Some(site) = headers.get("sec-fetch-site") {
        return !matches!(&*text(site), "same-origin" | "none");
    }
    let Some(origin) = headers.get(ORIGIN).map(text) else {
        return false;
    };
    let host = origin.split_once("://").map(|(_, host)| host.to_owned());
    host.is_none() || host != headers.get(HOST).map(text)
}
