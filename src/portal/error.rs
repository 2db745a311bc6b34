//! Errors of requests to a portal, in words that say what to do.

mod advice;

use std::fmt::Display;
use std::time::Duration;

use thiserror::Error;

use crate::model::label_values;
use crate::portal::connection::BuildError;
use crate::portal::key::KeyError;
use crate::portal::retry::RetryReason;
use crate::text;

/// Longest text of a portal's error that is stored, in characters.
const REASON_CHARACTERS: usize = 200;

/// Largest error body that is read for its reason, in bytes after decompression.
pub(super) const MAX_ERROR_BYTES: usize = 64 * 1024;

/// Why a request to a portal has no usable answer.
///
/// No variant holds a key, so that none can be shown, nor an address but that of the list, which has no secrets in it.
#[derive(Debug, Clone, Error)]
pub enum PortalError {
    /// The key could not be read; nothing was sent.
    #[error("{0}")]
    Key(#[from] KeyError),
    /// A certificate file cannot be used; nothing was sent.
    #[error("not sent: {cause}")]
    NotPrepared { cause: String },
    /// The list of folders could not be read.
    #[error("{}", describe_list(url, error))]
    List {
        url: String,
        error: Box<PortalError>,
    },
    /// The connection broke, or none could be made to the portal or to the proxy.
    #[error("no answer: {cause}")]
    Connection { cause: String, was_made: bool },
    #[error("no complete answer within {}", humantime::format_duration(*limit))]
    Timeout { limit: Duration },
    /// The answer is larger than the configuration allows.
    #[error("the decompressed answer is larger than {limit} bytes")]
    TooLarge { limit: usize },
    /// Another status than 200.
    #[error("{}", describe(*status, reason.as_deref(), false))]
    Status {
        status: u16,
        /// `error.details.reason` of the body, cleaned and cut.
        reason: Option<String>,
        /// What `Retry-After` asked for.
        retry_after: Option<Duration>,
    },
    /// The body is not what docs/portal.md describes.
    #[error("the answer does not match the portal's interface: {cause}")]
    Invalid { cause: String },
}

label_values! {
    /// Why a portal cannot be read: the label `reason` of `kb_portal_unavailable` (docs/metrics.md, Labels).
    pub enum Trouble {
        /// The portal answers that the key is missing, malformed, revoked or expired.
        Unauthorized = "unauthorized",
        /// The exporter cannot read the key where the configuration says; nothing was sent.
        KeyUnreadable = "key_unreadable",
        /// The portal refuses this host's address.
        AddressRefused = "address_refused",
        Unreachable = "unreachable",
        RateLimited = "rate_limited",
        ServerError = "server_error",
        /// The answer cannot be read, or docs/portal.md (Errors) does not name it.
        InvalidResponse = "invalid_response",
    }
}

impl PortalError {
    /// What this error means for a portal as a whole, when the list of folders was asked for.
    pub fn trouble(&self) -> Trouble {
        match self {
            Self::Key(_) => Trouble::KeyUnreadable,
            Self::List { error, .. } => error.trouble(),
            Self::NotPrepared { .. } | Self::Connection { .. } | Self::Timeout { .. } => {
                Trouble::Unreachable
            }
            Self::TooLarge { .. } | Self::Invalid { .. } => Trouble::InvalidResponse,
            Self::Status { status, .. } => match status {
                401 => Trouble::Unauthorized,
                403 => Trouble::AddressRefused,
                408 => Trouble::Unreachable,
                429 => Trouble::RateLimited,
                500..=599 => Trouble::ServerError,
                _ => Trouble::InvalidResponse,
            },
        }
    }

    /// Why this error may be temporary; `None` if a retry does not help.
    pub(super) const fn retry_reason(&self) -> Option<RetryReason> {
        Some(match self {
            Self::Connection { .. } => RetryReason::Connection,
            Self::Timeout { .. } | Self::Status { status: 408, .. } => RetryReason::Timeout,
            Self::Status { status: 429, .. } => RetryReason::RateLimited,
            Self::Status {
                status: 500..=599, ..
            } => RetryReason::ServerError,
            _ => return None,
        })
    }

    /// Whether the request surely did not reach the portal.
    pub(super) const fn was_not_sent(&self) -> bool {
        matches!(
            self,
            Self::Key(_)
                | Self::NotPrepared { .. }
                | Self::Connection {
                    was_made: false,
                    ..
                }
        )
    }

    /// Whether the portal refused: only the list of folders shows what that means for a folder.
    pub fn is_refusal(&self) -> bool {
        matches!(self.status(), Some(401 | 403))
    }

    /// The status of the answer, if there was one other than 200.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } => Some(*status),
            Self::List { error, .. } => error.status(),
            _ => None,
        }
    }

    /// How long the portal asked to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            Self::List { error, .. } => error.retry_after(),
            _ => None,
        }
    }

    /// From an answer with another status than 200; if the body cannot be read, only the portal's reason is missing.
    pub fn from_status(status: u16, retry_after: Option<Duration>, body: &[u8]) -> Self {
        Self::Status {
            status,
            reason: reason_of(body),
            retry_after,
        }
    }

    /// From a body that could not be decoded.
    pub(super) fn unreadable(cause: &dyn Display, body: &str) -> Self {
        let cause = match body.trim_ascii_start().bytes().next() {
            None => "it is empty".to_owned(),
            Some(b'<') => {
                "it is a web page, such as a login page, and no JSON: does base_url lead to the administrator part?".to_owned()
            }
            Some(_) => one_line(&cause.to_string()) + &said(reason_of(body.as_bytes()).as_deref()),
        };
        Self::Invalid { cause }
    }
}

/// Without the address.
impl From<reqwest::Error> for PortalError {
    fn from(error: reqwest::Error) -> Self {
        let advice = advice::of_connection(&error);
        let was_made = !error.is_connect();
        let cause = format!("{:#}", anyhow::Error::new(error.without_url()));
        let cause = text::one_line(&text::cut(&cause, 2 * REASON_CHARACTERS)).into_owned();
        let cause = format!("{cause}; {advice}");
        Self::Connection { cause, was_made }
    }
}

impl From<BuildError> for PortalError {
    fn from(error: BuildError) -> Self {
        let cause = error.to_string();
        Self::NotPrepared { cause }
    }
}

/// The reason of an error body that is not too large, if it has one: where the interface puts it (docs/portal.md, Errors), or where gateways do.
fn reason_of(body: &[u8]) -> Option<String> {
    const PLACES: [&str; 4] = [
        "/error/details/reason",
        "/error/message",
        "/error",
        "/message",
    ];
    if body.len() > MAX_ERROR_BYTES {
        return None;
    }
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    let mut reasons = PLACES
        .iter()
        .filter_map(|place| body.pointer(place)?.as_str());
    reasons.next().map(one_line)
}

/// A text of a portal or of a library on one line, without what could harm, and cut.
fn one_line(untrusted: &str) -> String {
    text::one_line(&text::clean(untrusted, REASON_CHARACTERS)).into_owned()
}

fn describe(status: u16, reason: Option<&str>, is_list: bool) -> String {
    let (advice, said) = (advice::of_status(status, is_list), said(reason));
    format!("status {status}: {advice}{said}")
}

fn said(reason: Option<&str>) -> String {
    let said = reason.map(|reason| format!(" (the portal says: {reason})"));
    said.unwrap_or_default()
}

/// What became of the request for the list, with the address that was asked.
fn describe_list(url: &str, error: &PortalError) -> String {
    let error = match error {
        PortalError::Status { status, reason, .. } => describe(*status, reason.as_deref(), true),
        error => error.to_string(),
    };
    format!("{error} (asked for {})", text::cut(url, REASON_CHARACTERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16) -> PortalError {
        PortalError::from_status(status, None, b"")
    }

    #[test]
    fn each_status_is_a_trouble_of_its_own_and_only_what_may_pass_is_tried_again() {
        for (code, trouble, reason) in [
            (401, Trouble::Unauthorized, None),
            (403, Trouble::AddressRefused, None),
            (408, Trouble::Unreachable, Some(RetryReason::Timeout)),
            (429, Trouble::RateLimited, Some(RetryReason::RateLimited)),
            (500, Trouble::ServerError, Some(RetryReason::ServerError)),
            (503, Trouble::ServerError, Some(RetryReason::ServerError)),
            (599, Trouble::ServerError, Some(RetryReason::ServerError)),
            (204, Trouble::InvalidResponse, None),
            (302, Trouble::InvalidResponse, None),
            (400, Trouble::InvalidResponse, None),
            (404, Trouble::InvalidResponse, None),
        ] {
            let status = status(code);
            assert_eq!(status.trouble(), trouble, "{code}");
            assert_eq!(status.retry_reason(), reason, "{code}");
        }
    }

    #[test]
    fn the_reason_of_an_error_body_is_cleaned() {
        let body = br#"{"error":{"details":{"reason":"no \u001b[31m access\nhere"}}}"#;
        assert_eq!(reason_of(body).unwrap(), "no \u{fffd}[31m access\\nhere");
        // It would take many times its size in memory.
        let large = format!(
            r#"{{"error":"large","data":"{}"}}"#,
            "0".repeat(MAX_ERROR_BYTES)
        );
        for body in ["<html>", "{}", r#"{"error":{"code":7}}"#, "", &large] {
            assert_eq!(reason_of(body.as_bytes()), None);
        }
    }

    #[test]
    fn an_error_in_an_answer_with_status_200_is_shown() {
        for body in [
            r#"{"error":{"message":"index is read-only"}}"#,
            r#"{"message":"index is read-only"}"#,
        ] {
            let error = crate::portal::PageBody::new(body).read(|_| {}).unwrap_err();
            let error = error.to_string();
            assert!(error.contains("missing field `data`"), "{error}");
            assert!(
                error.ends_with("(the portal says: index is read-only)"),
                "{error}"
            );
        }
    }

    #[test]
    fn an_error_of_the_list_names_the_address_and_what_was_found_there() {
        let of_list = |error| {
            let url = "https://portal.example/x/api/admin/library-folders/mine".to_owned();
            let error = Box::new(error);
            PortalError::List { url, error }.to_string()
        };
        let json = |body: &str| crate::portal::PageBody::new(body).read(|_| {}).unwrap_err();
        for (error, found) in [
            (
                status(404),
                "status 404: there is no list of folders: base_url is not",
            ),
            (
                status(403),
                "status 403: the portal refuses the address of this host; or base_url is",
            ),
            (status(401), "status 401: the key is"),
            (
                json("\n<!doctype html>"),
                "the answer does not match the portal's interface: it is a web page",
            ),
            (
                json(""),
                "the answer does not match the portal's interface: it is empty",
            ),
        ] {
            let text = of_list(error);
            assert!(text.starts_with(found), "{text}");
            assert!(
                text.ends_with(
                    "(asked for https://portal.example/x/api/admin/library-folders/mine)"
                ),
                "{text}"
            );
        }
        assert!(!status(404).to_string().contains("base_url"));
    }
}
