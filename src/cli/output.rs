//! Standard output.

use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};

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
