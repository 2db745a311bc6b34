//! The tables in PostgreSQL that are used.

use std::path::PathBuf;

/// The database, and the tables that are used in it.
#[derive(Debug, Clone)]
#[cfg_attr(
    not(feature = "postgres"),
    expect(dead_code, reason = "only the client for PostgreSQL reads it")
)]
pub(crate) struct Server {
    /// The file that has the URL of the database. It is read at each connect.
    pub url_file: PathBuf,
    /// The PostgreSQL schema (a namespace of tables).
    pub schema: &'static str,
    /// What brings the tables to each version from the one before.
    pub steps: &'static [&'static str],
}
