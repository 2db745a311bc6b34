//! Bodies that are something else than the answer.

use std::iter::repeat_n;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::{LARGEST, bomb};

/// What a bomb unpacks to.
const BOMB: usize = 200 * 1024 * 1024;

/// Larger than any limit that a client may have for a page or a list, in bytes.
const OVERSIZED: usize = 80 * 1024 * 1024;

/// How deep nesting goes.
const DEPTH: usize = 200_000;

/// What the body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFault {
    /// No JSON.
    Garbage,
    /// JSON that ends half-way.
    Truncated,
    /// JSON of other types.
    OtherTypes,
    /// A page for people.
    Html,
    /// Nothing.
    Empty,
    /// Small on the wire, 200 MiB when it is unpacked.
    GzipBomb,
    /// Called gzip, and none.
    BrokenGzip,
    /// 80 MiB.
    Oversized,
    /// Brackets in brackets.
    DeepNesting,
    /// The same in a field that nobody asked for.
    DeepNestingBeside,
}

impl BodyFault {
    pub(super) async fn replace(self, answer: Response) -> Response {
        match self {
            Self::Garbage => json("\u{1}}{\"data\": [nonsense\u{fffd}"),
            Self::Truncated => {
                let mut body = original(answer).await;
                body.truncate(body.len() / 2);
                json(body)
            }
            Self::OtherTypes => {
                json(r#"{"data":{"0":"row"},"meta":[1],"pagination":"first of many","total":true}"#)
            }
            Self::Html => {
                let kind = [(header::CONTENT_TYPE, "text/html")];
                let page =
                    "<!doctype html><title>Sign in</title><p>Please <a href='/login'>sign in</a>";
                (kind, page).into_response()
            }
            Self::Empty => json(""),
            Self::GzipBomb => gzip(bomb::blanks(BOMB)),
            Self::BrokenGzip => gzip(b"\x1f\x8b\x08 no deflate at all".to_vec()),
            Self::Oversized => json(vec![b' '; OVERSIZED]),
            Self::DeepNesting => json(nested()),
            Self::DeepNestingBeside => {
                let body = original(answer).await;
                let inner = body.strip_prefix(b"{").unwrap_or(&body);
                let mut nested = [b"{\"beside\":", &*nested(), b","].concat();
                nested.extend_from_slice(inner);
                json(nested)
            }
        }
    }
}

fn nested() -> Vec<u8> {
    repeat_n(b'[', DEPTH).chain(repeat_n(b']', DEPTH)).collect()
}

async fn original(answer: Response) -> Vec<u8> {
    let body = to_bytes(answer.into_body(), LARGEST).await;
    body.unwrap_or_default().into()
}

fn json(body: impl Into<Body>) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (kind, body.into()).into_response()
}

fn gzip(body: Vec<u8>) -> Response {
    let mut response = json(body);
    let gzip = HeaderValue::from_static("gzip");
    response
        .headers_mut()
        .insert(header::CONTENT_ENCODING, gzip);
    response
}
