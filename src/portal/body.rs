//! A body that comes in pieces, up to a limit.

use hyper::body::Bytes;

use crate::portal::error::PortalError;

/// A body that grows beyond this many bytes gets all the room that it may take at once: growing by doubling would hold it twice
/// for a moment, and leave the smaller copies behind.
const LARGE: usize = 1024 * 1024;

/// What has come of a body.
pub(super) struct Body {
    /// The length that was announced, in bytes.
    expected: usize,
    /// The most that is taken, in bytes.
    limit: usize,
    pieces: Pieces,
}

enum Pieces {
    /// A page mostly comes in one piece, which then need not be copied.
    One(Bytes),
    Joined(Vec<u8>),
}

impl Body {
    /// Begins with nothing.
    pub fn new(expected: usize, limit: usize) -> Self {
        Self {
            expected,
            limit,
            pieces: Pieces::One(Bytes::new()),
        }
    }

    /// Takes one more piece.
    pub fn add(&mut self, piece: Bytes) -> Result<(), PortalError> {
        let length = self.length() + piece.len();
        if length > self.limit {
            return Err(PortalError::TooLarge { limit: self.limit });
        }
        match &mut self.pieces {
            Pieces::One(first) if first.is_empty() => *first = piece,
            Pieces::One(first) => {
                let mut joined = Vec::with_capacity(self.expected.max(length));
                joined.extend_from_slice(first);
                joined.extend_from_slice(&piece);
                self.pieces = Pieces::Joined(joined);
            }
            Pieces::Joined(joined) => {
                if length > joined.capacity() && joined.len() >= LARGE {
                    joined.reserve_exact(self.limit - joined.len());
                }
                joined.extend_from_slice(&piece);
            }
        }
        Ok(())
    }

    fn length(&self) -> usize {
        match &self.pieces {
            Pieces::One(first) => first.len(),
            Pieces::Joined(joined) => joined.len(),
        }
    }

    /// The body, at its end.
    pub fn whole(self) -> Bytes {
        match self.pieces {
            Pieces::One(body) => body,
            Pieces::Joined(body) => body.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(pieces: &[&'static [u8]], limit: usize) -> Result<Bytes, PortalError> {
        let mut body = Body::new(0, limit);
        for piece in pieces {
            body.add(Bytes::from_static(piece))?;
        }
        Ok(body.whole())
    }

    #[test]
    fn a_body_is_its_pieces_in_their_order() {
        assert_eq!(join(&[], 9).unwrap(), "");
        assert_eq!(join(&[b"abc"], 9).unwrap(), "abc");
        assert_eq!(join(&[b"", b"abc", b"", b"d", b"ef"], 9).unwrap(), "abcdef");
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
}
