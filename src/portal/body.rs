//! Bodies of answers, as bytes.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;

use crate::portal::error::PortalError;

/// Whether a body is a JSON object whose end is missing: the connection broke, and no length said so.
pub(super) fn is_cut_off(body: &[u8]) -> bool {
    let body = body.trim_ascii();
    body.first() == Some(&b'{') && body.last() != Some(&b'}')
}

/// Whether a body is still compressed: the HTTP client knows one spelling of `Content-Encoding` alone.
pub(super) fn is_gzip(response: &Response) -> bool {
    let encoding = response.headers().get(CONTENT_ENCODING);
    encoding.is_some_and(|encoding| {
        ["gzip", "x-gzip"]
            .iter()
            .any(|name| encoding.as_bytes().eq_ignore_ascii_case(name.as_bytes()))
    })
}

/// Unpacks a body up to a limit.
pub(super) fn unpacked(body: &[u8], limit: usize) -> Result<Vec<u8>, PortalError> {
    let mut unpacked = Vec::new();
    let mut reader = MultiGzDecoder::new(body).take(limit as u64 + 1);
    let read = reader.read_to_end(&mut unpacked);
    let size = read.map_err(|error| PortalError::Invalid {
        cause: format!("the body cannot be unpacked: {error}"),
    })?;
    if size > limit {
        return Err(PortalError::TooLarge { limit });
    }
    Ok(unpacked)
}

/// Adds a piece to a body, up to a limit in bytes. A large body gets all the memory that it may take at once: growing by doubling would
/// hold it twice for a moment.
pub(super) fn append(body: &mut Vec<u8>, piece: &[u8], limit: usize) -> Result<(), PortalError> {
    const LARGE: usize = 1024 * 1024;
    let length = body.len() + piece.len();
    if length > limit {
        return Err(PortalError::TooLarge { limit });
    }
    if length > body.capacity() && body.len() >= LARGE {
        body.reserve_exact(limit - body.len());
    }
    body.extend_from_slice(piece);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(pieces: &[&[u8]], limit: usize) -> Result<Vec<u8>, PortalError> {
        let mut body = Vec::new();
        for piece in pieces {
            append(&mut body, piece, limit)?;
        }
        Ok(body)
    }

    #[test]
    fn a_body_is_its_pieces_in_their_order() {
        assert_eq!(join(&[], 9).unwrap(), b"");
        assert_eq!(join(&[b"abc"], 9).unwrap(), b"abc");
        let pieces: [&[u8]; 5] = [b"", b"abc", b"", b"d", b"ef"];
        assert_eq!(join(&pieces, 9).unwrap(), b"abcdef");
    }

    #[test]
    fn a_body_beyond_its_limit_is_refused_whatever_its_pieces() {
        assert!(join(&[b"abc", b"def"], 6).is_ok());
        for pieces in [
            &[&b"abcdefg"[..]][..],
            &[b"abc", b"defg"],
            &[b"abc", b"def", b"g"],
        ] {
            let error = join(pieces, 6).unwrap_err();
            assert!(
                matches!(error, PortalError::TooLarge { limit: 6 }),
                "{error}"
            );
        }
    }

    #[test]
    fn a_large_body_takes_no_more_memory_than_its_limit() {
        let limit = 3 * 1024 * 1024;
        let mut body = Vec::new();
        for _ in 0..limit / 1024 {
            append(&mut body, &[0; 1024], limit).unwrap();
        }
        assert_eq!((body.len(), body.capacity()), (limit, limit));
    }

    fn packed(pieces: &[&str]) -> Vec<u8> {
        use std::io::Write as _;
        let pack = |piece: &&str| {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(piece.as_bytes()).unwrap();
            encoder.finish().unwrap()
        };
        pieces.iter().flat_map(pack).collect()
    }

    #[test]
    fn a_packed_body_of_several_members_is_unpacked_up_to_a_limit() {
        let body = packed(&["{\"data\":", "[]}"]);
        assert_eq!(unpacked(&body, 11).unwrap(), b"{\"data\":[]}"[..]);
        let error = unpacked(&body, 10).unwrap_err();
        assert!(
            matches!(error, PortalError::TooLarge { limit: 10 }),
            "{error}"
        );
        let error = unpacked(b"{}", 10).unwrap_err();
        assert!(matches!(error, PortalError::Invalid { .. }), "{error}");
    }

    #[test]
    fn each_spelling_of_gzip_is_known() {
        for (encoding, is_known) in [("GZIP", true), ("x-gzip", true), ("identity", false)] {
            let answer = axum::http::Response::builder().header(CONTENT_ENCODING, encoding);
            let answer = Response::from(answer.body("").unwrap());
            assert_eq!(is_gzip(&answer), is_known, "{encoding}");
        }
    }

    #[test]
    fn an_object_without_its_end_is_cut_off() {
        for (body, expected) in [
            ("{\"data\":[", true),
            ("{\"data\":[]} \n", false),
            ("<html>", false),
            ("[", false),
            ("", false),
        ] {
            assert_eq!(is_cut_off(body.as_bytes()), expected, "{body}");
        }
    }
}
