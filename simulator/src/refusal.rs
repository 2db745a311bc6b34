//! Why a request is refused, in words and as `error.details.reason`.

/// Why the portal refuses a request (docs/portal.md, Errors). The reason values are not documented; [`Refusal::code`] has this portal's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the Authorization header is missing")]
    KeyMissing,
    /// Not `Bearer` and a key with the fixed prefix.
    #[error("the Authorization header must be the word Bearer and a key")]
    KeyMalformed,
    /// Well formed, but never issued.
    #[error("the key is not known")]
    KeyUnknown,
    #[error("the key was revoked")]
    KeyRevoked,
    #[error("the folder is not among those that the key may use")]
    FolderForbidden,
    /// "Requests that exist but refuse keys".
    #[error("this request is not open to keys")]
    NotForKeys,
    #[error("the folder does not exist any more")]
    FolderGone,
    /// The folder does not hold this file.
    #[error("the folder holds no file with this id")]
    FileUnknown,
    /// The folder is a synthetic one: single files cannot be added, changed or removed.
    #[error("the folder computes its files: single ones cannot be added, changed or removed")]
    FilesComputed,
    /// Not a path of the portal at all.
    #[error("there is nothing at this path")]
    Nothing,
}

impl Refusal {
    /// The HTTP status, and the value of `error.details.reason`.
    pub fn code(&self) -> (u16, &'static str) {
        match self {
            Self::KeyMissing => (401, "key_missing"),
            Self::KeyMalformed => (401, "key_malformed"),
            Self::KeyUnknown => (401, "key_unknown"),
            Self::KeyRevoked => (401, "key_revoked"),
            Self::FolderForbidden => (403, "folder_not_allowed"),
            Self::NotForKeys => (403, "not_open_to_keys"),
            Self::FolderGone => (404, "folder_not_found"),
            Self::FileUnknown => (404, "file_not_found"),
            Self::FilesComputed => (400, "files_computed"),
            Self::Nothing => (404, "not_found"),
        }
    }
}
