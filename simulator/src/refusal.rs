//! Why a request is refused, in words and as `error.details.reason`.

use std::net::IpAddr;

/// Why the portal refuses a request (docs/portal.md, Errors). No table of reason values is documented; [`Refusal::reason`] is this portal's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Authentication rule 6: looked at before the key.
    #[error("access to the administrator panel is forbidden from {0}")]
    Address(IpAddr),
    /// No `Authorization` header.
    #[error("the Authorization header is missing")]
    KeyMissing,
    /// Not `Bearer` and a key with the fixed prefix.
    #[error("the Authorization header must be the word Bearer and a key")]
    KeyMalformed,
    /// Well formed, but never issued.
    #[error("the key is not known")]
    KeyUnknown,
    /// An administrator revoked it.
    #[error("the key was revoked")]
    KeyRevoked,
    /// Its lifetime is over.
    #[error("the key has expired")]
    KeyExpired,
    /// Authentication rule 5.
    #[error("the folder is not among those that the key may use")]
    FolderForbidden,
    /// "Requests that exist but refuse keys".
    #[error("this request is not open to keys")]
    NotForKeys,
    /// The folder was deleted.
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
    /// No file part was sent.
    #[error("no file was sent")]
    NoFiles,
    /// Uploads rule 1.
    #[error("more than {} files were sent at once", super::upload::MAX_FILES)]
    TooManyFiles,
    /// Uploads rule 2.
    #[error("{paths} relative paths were sent for {files} files")]
    PathCount {
        /// Files in the request.
        files: usize,
        /// Relative paths in the request.
        paths: usize,
    },
    /// Uploads rule 3.
    #[error("the path {0:?} leaves the folder")]
    PathLeaves(String),
    /// The part has no usable file name.
    #[error("a file has no usable name")]
    FileName,
    /// Uploads rule 6.
    #[error("files such as {0:?} are not accepted")]
    Extension(String),
    /// Uploads rule 4.
    #[error("the content of {0:?} does not match its extension")]
    Content(String),
    /// Uploads rule 5.
    #[error("the part of {0:?} must have the content type message/rfc822")]
    MailType(String),
    /// Limits.
    #[error("{filename:?} is larger than {limit} bytes")]
    TooLarge {
        /// Name of the file.
        filename: String,
        /// Largest size accepted, in bytes.
        limit: u64,
    },
}

impl Refusal {
    /// The value of `error.details.reason`.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Address(_) => "ip_not_allowed",
            Self::KeyMissing => "key_missing",
            Self::KeyMalformed => "key_malformed",
            Self::KeyUnknown => "key_unknown",
            Self::KeyRevoked => "key_revoked",
            Self::KeyExpired => "key_expired",
            Self::FolderForbidden => "folder_not_allowed",
            Self::NotForKeys => "not_open_to_keys",
            Self::FolderGone => "folder_not_found",
            Self::FileUnknown => "file_not_found",
            Self::FilesComputed => "files_computed",
            Self::FilesHeld => "files_held",
            Self::Nothing => "not_found",
            Self::Body(_) => "body_unreadable",
            Self::NoFiles => "no_files",
            Self::TooManyFiles => "too_many_files",
            Self::PathCount { .. } => "relative_paths_length_mismatch",
            Self::PathLeaves(_) => "path_leaves_folder",
            Self::FileName => "invalid_filename",
            Self::Extension(_) => "extension_not_accepted",
            Self::Content(_) => "content_mismatch",
            Self::MailType(_) => "mail_content_type",
            Self::TooLarge { .. } => "file_too_large",
        }
    }
}
