//! Why a request is refused, and the log line that says so.

use std::fmt::Display;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::StatusCode;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{AppendHeaders, IntoResponse, Response};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use thiserror::Error;

/// The challenge for a password (RFC 7617).
const CHALLENGE: &str = r#"Basic realm="kb-exporter", charset="UTF-8""#;

/// Why a request is refused.
#[derive(Debug, Clone, Copy, Error)]
pub(super) enum Refusal {
    /// No name of the host, or several (RFC 9112, 3.2).
    #[error("HTTP/1.1 needs one header Host")]
    Host,
    /// Another host's name, which leads to our address (RFC 9110, 15.5.20).
    #[error("this host name is not known here; name it with --web.external-url")]
    ForeignHost,
    #[error("a user and the right password are needed")]
    Password,
    #[error("more requests than rate_limit allows")]
    Rate,
    #[error("this needs a client certificate")]
    NoCertificate,
    #[error("the client certificate has none of client_allowed_sans")]
    CertificateName,
    #[error("a page of another site sent this")]
    CrossSite,
}

impl Refusal {
    /// Refuses what is wrong.
    pub(super) fn when(self, wrong: bool) -> Result<(), Self> {
        if wrong { Err(self) } else { Ok(()) }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (code, header) = match self {
            Self::Host => (StatusCode::BAD_REQUEST, None),
            Self::ForeignHost => (StatusCode::MISDIRECTED_REQUEST, None),
            Self::Password => (
                StatusCode::UNAUTHORIZED,
                Some((WWW_AUTHENTICATE, CHALLENGE)),
            ),
            Self::Rate => (StatusCode::TOO_MANY_REQUESTS, Some((RETRY_AFTER, "1"))),
            Self::NoCertificate | Self::CertificateName | Self::CrossSite => {
                (StatusCode::FORBIDDEN, None)
            }
        };
        (code, AppendHeaders(header), format!("{self}\n")).into_response()
    }
}

/// Logs refusals, at most one in a minute.
pub(super) struct RefusalLog {
    limit: DefaultDirectRateLimiter,
    /// Those since then that were not logged.
    omitted: AtomicU64,
}

impl Default for RefusalLog {
    fn default() -> Self {
        Self {
            limit: RateLimiter::direct(Quota::per_minute(NonZeroU32::MIN)),
            omitted: AtomicU64::new(0),
        }
    }
}

impl RefusalLog {
    pub(super) fn add(&self, reason: impl Display, peer: SocketAddr) {
        if self.limit.check().is_err() {
            self.omitted.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let omitted = self.omitted.swap(0, Ordering::Relaxed);
        tracing::warn!(%peer, %reason, omitted, "a request or a connection was refused; further ones are logged once a minute");
    }
}
