//! Compressed text that is put together to one gzip member with other text before it, without being compressed anew (RFC 1951,
//! RFC 1952).

use std::collections::VecDeque;
use std::io::{self, BufWriter, Read, Write};

use bytes::{Buf, Bytes};
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc, CrcWriter};

/// Magic number, deflate, no flags, no time, fastest, unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];

/// The encoder gets, and the decoder gives, this number of bytes at once; both are slow with single words.
const BUFFER: usize = 64 * 1024;

/// Length of a piece of compressed data.
const PIECE: usize = 64 * 1024;

/// Text as deflate data that ends with the last block.
#[derive(Debug)]
pub(super) struct Deflated {
    data: Vec<Bytes>,
    crc: Crc,
    /// Bytes of the text. The checksum counts them only up to 4 GiB.
    len: u64,
}

/// The text of [`Deflated`] in pieces, each inflated when it is asked for: the whole text takes eight times the memory.
pub(super) struct Inflated(DeflateDecoder<Unread>);

impl Deflated {
    /// Compresses what `write` writes.
    pub fn of(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Self> {
        let encoder = CrcWriter::new(encoder(Pieces::default()));
        let mut buffer = BufWriter::with_capacity(BUFFER, encoder);
        write(&mut buffer)?;
        let encoder = buffer.into_inner()?;
        let mut crc = Crc::new();
        crc.combine(encoder.crc());
        let encoder = encoder.into_inner();
        let len = encoder.total_in();
        Ok(Self {
            data: encoder.finish()?.into_vec(),
            crc,
            len,
        })
    }

    /// The gzip member of `text` and this text behind it, in pieces. Only `text` is compressed.
    pub fn after(&self, text: &[u8]) -> io::Result<Vec<Bytes>> {
        let mut encoder = encoder(HEADER.to_vec());
        encoder.write_all(text)?;
        // Ends the data on a byte, without a last block.
        encoder.flush()?;
        // The encoder would write a last block when it is dropped.
        let beginning = std::mem::take(encoder.get_mut());
        let mut crc = Crc::new();
        crc.update(text);
        crc.combine(&self.crc);
        let trailer = [crc.sum().to_le_bytes(), crc.amount().to_le_bytes()].concat();
        let mut pieces = vec![beginning.into()];
        pieces.extend(self.data.iter().cloned());
        pieces.push(trailer.into());
        Ok(pieces)
    }

    pub fn text_len(&self) -> u64 {
        self.len
    }

    pub fn inflate(&self) -> Inflated {
        Inflated(DeflateDecoder::new(Unread(self.data.clone().into())))
    }
}

impl Iterator for Inflated {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut piece = Vec::with_capacity(BUFFER);
        let read = (&mut self.0).take(BUFFER as u64).read_to_end(&mut piece);
        match read {
            Ok(0) => None,
            read => Some(read.map(|_| piece.into())),
        }
    }
}

fn encoder<W: Write>(behind: W) -> DeflateEncoder<W> {
    DeflateEncoder::new(behind, Compression::fast())
}

/// Collects data in pieces of equal length. It grows without being copied, and leaves no large holes in the heap.
#[derive(Debug, Default)]
struct Pieces {
    full: Vec<Bytes>,
    last: Vec<u8>,
}

impl Pieces {
    fn into_vec(mut self) -> Vec<Bytes> {
        self.last.shrink_to_fit();
        self.full.push(self.last.into());
        self.full
    }
}

impl Write for Pieces {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.last.reserve_exact(PIECE - self.last.len());
        let taken = data.len().min(PIECE - self.last.len());
        self.last.extend_from_slice(&data[..taken]);
        if self.last.len() == PIECE {
            self.full.push(std::mem::take(&mut self.last).into());
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Pieces that are read one after the other.
#[derive(Debug)]
struct Unread(VecDeque<Bytes>);

impl Read for Unread {
    fn read(&mut self, data: &mut [u8]) -> io::Result<usize> {
        while self.0.pop_front_if(|piece| piece.is_empty()).is_some() {}
        let Some(piece) = self.0.front_mut() else {
            return Ok(0);
        };
        let taken = data.len().min(piece.len());
        piece.split_to(taken).copy_to_slice(&mut data[..taken]);
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use flate2::bufread::GzDecoder;
    use proptest::prelude::*;

    use super::*;

    fn deflated(parts: &[Vec<u8>]) -> Deflated {
        Deflated::of(|sink| parts.iter().try_for_each(|part| sink.write_all(part))).unwrap()
    }

    fn inflated(deflated: &Deflated) -> Vec<u8> {
        let pieces = deflated.inflate().map(Result::unwrap);
        pieces.collect::<Vec<_>>().concat()
    }

    /// The text of the first member, and what follows it.
    fn unpacked(mut packed: &[u8]) -> (Vec<u8>, &[u8]) {
        let mut text = Vec::new();
        let mut decoder = GzDecoder::new(&mut packed);
        decoder.read_to_end(&mut text).unwrap();
        (text, packed)
    }

    fn texts() -> impl Strategy<Value = Vec<u8>> {
        let noise = proptest::collection::vec(any::<u8>(), 0..3_000);
        let lines = ("[a-z_]{1,20}", 0..3_000_usize);
        prop_oneof![
            noise,
            lines.prop_map(|(word, times)| word.repeat(times).into_bytes()),
        ]
    }

    proptest! {
        #[test]
        fn two_texts_are_one_member(
            first in texts(),
            second in proptest::collection::vec(texts(), 0..4),
        ) {
            let deflated = deflated(&second);
            let packed = deflated.after(&first).unwrap().concat();
            let (text, rest) = unpacked(&packed);
            prop_assert!(rest.is_empty());
            prop_assert_eq!(text, [first, second.concat()].concat());
            prop_assert_eq!(inflated(&deflated), second.concat());
        }
    }
}
