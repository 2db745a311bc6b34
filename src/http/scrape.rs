//! The answer to a scrape.

use std::convert::Infallible;

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use futures_util::stream;

use crate::http::answer::accepts_gzip;
use crate::metrics::{self, ConfigFacts, Events, Exposition};

/// Answers in a form that the client accepts.
pub(super) async fn answer(
    exposition: &Exposition,
    events: &Events,
    config: ConfigFacts,
    asked: &HeaderMap,
) -> prometheus::Result<Response> {
    let gzip = accepts_gzip(asked);
    let scrape = exposition.scrape(events, config).await?;
    // The pieces are sent one after the other, without copying them together.
    let (length, body) = if gzip {
        let pieces = scrape.gzip()?;
        let length = pieces.iter().map(|piece| piece.len() as u64).sum();
        let pieces = pieces.into_iter().map(Ok::<_, Infallible>);
        (length, Body::from_stream(stream::iter(pieces)))
    } else {
        let length: u64 = scrape.plain_len();
        (length, Body::from_stream(stream::iter(scrape.plain())))
    };
    let mut response = Response::new(body);
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
