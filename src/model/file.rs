//! The identity of a file.

use std::collections::HashMap;

use foldhash::quality::RandomState;
use serde::{Deserialize, Serialize};

use crate::model::ByStatus;

/// The sum of `fileSize` by status, in bytes.
pub type FolderSizes = ByStatus<u64>;

/// Identifies a file in a folder: the pair of `linkId` and `id`. Another `id` under a known `linkId`
/// (a replaced file) is another file (docs/metrics.md, Whole rows).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FileKey {
    pub link: u128,
    pub id: u128,
}

impl From<FileKey> for String {
    /// Both numbers in hexadecimal digits.
    fn from(key: FileKey) -> Self {
        format!("{:x}-{:x}", key.link, key.id)
    }
}

impl TryFrom<String> for FileKey {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let number = |digits| u128::from_str_radix(digits, 16).ok();
        let key = text.split_once('-');
        let key = key.and_then(|(link, id)| Some((number(link)?, number(id)?)));
        let (link, id) = key.ok_or("it is no key of a file")?;
        Ok(Self { link, id })
    }
}

/// Something about each of many files.
pub type FileMap<T> = HashMap<FileKey, T, RandomState>;
