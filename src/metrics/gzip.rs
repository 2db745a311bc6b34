//! Raw deflate data that can be put together to one gzip member (RFC 1951, RFC 1952) without being compressed anew.

use std::io::{self, Read, Write};

use bytes::Bytes;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// Magic number, deflate, no flags, no time, fastest, unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];

/// Compresses text, and adds up what the trailer says of it.
pub(super) struct Deflater {
    encoder: DeflateEncoder<Vec<u8>>,
    crc: Crc,
}

/// Deflate data that further data must follow: it ends on a byte, after no last block.
pub(super) struct Beginning {
    data: Vec<u8>,
    crc: Crc,
}

/// Deflate data with the last block.
#[derive(Debug)]
pub(super) struct Ending {
    data: Bytes,
    crc: Crc,
}

impl Deflater {
    /// Begins with no text; its data is written behind what there is.
    fn after(data: Vec<u8>) -> Self {
        Self {
            encoder: DeflateEncoder::new(data, Compression::fast()),
            crc: Crc::new(),
        }
    }

    /// Begins with no text.
    pub fn new() -> Self {
        Self::after(Vec::new())
    }

    /// Ends the data with the last block.
    pub fn finish(self) -> io::Result<Ending> {
        let mut data = self.encoder.finish()?;
        data.shrink_to_fit();
        Ok(Ending {
            data: data.into(),
            crc: self.crc,
        })
    }

    fn pause(mut self) -> io::Result<Beginning> {
        self.flush()?;
        // What the encoder writes when it is dropped is not part of it.
        let data = std::mem::take(self.encoder.get_mut());
        Ok(Beginning {
            data,
            crc: self.crc,
        })
    }
}

impl Write for Deflater {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let taken = self.encoder.write(text)?;
        self.crc.update(&text[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.flush()
    }
}

impl Beginning {
    /// The header of a member, and the data of its first text.
    pub fn of(text: &[u8]) -> io::Result<Self> {
        let mut deflater = Deflater::after(HEADER.to_vec());
        deflater.write_all(text)?;
        deflater.pause()
    }

    /// Completes the member: one after the other, its pieces are the gzip form of both texts.
    pub fn then(mut self, ending: &Ending) -> [Bytes; 3] {
        self.crc.combine(&ending.crc);
        let trailer = [
            self.crc.sum().to_le_bytes(),
            self.crc.amount().to_le_bytes(),
        ];
        [
            self.data.into(),
            ending.data.clone(),
            Bytes::copy_from_slice(trailer.as_flattened()),
        ]
    }
}

impl Ending {
    /// Bytes of the text.
    pub fn text_len(&self) -> usize {
        self.crc.amount() as usize
    }

    /// The text.
    pub fn inflate(&self) -> io::Result<Vec<u8>> {
        let mut text = Vec::with_capacity(self.text_len());
        DeflateDecoder::new(&*self.data).read_to_end(&mut text)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use flate2::bufread::GzDecoder;
    use proptest::prelude::*;

    use super::*;

    fn ending(parts: &[Vec<u8>]) -> Ending {
        let mut deflater = Deflater::new();
        for part in parts {
            deflater.write_all(part).unwrap();
        }
        deflater.finish().unwrap()
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
        fn a_beginning_and_an_ending_are_one_member_of_both_texts(
            first in texts(),
            second in proptest::collection::vec(texts(), 0..4),
        ) {
            let ending = ending(&second);
            let packed = Beginning::of(&first).unwrap().then(&ending).concat();
            let (text, rest) = unpacked(&packed);
            prop_assert!(rest.is_empty());
            prop_assert_eq!(text, [first, second.concat()].concat());
            prop_assert_eq!(ending.inflate().unwrap(), second.concat());
        }
    }

    #[test]
    fn one_ending_completes_any_number_of_beginnings() {
        let ending = ending(&[b"facts\n".repeat(10_000)]);
        for text in ["", "events 1\n", "events 2\n"] {
            let packed = Beginning::of(text.as_bytes()).unwrap().then(&ending);
            let packed = packed.concat();
            let (text_of_both, _) = unpacked(&packed);
            assert!(text_of_both.starts_with(text.as_bytes()));
            assert_eq!(text_of_both.len(), text.len() + ending.text_len());
        }
    }
}
