//! The checks before a request is answered, and the count of all answers.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{CACHE_CONTROL, HOST};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

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

    /// The web configuration in use; without a file nothing is asked for.
    fn config(&self) -> Arc<WebConfig> {
        let file = self.file.as_ref();
        file.map(|file| file.current()).unwrap_or_default()
    }

    async fn check(
        &self,
        config: &WebConfig,
        client: &Client,
        handler: &str,
        request: &Parts,
    ) -> Result<(), Refusal> {
        let (headers, certificate) = (&request.headers, client.certificate.as_ref());
        let writes = !request.method.is_safe();
        let hosts = headers.get_all(HOST).iter().count();
        Refusal::Host.when(request.version == Version::HTTP_11 && hosts != 1)?;
        let tls = config.tls.as_ref();
        Refusal::CertificateName.when(tls.is_some_and(|tls| !tls.admits(certificate)))?;
        if self.open_probes && Route::of(handler).is_some_and(Route::is_probe) {
            return Ok(());
        }
        Refusal::CrossSite.when(writes && is_cross_site(headers))?;
        let asks_password = !config.users.is_empty();
        // Behind a password or TLS, a page of another site reads nothing under a name of its own.
        let is_open = !asks_password && tls.is_none();
        Refusal::ForeignHost.when(is_open && !self.is_asked_for(headers))?;
        if asks_password {
            let credentials = Credentials::of(headers).ok_or(Refusal::Password)?;
            let is_right = self.passwords.check(&config.users, &credentials).await;
            Refusal::Password.when(!is_right)?;
        }
        // Whoever has no password uses up nothing of those who have one.
        let limiter = config.limiter.as_ref();
        Refusal::Rate.when(limiter.is_some_and(|limiter| limiter.check().is_err()))?;
        let is_known = asks_password || certificate.is_some();
        let asks_certificate = tls.is_some_and(|tls| tls.client_auth != ClientAuth::None);
        Refusal::NoCertificate.when(writes && asks_certificate && !is_known)
    }

    /// Whether the host of a request is this one. A client of HTTP/1.0 may name none.
    fn is_asked_for(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST);
        host.is_none_or(|host| host.to_str().is_ok_and(|host| self.hosts.are_of(host)))
    }
}

/// Answers a request, or refuses it. The handler is the path as it was registered, so that the label has few values.
pub(super) async fn admit(
    State(guard): State<Arc<Guard>>,
    Extension(client): Extension<Client>,
    matched: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let config = guard.config();
    let handler = matched.as_ref().map_or(UNKNOWN, MatchedPath::as_str);
    let (parts, body) = request.into_parts();
    let checked = guard.check(&config, &client, handler, &parts);
    let mut response = match checked.await {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(refusal) => {
            guard.refusals.add(refusal, client.peer);
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
    let text = |name| {
        let value = headers.get(name);
        value.map(|value: &HeaderValue| value.to_str().unwrap_or(""))
    };
    match (text("sec-fetch-site"), text("origin")) {
        (Some(site), _) => !matches!(site, "same-origin" | "none"),
        (None, Some(origin)) => {
            let host = origin.split_once("://").map(|(_, host)| host);
            host.is_none() || host != text("host")
        }
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests;
