//! The answer to a scrape.

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;

use crate::http::accept_encoding::prefers_gzip;
use crate::metrics::{self, ConfigFacts, Events, Exposition};

/// Answers in the form that the client likes best.
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
    let mut response = of_pieces(pieces);
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static(metrics::CONTENT_TYPE),
    );
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if gzip {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

/// Sends pieces one after the other without copying them together.
fn of_pieces(pieces: Vec<Bytes>) -> Response {
    let length: usize = pieces.iter().map(Bytes::len).sum();
    let pieces = pieces.into_iter().map(Ok::<_, std::convert::Infallible>);
    let mut response = Response::new(Body::from_stream(stream::iter(pieces)));
    response.headers_mut().insert(CONTENT_LENGTH, length.into());
    response
}
