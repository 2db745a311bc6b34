//! The answer with a page, a static file or the metrics: compressed, and pages are not sent again to who has them.

use std::hash::BuildHasher as _;
use std::io::Write as _;
use std::sync::{Arc, LazyLock};

use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{AppendHeaders, IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use foldhash::quality::FixedState;
use maud::Markup;

use crate::clock::Moment;
use crate::metrics::{self, Coding, ConfigFacts, Events};
use crate::snapshot::Snapshot;

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
        compressed(page.into_bytes(), asked)
    };
    (headers, [(ETAG, format!("W/{tag}"))], answer).into_response()
}

/// Whether a client has what the tag is of: by the weak comparison, for which a strong form is as good (RFC 9110, 13.1.2).
fn is_known(tag: &str, asked: &HeaderMap) -> bool {
    let known = asked.get_all(IF_NONE_MATCH).iter();
    let mut known = known.filter_map(|tags| tags.to_str().ok());
    known.any(|tags| tags.trim() == "*" || tags.contains(tag))
}

pub(super) fn asset(asset: &'static Asset, asked: &HeaderMap) -> Response {
    let headers = [
        (CONTENT_TYPE, asset.content_type),
        (CACHE_CONTROL, "max-age=31536000, immutable"),
    ];
    (headers, compressed(asset.text.into(), asked)).into_response()
}

fn compressed(text: Vec<u8>, asked: &HeaderMap) -> Response {
    let gzip = || -> std::io::Result<Vec<u8>> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&text)?;
        encoder.finish()
    };
    match accepts_gzip(asked).then(gzip) {
        Some(Ok(gzip)) => coded(gzip.into(), true),
        _ => coded(text.into(), false),
    }
}

/// An answer that depends on what the client accepts.
fn coded(body: Body, is_gzip: bool) -> Response {
    let coding = is_gzip.then_some((CONTENT_ENCODING, "gzip"));
    let varies = (VARY, "accept-encoding");
    (AppendHeaders(coding.into_iter().chain([varies])), body).into_response()
}

/// Answers a scrape in a form that the client accepts.
pub(super) fn scrape(
    snapshot: &Arc<Snapshot>,
    events: &Events,
    config: ConfigFacts,
    asked: &HeaderMap,
) -> prometheus::Result<Response> {
    let gzip = accepts_gzip(asked);
    let coding = if gzip { Coding::Gzip } else { Coding::Plain };
    let pieces = metrics::scrape(snapshot, events, config, coding, Moment::now())?;
    let content_type = [(CONTENT_TYPE, metrics::CONTENT_TYPE)];
    Ok((content_type, coded(Body::from_stream(pieces), gzip)).into_response())
}

/// Whether a client accepts gzip (RFC 9110, 12.5.3).
pub(super) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter();
    let values = values.filter_map(|value| value.to_str().ok());
    let codings = values.flat_map(|value| value.split(','));
    let codings: Vec<_> = codings
        .map(|coding| coding.split_once(';').unwrap_or((coding, "q=1")))
        .collect();
    let named = |name: &str| {
        let mut codings = codings.iter();
        codings.find(|(coding, _)| coding.trim().eq_ignore_ascii_case(name))
    };
    let coding = ["gzip", "x-gzip", "*"].into_iter().find_map(named);
    let quality = coding.and_then(|(_, quality)| quality.split_once('='));
    quality.is_some_and(|(_, quality)| {
        let quality = quality.trim().parse();
        quality.is_ok_and(|quality: f32| quality > 0.0 && quality <= 1.0)
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn gzip_is_sent_to_clients_that_accept_it() {
        for (values, expected) in [
            (&["gzip"][..], true),
            (&["GZIP"], true),
            (&["x-gzip"], true),
            (&["*"], true),
            (&["deflate, gzip"], true),
            (&["deflate", "gzip;q=0.001"], true),
            (&["gzip;q=1.0, *;q=0"], true),
            (&["gzip ; q=0.8 , identity;q=0.5"], true),
            (&["identity;q=0, *;q=0.1"], true),
            (&[], false),
            (&[""], false),
            (&["identity"], false),
            (&["deflate, br"], false),
            (&["gzip;q=0"], false),
            (&["gzip;Q=0.000"], false),
            (&["gzip;q=0, *"], false),
            (&["*;q=0"], false),
            (&["gzip;q=2"], false),
            (&["gzip;q=NaN"], false),
            (&["gzip;q=yes"], false),
            (&["gzip;q=-1"], false),
            (&["gzipped"], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(ACCEPT_ENCODING, HeaderValue::from_static(value));
            }
            assert_eq!(accepts_gzip(&headers), expected, "{values:?}");
        }
    }
}
