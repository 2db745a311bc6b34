//! The answer to a scrape.

use std::convert::Infallible;

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;

use crate::http::accept_encoding::prefers_gzip;
use crate::metrics::{self, ConfigFacts, Events, Exposition};

/// Answers in the form that the client prefers.
pub(super) async fn answer(
    exposition: &Exposition,
    events: &Events,
    config: ConfigFacts,
    asked: &HeaderMap,
) -> prometheus::Result<Response> {
    let gzip = prefers_gzip(asked);
    let scrape = exposition.scrape(events, config).await?;
    let pieces = if gzip {
        scrape.gzip()?
    } else {
        scrape.plain().await?
    };
    let length: usize = pieces.iter().map(Bytes::len).sum();
    // One after the other, without copying them together.
    let pieces = stream::iter(pieces.into_iter().map(Ok::<_, Infallible>));
    let mut response = Response::new(Body::from_stream(pieces));
    let headers = response.headers_mut();
    let content_type = HeaderValue::from_static(metrics::CONTENT_TYPE);
    headers.insert(CONTENT_LENGTH, length.into());
    headers.insert(CONTENT_TYPE, content_type);
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if gzip {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}
