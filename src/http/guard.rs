//! What a request must pass before it is answered: the rate limit and authentication of the web configuration file.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use headers::authorization::{Authorization, Basic};
use headers::{HeaderMapExt, HeaderName};

use crate::http::passwords::{Passwords, Verdict};
use crate::http::web_config::{WebConfig, WebConfigFile};

/// Paths that may be exempt from authentication.
const PROBES: [&str; 3] = ["/livez", "/healthz", "/readyz"];

/// What asks for a password, in the words of RFC 7617.
const CHALLENGE: &str = r#"Basic realm="kb-exporter", charset="UTF-8""#;

/// Whether the client of a connection showed a certificate, in a request's extensions.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShowedCertificate(pub(super) bool);

/// Admits requests.
pub struct Guard {
    file: Arc<WebConfigFile>,
    open_probes: bool,
    passwords: Passwords,
}

impl Guard {
    /// Admits requests as the file says. With `open_probes` the paths of liveness and readiness are open to everybody.
    #[must_use]
    pub fn new(file: Arc<WebConfigFile>, open_probes: bool) -> Self {
        Self {
            file,
            open_probes,
            passwords: Passwords::new(),
        }
    }

    /// Why a request is refused, if it is.
    async fn refusal(&self, config: &WebConfig, request: &Head) -> Option<Response> {
        if self.open_probes && PROBES.contains(&request.path.as_str()) {
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
            Some(Authorization(basic)) => {
                let (user, password) = (basic.username(), basic.password());
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

/// What of a request matters here.
struct Head {
    method: Method,
    path: String,
    credentials: Option<Authorization<Basic>>,
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
    let limiter = config.limiter.as_ref();
    if limiter.is_some_and(|limiter| limiter.requests.check().is_err()) {
        return with_header(StatusCode::TOO_MANY_REQUESTS, (RETRY_AFTER, "1"));
    }
    let showed = request.extensions().get::<ShowedCertificate>();
    let head = Head {
        method: request.method().clone(),
        path: request.uri().path().to_owned(),
        credentials: request.headers().typed_get(),
        peer,
        showed_certificate: showed.is_some_and(|showed| showed.0),
    };
    let mut response = match guard.refusal(&config, &head).await {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    set_all(response.headers_mut(), &config.headers);
    response
}

fn set_all(headers: &mut HeaderMap, configured: &HeaderMap) {
    for (name, value) in configured {
        headers.insert(name, value.clone());
    }
}

fn with_header(code: StatusCode, header: (HeaderName, &'static str)) -> Response {
    let reason = code.canonical_reason().unwrap_or_default();
    (code, [header], format!("{reason}\n")).into_response()
}
