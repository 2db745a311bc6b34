//! Why a request is refused, and the log line that says so.

use std::fmt::Display;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::LazyLock;

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
    #[error("a page of another site sent this")]
    CrossSite,
    /// Another host's name, which leads to our address (RFC 9110, 15.5.20).
    #[error("this host name is not known here; name it with --web.external-url")]
    ForeignHost,
    #[error("a user and the right password are needed")]
    Password,
    #[error("more requests than rate_limit allows")]
    Rate,
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
            Self::CrossSite => (StatusCode::FORBIDDEN, None),
            Self::ForeignHost => (StatusCode::MISDIRECTED_REQUEST, None),
            Self::Password => {
                let challenge = (WWW_AUTHENTICATE, CHALLENGE);
                (StatusCode::UNAUTHORIZED, Some(challenge))
            }
            Self::Rate => (StatusCode::TOO_MANY_REQUESTS, Some((RETRY_AFTER, "1"))),
        };
        (code, AppendHeaders(header), format!("{self}\n")).into_response()
    }
}

/// Logs that a client was refused, at most once in a minute.
pub(super) fn log(reason: impl Display, peer: SocketAddr) {
    static LIMIT: LazyLock<DefaultDirectRateLimiter> =
        LazyLock::new(|| RateLimiter::direct(Quota::per_minute(NonZeroU32::MIN)));
    if LIMIT.check().is_ok() {
        tracing::warn!(%peer, %reason, "a request or a connection was refused; further ones are logged once a minute");
    }
}
