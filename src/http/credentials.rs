//! User and password in a request's header `Authorization` (RFC 7617).

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

#[derive(PartialEq, Eq)]
pub(super) struct Credentials {
    pub(super) user: String,
    pub(super) password: String,
}

impl Credentials {
    /// `None` if the header is missing, malformed or repeated.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let value = values.next().filter(|_| values.next().is_none())?;
        let (scheme, encoded) = value.to_str().ok()?.split_once(' ')?;
        let encoded = encoded.trim_matches(' ');
        let encoded = scheme.eq_ignore_ascii_case("Basic").then_some(encoded)?;
        let text = String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok()?;
        let (user, password) = text.split_once(':')?;
        Some(Self {
            user: user.to_owned(),
            password: password.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
