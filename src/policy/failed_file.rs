//! A failed file, as far as a decision needs it.

use crate::classify::Class;
use crate::model::{FileKey, Timestamp};

/// A failed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedFile {
    /// Which file.
    pub key: FileKey,
    /// Since when it was seen failed.
    pub since: Timestamp,
    /// The class of its error.
    pub class: Class,
}
