//! The checks before a request is answered, and the count of all answers.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::clock::Moment;
use crate::http::host::HostNames;
use crate::http::passwords::{Credentials, Passwords};
use crate::http::refusal::{Refusal, RefusalLog};
use crate::http::route::Route;
use crate::http::serve::Client;
use crate::http::web_config::{ClientAuth, WebConfig, WebConfigFile};
use crate::metrics::Events;

/// The handler of paths that are not there, in the label `handler`.
const UNKNOWN: &str = "unknown";

pub struct Guard {
    file: Option<Arc<WebConfigFile>>,
    open_probes: bool,
    pub(super) telemetry_path: String,
    pub(super) events: Events,
    hosts: HostNames,
    passwords: Passwords,
    refusals: RefusalLog,
}

impl Guard {
    /// Admits requests as the file says, if there is one. With `open_probes` the paths of liveness and readiness are open to everybody.
    pub fn new(
        file: Option<Arc<WebConfigFile>>,
        open_probes: bool,
        telemetry_path: String,
        events: Events,
        hosts: HostNames,
    ) -> Self {
        Self {
            file,
            open_probes,
            telemetry_path,
            events,
            hosts,
            passwords: Passwords::default(),
            refusals: RefusalLog::default(),
        }
    }

    /// Shows the web configuration in the metrics.
    pub(super) fn show_web_config(&self) {
        if let Some(file) = &self.file {
            self.events.show_web_config(file.facts());
        }
    }

    /// Whether the host of a request is this one. A client of HTTP/1.0 may name none.
    fn is_asked_for(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST);
        host.is_none_or(|host| host.to_str().is_ok_and(|host| self.hosts.are_of(host)))
    }

    async fn check(
        &self,
        config: Option<&WebConfig>,
        client: &Client,
        request: &Parts,
    ) -> Result<(), Refusal> {
        if request.version == Version::HTTP_11 && request.headers.get_all(HOST).iter().count() != 1
        {
            return Err(Refusal::Host);
        }
        let tls = config.and_then(|config| config.tls.as_ref());
        if tls.is_some_and(|tls| !tls.admits(client.certificate.as_ref())) {
            return Err(Refusal::CertificateName);
        }
        let is_probe = Route::of(handler(request)).is_some_and(Route::is_probe);
        let writes = !matches!(request.method, Method::GET | Method::HEAD);
        if self.open_probes && is_probe {
            return Ok(());
        }
        if writes && is_cross_site(&request.headers) {
            return Err(Refusal::CrossSite);
        }
        // Behind a password or TLS, a page of another site reads nothing under a name of its own.
        let is_open = config.is_none_or(|config| config.users.is_empty() && config.tls.is_none());
        if is_open && !self.is_asked_for(&request.headers) {
            return Err(Refusal::ForeignHost);
        }
        let Some(config) = config else { return Ok(()) };
        if !config.users.is_empty() {
            let credentials = Credentials::of(&request.headers).ok_or(Refusal::Password)?;
            self.passwords.check(&config.users, &credentials).await?;
        }
        // Whoever has no password uses up nothing of those who have one.
        let limiter = config.limiter.as_ref();
        if limiter.is_some_and(|limiter| limiter.check().is_err()) {
            return Err(Refusal::Rate);
        }
        if tls.is_some_and(|tls| tls.client_auth == ClientAuth::IfGiven)
            && writes
            && config.users.is_empty()
            && client.certificate.is_none()
        {
            return Err(Refusal::Certificate);
        }
        Ok(())
    }
}

/// The path that the router matched, as it was registered, so that the label has few values.
fn handler(request: &Parts) -> &str {
    let matched = request.extensions.get::<MatchedPath>();
    matched.map_or(UNKNOWN, MatchedPath::as_str)
}

/// Answers a request, or refuses it.
pub(super) async fn admit(
    State(guard): State<Arc<Guard>>,
    Extension(client): Extension<Client>,
    request: Request,
    next: Next,
) -> Response {
    let config = guard.file.as_ref().map(|file| file.current());
    let (parts, body) = request.into_parts();
    let handler = handler(&parts).to_owned();
    let mut response = match guard.check(config.as_deref(), &client, &parts).await {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(refusal) => {
            let now = Moment::now().steady;
            guard.refusals.add(refusal.reason(), client.peer, now);
            refusal.into_response()
        }
    };
    if let Some(config) = config {
        response.headers_mut().extend(config.headers.clone());
    }
    guard.events.answered(&handler, response.status().as_u16());
    response
}

/// Whether a browser sent the request for a page of another site. Other clients set none of these headers.
fn is_cross_site(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    if let Some(site) = text("sec-fetch-site") {
        return !matches!(site, "same-origin" | "none");
    }
    let origin = text(ORIGIN.as_str());
    let host = origin.map(|origin| origin.split_once("://").map(|(_, host)| host));
    host.is_some_and(|host| host.is_none() || host != text(HOST.as_str()))
}

#[cfg(test)]
mod tests;
