//! The answer with a page or a static file. Pages are not sent again to who has them.

use std::hash::BuildHasher as _;
use std::sync::LazyLock;

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use foldhash::quality::FixedState;
use maud::Markup;

/// The pages use our own style sheet and script, an icon that they hold themselves, and nothing from anywhere else.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; \
                      base-uri 'self'; frame-ancestors 'none'";

/// A file that all pages use. Its address has its version, so that it need not be asked for again.
pub(super) struct Asset {
    pub content_type: &'static str,
    pub text: &'static str,
    pub path: LazyLock<String>,
}

pub(super) static STYLE: Asset = Asset {
    content_type: "text/css; charset=utf-8",
    text: include_str!("page/static/style.css"),
    path: LazyLock::new(|| versioned("static/style.css", STYLE.text)),
};

pub(super) static SCRIPT: Asset = Asset {
    content_type: "text/javascript; charset=utf-8",
    text: include_str!("page/static/refresh.js"),
    path: LazyLock::new(|| versioned("static/refresh.js", SCRIPT.text)),
};

fn versioned(path: &str, text: &str) -> String {
    format!("{path}?v={:x}", FixedState::default().hash_one(text))
}

/// A page. Whoever has it asks each time whether it changed.
pub(super) fn page(page: Markup, asked: &HeaderMap) -> Response {
    let page = page.into_string();
    let tag = format!("\"{:x}\"", FixedState::default().hash_one(&page));
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "same-origin"),
        (CACHE_CONTROL, "private, no-cache"),
    ];
    let answer = if is_known(&tag, asked) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        page.into_response()
    };
    (headers, [(ETAG, format!("W/{tag}"))], answer).into_response()
}

/// Whether a client has what the tag is of: by the weak comparison, for which a strong form is as good (RFC 9110, 13.1.2).
fn is_known(tag: &str, asked: &HeaderMap) -> bool {
    let known = asked.get_all(IF_NONE_MATCH).iter();
    let mut known = known.filter_map(|tags| tags.to_str().ok());
    known.any(|tags| tags.trim() == "*" || tags.contains(tag))
}

pub(super) fn asset(asset: &'static Asset) -> Response {
    let headers = [
        (CONTENT_TYPE, asset.content_type),
        (CACHE_CONTROL, "max-age=31536000, immutable"),
    ];
    (headers, asset.text).into_response()
}
