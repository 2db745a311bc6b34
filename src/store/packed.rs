//! Documents that may be large: JSON, compressed with zlib.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::store::error::StoreError;

pub(super) fn pack(document: &(impl Serialize + ?Sized)) -> Result<Vec<u8>, StoreError> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&serde_json::to_vec(document)?)?;
    Ok(packed.finish()?)
}

pub(super) fn unpack<T: DeserializeOwned>(packed: &[u8]) -> Result<T, StoreError> {
    let mut text = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}
