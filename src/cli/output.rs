//! Standard output.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::Serialize;

/// A form of what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// A table for people.
    Table,
    /// A document for programs.
    Json,
}

/// Writes text to standard output. A reader that went away is no error.
pub(super) fn print(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    match output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
    {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// A document with one list. Fields of its rows may be added, and none is renamed or removed. Times are RFC 3339, durations
/// are in seconds and sizes in bytes; `null` stands for what is not there or not known.
pub(super) fn json(list: &str, rows: &[impl Serialize]) -> Result<String> {
    let document = BTreeMap::from([(list, rows)]);
    let text = serde_json::to_string_pretty(&document).context("the document cannot be written")?;
    Ok(text + "\n")
}
