//! Why a request is refused, and the log line that says so.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{AppendHeaders, IntoResponse, Response};
use tokio::time::Instant;

/// The challenge for a password (RFC 7617).
const CHALLENGE: &str = r#"Basic realm="kb-exporter", charset="UTF-8""#;

/// At most one log line in this time.
const PAUSE: Duration = Duration::from_mins(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// No name of the host, or several (RFC 9112, 3.2).
    Host,
    /// Another host's name, which leads to our address (RFC 9110, 15.5.20).
    ForeignHost,
    /// No password, or a wrong one.
    Password,
    Rate,
    Certificate,
    CertificateName,
    /// A page of another site sent the request.
    CrossSite,
}

impl Refusal {
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Host => "HTTP/1.1 needs one header Host",
            Self::ForeignHost => {
                "this host name is not known here; name it with --web.external-url"
            }
            Self::Password => "a user and the right password are needed",
            Self::Rate => "more requests than rate_limit allows",
            Self::Certificate => "this needs a client certificate",
            Self::CertificateName => "the client certificate has none of client_allowed_sans",
            Self::CrossSite => "a page of another site sent this",
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let challenge = (WWW_AUTHENTICATE, CHALLENGE);
        let (code, header) = match self {
            Self::Host => (StatusCode::BAD_REQUEST, None),
            Self::ForeignHost => (StatusCode::MISDIRECTED_REQUEST, None),
            Self::Password => (StatusCode::UNAUTHORIZED, Some(challenge)),
            Self::Rate => (StatusCode::TOO_MANY_REQUESTS, Some((RETRY_AFTER, "1"))),
            Self::Certificate | Self::CertificateName | Self::CrossSite => {
                (StatusCode::FORBIDDEN, None)
            }
        };
        let text = format!("{}\n", self.reason());
        (code, AppendHeaders(header), text).into_response()
    }
}

/// Logs refusals, at most one in each [`PAUSE`].
#[derive(Default)]
pub(super) struct RefusalLog(Mutex<Logged>);

#[derive(Default)]
struct Logged {
    last: Option<Instant>,
    /// Refusals since then that were not logged.
    omitted: u64,
}

impl RefusalLog {
    pub(super) fn add(&self, reason: &str, peer: SocketAddr, now: Instant) {
        if let Some(omitted) = self.due(now) {
            tracing::warn!(%peer, reason, omitted, "a request or a connection was refused; further ones are logged once a minute");
        }
    }

    /// How many were omitted, if one is logged now.
    fn due(&self, now: Instant) -> Option<u64> {
        let mut logged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.last.is_some_and(|last| now < last + PAUSE) {
            logged.omitted += 1;
            return None;
        }
        logged.last = Some(now);
        Some(std::mem::take(&mut logged.omitted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_a_minute_is_logged_with_the_number_of_others() {
        let log = RefusalLog::default();
        let start = crate::clock::Moment::now().steady;
        let due = |second: u64| log.due(start + Duration::from_secs(second));
        let expected = [Some(0), None, None, Some(2), None, Some(1)];
        assert_eq!([0, 1, 59, 60, 61, 200].map(due), expected);
    }
}
