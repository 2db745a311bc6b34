//! Bodies that are something else than the answer.

use std::convert::Infallible;
use std::sync::LazyLock;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use flate2::{Compress, CompressError, Compression, Crc, FlushCompress};
use futures_util::stream;

use super::LARGEST;

const MIB: usize = 1024 * 1024;

/// What a bomb unpacks to, in MiB.
const BOMB: usize = 200;

/// Packed once: a portal that is asked each second has no time for it.
static PACKED_BOMB: LazyLock<Bytes> = LazyLock::new(|| bomb(BOMB).unwrap_or_default().into());

/// Larger than any limit that a client may have for a page or a list, in MiB.
const OVERSIZED: usize = 80;

/// Beyond the stack of a thread for a decoder that calls itself.
const DEPTH: usize = 50_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFault {
    Garbage,
    Truncated,
    OtherTypes,
    Html,
    Empty,
    /// Small on the wire, 200 MiB when it is unpacked.
    GzipBomb,
    /// Called gzip, and none.
    BrokenGzip,
    Oversized,
    DeepNesting,
    /// The same in a field that nobody asked for.
    DeepNestingBeside,
}

impl BodyFault {
    pub(super) async fn replace(self, answer: Response) -> Response {
        let original = to_bytes(answer.into_body(), LARGEST).await;
        let original = original.unwrap_or_default();
        let nested = || ["[".repeat(DEPTH), "]".repeat(DEPTH)].concat();
        let body: Body = match self {
            Self::Garbage => "\u{1}}{\"data\": [nonsense\u{fffd}".into(),
            Self::Truncated => original.slice(..original.len() / 2).into(),
            Self::OtherTypes => {
                r#"{"data":{"0":"row"},"meta":[1],"pagination":"first of many","total":true}"#
                    .into()
            }
            Self::Html => {
                "<!doctype html><title>Sign in</title><p>Please <a href='/login'>sign in</a>".into()
            }
            Self::Empty => Body::empty(),
            Self::GzipBomb => PACKED_BOMB.clone().into(),
            Self::BrokenGzip => (&b"\x1f\x8b\x08 no deflate at all"[..]).into(),
            Self::Oversized => return oversized(),
            Self::DeepNesting => nested().into(),
            Self::DeepNestingBeside => {
                let inner = original.strip_prefix(b"{").unwrap_or(&original);
                [b"{\"beside\":", nested().as_bytes(), b",", inner]
                    .concat()
                    .into()
            }
        };
        let kind = match self {
            Self::Html => "text/html",
            _ => "application/json",
        };
        let kind = [(header::CONTENT_TYPE, kind)];
        match self {
            Self::GzipBomb | Self::BrokenGzip => {
                (kind, [(header::CONTENT_ENCODING, "gzip")], body).into_response()
            }
            _ => (kind, body).into_response(),
        }
    }
}

/// Blanks with their length, made while they are sent.
fn oversized() -> Response {
    let piece = Ok::<_, Infallible>(Bytes::from(vec![b' '; MIB]));
    let body = Body::from_stream(stream::iter(vec![piece; OVERSIZED]));
    let head = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (header::CONTENT_LENGTH, (OVERSIZED * MIB).to_string()),
    ];
    (head, body).into_response()
}

/// Blanks, which JSON does not mind, packed: each MiB is forgotten at its end, so that the next one is packed in the same way. All are one
/// member of gzip: clients need not unpack a second one.
fn bomb(mib: usize) -> Result<Vec<u8>, CompressError> {
    let blanks = vec![b' '; MIB];
    let mut packed = Vec::with_capacity(MIB);
    Compress::new(Compression::best(), false).compress_vec(
        &blanks,
        &mut packed,
        FlushCompress::Full,
    )?;
    let (mut one, mut sum) = (Crc::new(), Crc::new());
    one.update(&blanks);
    (0..mib).for_each(|_| sum.combine(&one));
    let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let last_block = [3, 0];
    let [sum, length] = [sum.sum(), sum.amount()].map(u32::to_le_bytes);
    let packed = packed.repeat(mib);
    Ok([&head[..], &packed, &last_block, &sum, &length].concat())
}
