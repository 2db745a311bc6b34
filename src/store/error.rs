//! Errors of databases.

use std::path::{Path, PathBuf};

use thiserror::Error;
use tokio::time::error::Elapsed;

use crate::attempts::Misfit;

/// Why the database cannot be used. While it cannot, it is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    #[error("{} cannot be used: {cause}", path.display())]
    Path { path: PathBuf, cause: String },
    #[error("the state folder {} is in use by {holder}", path.display())]
    InUse { path: PathBuf, holder: String },
    #[error("{} is read-only; make it writable, or move it away to begin with a new one", .0.display())]
    ReadOnly(PathBuf),
    /// Another file has the name of the one that is open, or none has.
    #[error("the file of the database was removed or replaced")]
    Replaced,
    #[error("{} is a database, but not one of kb-exporter", .0.display())]
    Foreign(PathBuf),
    /// Only the service makes tables.
    #[error(
        "nothing is stored yet: kb-exporter makes the database when it runs with this configuration"
    )]
    Missing,
    #[error("its tables are of {} version (version {found}, known {known})", if found > known {"a newer"} else {"an older"})]
    OtherVersion {
        found: i64,
        /// The version that this program knows.
        known: i64,
    },
    /// The database refuses a statement; the connection is still of use. Of a file, it is [`Self::Path`].
    #[error("{0}")]
    Refused(String),
    /// The database cannot be reached, does not answer, or takes no writes.
    #[error("the PostgreSQL server cannot be used: {0}")]
    Away(String),
    /// The connection ended before it was known whether the server committed.
    #[error("it is not known whether the PostgreSQL server committed: {0}")]
    CommitUnknown(String),
    #[error("it contains data that kb-exporter did not write: {0}")]
    Content(String),
    /// Another process reads the portal now.
    #[error("another process has the lease of the portal")]
    NoLease,
    /// The database lost writes of this process, which takes the lease anew: everything is to be written once more.
    #[error("the database lost what was written to it; it is written again")]
    LostWrites,
    /// A change of the ledger does not fit what it knows.
    #[error("{0}")]
    Misfit(#[from] Misfit),
    #[error("there is no reindex ledger: the state is temporary")]
    Temporary,
    #[error("it is closed")]
    Closed,
    /// Nothing was asked yet.
    #[error("it was not opened yet")]
    NotOpened,
}

impl StoreError {
    pub(super) fn path(path: &Path, cause: &std::io::Error) -> Self {
        Self::Path {
            path: path.to_owned(),
            cause: cause.to_string(),
        }
    }

    /// Whether the connection may be of no use any more.
    pub(super) const fn is_of_connection(&self) -> bool {
        matches!(self, Self::Away(_) | Self::CommitUnknown(_))
    }

    /// Whether another process acts by now, or what was decided does not fit any more: neither says anything of the database.
    pub(crate) const fn is_out_of_date(&self) -> bool {
        matches!(self, Self::Misfit(_) | Self::NoLease)
    }

    /// Whether the process can do nothing but end: a person must act before the folder can be used.
    pub(crate) const fn is_of_folder(&self) -> bool {
        matches!(
            self,
            Self::Path { .. }
                | Self::ReadOnly(_)
                | Self::Foreign(_)
                | Self::OtherVersion { .. }
                | Self::Content(_)
        )
    }

    /// The same error, which says of which file it is.
    pub(super) fn of_file(self, path: &Path) -> Self {
        match self {
            Self::Refused(cause) => Self::Path {
                path: path.to_owned(),
                cause,
            },
            error => error,
        }
    }
}

/// What begins the codes (SQLSTATE) of errors of a statement, after which a connection is of use. After any other error it may not be: the
/// server may shut down, or may have become a standby.
const OF_STATEMENT: [&str; 10] = [
    "21", "22", "23", "40", "42", "44", "54", "55", "57014", "P0",
];

/// The SQLSTATE of a table that is not there any more: a new connection makes it.
const NO_TABLE: &str = "42P01";

/// The SQLSTATE of what the role has no right to do, and what to do about it.
const NO_RIGHT: &str = "42501";
const RIGHT_ADVICE: &str = "as the owner of the database, run GRANT CREATE ON DATABASE … TO the role, or CREATE SCHEMA kb_exporter AUTHORIZATION the role";

/// What `PgBouncer` says to a parameter that each connection sets, and what to do about it.
const POOLER_REFUSES: &str = "unsupported startup parameter";
const POOLER_ADVICE: &str =
    "set ignore_startup_parameters = extra_float_digits in the configuration of PgBouncer";

/// In words that do not have the URL.
impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let sqlx::Error::Database(refused) = &error else {
            return match error {
                sqlx::Error::ColumnDecode { .. }
                | sqlx::Error::ColumnNotFound(_)
                | sqlx::Error::Decode(_)
                | sqlx::Error::RowNotFound => Self::Content(error.to_string()),
                error => Self::Away(with_causes(&error)),
            };
        };
        let code = refused.code().unwrap_or_default();
        let Some(sqlstate) = sqlstate(&code) else {
            // SQLite's codes are numbers.
            return Self::Refused(refused.message().to_owned());
        };
        let text = refused.message();
        if text.contains(POOLER_REFUSES) {
            return Self::Away(format!("{text}; {POOLER_ADVICE}"));
        }
        let mut message = format!("{text} (SQLSTATE {sqlstate})");
        if sqlstate == NO_RIGHT {
            message = format!("{message}; {RIGHT_ADVICE}");
        }
        let is_of_statement = OF_STATEMENT.iter().any(|start| sqlstate.starts_with(start));
        if is_of_statement && sqlstate != NO_TABLE {
            Self::Refused(message)
        } else {
            Self::Away(message)
        }
    }
}

/// Codes of PostgreSQL have five characters.
fn sqlstate(code: &str) -> Option<&str> {
    (code.len() == 5).then_some(code)
}

impl From<Elapsed> for StoreError {
    fn from(_: Elapsed) -> Self {
        Self::Away("no answer".to_owned())
    }
}

/// Data that cannot be unpacked.
impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        Self::Content(error.to_string())
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Content(error.to_string())
    }
}

pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let texts = causes.map(ToString::to_string);
    // Some errors have the text of their cause.
    texts.fold(String::new(), |text, cause| match text.as_str() {
        "" => cause,
        said if said.ends_with(&cause) => text,
        _ => format!("{text}: {cause}"),
    })
}
