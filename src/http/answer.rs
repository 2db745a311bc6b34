//! The answers with a page, a static file or a line of text.

use axum::http::StatusCode;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use maud::Markup;

/// The pages use our own style sheet and script, an icon that they hold themselves, and nothing from anywhere else.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; \
                      base-uri 'self'; frame-ancestors 'none'";

pub(super) const STYLE: &str = include_str!("page/static/style.css");
pub(super) const SCRIPT: &str = include_str!("page/static/refresh.js");

pub(super) fn page(page: Markup) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "same-origin"),
    ];
    (headers, page.into_string()).into_response()
}

/// A file that all pages use. After an upgrade the previous one is used for no more than a minute.
pub(super) fn file(content_type: &'static str, text: &'static str) -> Response {
    let headers = [(CONTENT_TYPE, content_type), (CACHE_CONTROL, "max-age=60")];
    (headers, text).into_response()
}

pub(super) fn line(code: StatusCode, text: impl Into<String>) -> Response {
    (code, text.into() + "\n").into_response()
}
