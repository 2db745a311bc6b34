//! Why a request is refused, in words and as `error.details.reason`.

use std::net::IpAddr;

/// Why the portal refuses a request (docs/portal.md, Errors). The reason values are not documented; [`Refusal::code`] has this portal's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Authentication rule 6: looked at before the key.
    #[error("access to the administrator panel is forbidden from {0}")]
    Address(IpAddr),
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
    #[error("the key has expired")]
    KeyExpired,
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
    /// The folder is no synthetic one: its files are changed one by one.
    #[error("the folder holds its files: they are changed one by one")]
    FilesHeld,
    /// Not a path of the portal at all.
    #[error("there is nothing at this path")]
    Nothing,
    /// The body is not readable `multipart/form-data`.
    #[error("the body cannot be read as multipart/form-data: {0}")]
    Body(String),
    #[error("no file was sent")]
    NoFiles,
    #[error("more than {} files were sent at once", super::upload::MAX_FILES)]
    TooManyFiles,
    #[error("{paths} relative paths were sent for {files} files")]
    PathCount { files: usize, paths: usize },
    #[error("the path {0:?} leaves the folder")]
    PathLeaves(String),
    /// The part has no usable file name.
    #[error("a file has no usable name")]
    FileName,
    #[error("files such as {0:?} are not accepted")]
    Extension(String),
    #[error("the content of {0:?} does not match its extension")]
    Content(String),
    #[error("the part of {0:?} must have the content type message/rfc822")]
    MailType(String),
    #[error("{filename:?} is larger than {limit} bytes")]
    TooLarge {
        filename: String,
        /// Largest size accepted, in bytes.
        limit: u64,
    },
}

impl Refusal {
    /// The HTTP status, and the value of `error.details.reason`.
    pub fn code(&self) -> (u16, &'static str) {
        match self {
            Self::Address(_) => (403, "ip_not_allowed"),
            Self::KeyMissing => (401, "key_missing"),
            Self::KeyMalformed => (401, "key_malformed"),
            Self::KeyUnknown => (401, "key_unknown"),
            Self::KeyRevoked => (401, "key_revoked"),
            Self::KeyExpired => (401, "key_expired"),
            Self::FolderForbidden => (403, "folder_not_allowed"),
            Self::NotForKeys => (403, "not_open_to_keys"),
            Self::FolderGone => (404, "folder_not_found"),
            Self::FileUnknown => (404, "file_not_found"),
            Self::FilesComputed => (400, "files_computed"),
            Self::FilesHeld => (400, "files_held"),
            Self::Nothing => (404, "not_found"),
            Self::Body(_) => (400, "body_unreadable"),
            Self::NoFiles => (400, "no_files"),
            Self::TooManyFiles => (400, "too_many_files"),
            Self::PathCount { .. } => (400, "relative_paths_length_mismatch"),
            Self::PathLeaves(_) => (400, "path_leaves_folder"),
            Self::FileName => (400, "invalid_filename"),
            Self::Extension(_) => (400, "extension_not_accepted"),
            Self::Content(_) => (400, "content_mismatch"),
            Self::MailType(_) => (400, "mail_content_type"),
            Self::TooLarge { .. } => (400, "file_too_large"),
        }
    }
}
