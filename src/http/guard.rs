//! The checks before a request is answered: the rate limit and authentication of the web configuration file.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::clock::Moment;
use crate::http::credentials::Credentials;
use crate::http::passwords::{Passwords, Verdict};
use crate::http::route::Route;
use crate::http::web_config::{WebConfig, WebConfigFile};

/// The challenge for a password (RFC 7617).
const CHALLENGE: &str = r#"Basic realm="kb-exporter", charset="UTF-8""#;

/// Whether the client of a connection showed a certificate, in a request's extensions.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShowedCertificate(pub(super) bool);

pub struct Guard {
    file: Arc<WebConfigFile>,
    open_probes: bool,
    passwords: Passwords,
}

impl Guard {
    /// Admits requests as the file says. With `open_probes` the paths of liveness and readiness are open to everybody.
    pub fn new(file: Arc<WebConfigFile>, open_probes: bool) -> Self {
        Self {
            file,
            open_probes,
            passwords: Passwords::new(),
        }
    }

    /// Whether the web configuration files as they are now are in use.
    pub(super) fn reload_successful(&self) -> bool {
        self.file.reload_successful()
    }

    /// Why a request is refused, if it is.
    async fn refusal(&self, config: &WebConfig, request: &Head) -> Option<Response> {
        if self.open_probes && request.route.is_some_and(Route::is_probe) {
            return None;
        }
        if !config.users.is_empty() {
            return self.password_refusal(config, request).await;
        }
        let writes = !matches!(request.method, Method::GET | Method::HEAD);
        if config.optional_client_certificate && writes && !request.showed_certificate {
            let reason = "this needs a client certificate";
            return Some((StatusCode::FORBIDDEN, reason).into_response());
        }
        None
    }

    async fn password_refusal(&self, config: &WebConfig, request: &Head) -> Option<Response> {
        let verdict = match &request.credentials {
            Some(Credentials { user, password }) => {
                let peer = request.peer.ip();
                self.passwords
                    .check(&config.users, user, password, peer)
                    .await
            }
            None => Verdict::Wrong,
        };
        match verdict {
            Verdict::Right => None,
            Verdict::Wrong => Some(with_header(
                StatusCode::UNAUTHORIZED,
                (WWW_AUTHENTICATE, CHALLENGE),
            )),
            Verdict::Busy => Some(with_header(
                StatusCode::TOO_MANY_REQUESTS,
                (RETRY_AFTER, "1"),
            )),
        }
    }
}

/// The parts of a request that matter here.
struct Head {
    method: Method,
    route: Option<Route>,
    credentials: Option<Credentials>,
    peer: SocketAddr,
    showed_certificate: bool,
}

/// Answers a request, or refuses it.
pub(super) async fn admit(
    State(guard): State<Arc<Guard>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let config = guard.file.current();
    let mut limiter = config.limiter.iter();
    if !limiter.all(|limiter| limiter.admits(Moment::now().steady)) {
        return with_header(StatusCode::TOO_MANY_REQUESTS, (RETRY_AFTER, "1"));
    }
    let showed = request.extensions().get::<ShowedCertificate>();
    let head = Head {
        method: request.method().clone(),
        route: Route::of(request.uri().path()),
        credentials: Credentials::of(request.headers()),
        peer,
        showed_certificate: showed.is_some_and(|showed| showed.0),
    };
    let mut response = match guard.refusal(&config, &head).await {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    response.headers_mut().extend(config.headers.clone());
    response
}

fn with_header(code: StatusCode, header: (HeaderName, &'static str)) -> Response {
    let reason = code.canonical_reason().unwrap_or_default();
    (code, [header], format!("{reason}\n")).into_response()
}
