//! The identity of a file.

use std::collections::HashMap;
use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use foldhash::quality::RandomState;
use serde::{Deserialize, Serialize};

use crate::model::ByStatus;

/// The sum of `fileSize` by status, in bytes.
pub type FolderSizes = ByStatus<u64>;

/// Identifies a file in a folder: the pair of `linkId` and `id`. Another `id` under a known `linkId`
/// (a replaced file) is another file (docs/metrics.md, Whole rows).
///
/// Packed, because many files are in memory, and a number of 16 bytes would let each begin at a multiple of 16.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[repr(Rust, packed(8))]
pub struct FileKey {
    pub link: u128,
    pub id: u128,
}

/// Two hexadecimal numbers.
impl fmt::Display for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { link, id } = *self;
        write!(f, "{link:x}-{id:x}")
    }
}

impl FromStr for FileKey {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (link, id) = text.split_once('-').unwrap_or((text, ""));
        Ok(Self {
            link: u128::from_str_radix(link, 16)?,
            id: u128::from_str_radix(id, 16)?,
        })
    }
}

impl From<FileKey> for String {
    fn from(key: FileKey) -> Self {
        key.to_string()
    }
}

impl TryFrom<String> for FileKey {
    type Error = ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// Something about each of many files.
pub type FileMap<T> = HashMap<FileKey, T, RandomState>;
