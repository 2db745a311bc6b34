//! Why a folder is not counted: what of it outlives the process.

use serde::{Deserialize, Serialize};

use crate::model::{Timestamp, label_in_documents, label_values};

label_values! {
    /// Why a folder cannot be counted: the label `reason` of `kb_folder_unavailable`.
    pub enum Unavailable {
        /// It is listed, but the portal answers 403.
        Forbidden = "forbidden",
        Gone = "gone",
        Unlisted = "unlisted",
        Error = "error",
    }
}

label_in_documents!(Unavailable);

/// Why the last read of a folder did not count it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    pub reason: Unavailable,
    /// For people.
    pub message: String,
}

/// Why a folder is no longer among those that are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DepartureReason {
    /// It was deleted: the portal answered 404.
    Gone,
    /// It left the key's set: the list does not name it.
    Unlisted,
    /// The configuration excludes it. It is in no snapshot.
    Excluded,
}

/// When and why a folder left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Departure {
    pub reason: DepartureReason,
    pub since: Timestamp,
}
