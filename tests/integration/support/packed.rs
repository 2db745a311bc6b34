//! Compressed documents of the state, as SQL writes bytes.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde_json::Value;

/// The document in what `hex()` returns.
pub(crate) fn unpack(hex: &str) -> Value {
    let digits = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    let packed: Vec<u8> = (0..hex.len()).step_by(2).map(digits).collect();
    let mut text = Vec::new();
    ZlibDecoder::new(&packed[..])
        .read_to_end(&mut text)
        .unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// A literal of a document.
pub(crate) fn pack(document: &Value) -> String {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(document.to_string().as_bytes()).unwrap();
    let mut literal = "x'".to_owned();
    for byte in packed.finish().unwrap() {
        write!(literal, "{byte:02x}").unwrap();
    }
    literal + "'"
}
