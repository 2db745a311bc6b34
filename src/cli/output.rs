//! Standard output.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use tempfile::NamedTempFile;

/// How a command prints.
#[derive(Debug, Default, Args)]
pub(super) struct OutputArgs<F: ValueEnum + Send + Sync + 'static> {
    /// Print in this format. [default: the first of the possible values]
    #[arg(long = "output", value_name = "FORMAT")]
    form: Option<F>,
}

impl<F: ValueEnum + Default + Send + Sync + 'static> OutputArgs<F> {
    pub fn form(&self) -> F {
        self.form.clone().unwrap_or_default()
    }
}

/// Writes text to standard output. A closed pipe is not an error.
pub(super) fn print(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    let written = output.write_all(text.as_bytes());
    match written.and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// Writes text to a file atomically; without a file, to standard output. What is no file, such as a device or a pipe, is written to.
pub(super) fn write(text: &str, file: Option<&Path>) -> Result<()> {
    let Some(file) = file else {
        return print(text);
    };
    let written = || -> io::Result<()> {
        if is_special(file) {
            let mut special = File::options().write(true).open(file)?;
            return special.write_all(text.as_bytes());
        }
        let (mut new, file) = replacement(file)?;
        new.write_all(text.as_bytes())?;
        new.as_file().sync_all()?;
        new.persist(file)?;
        Ok(())
    };
    written().with_context(|| cannot_write(file))
}

/// Fails if no file can be written in this place.
pub(super) fn check(file: Option<&Path>) -> Result<()> {
    match file.filter(|file| !is_special(file)) {
        Some(file) => replacement(file)
            .map(drop)
            .with_context(|| cannot_write(file)),
        None => Ok(()),
    }
}

fn is_special(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// A new file that can replace another one. A link stays one: the file that it leads to is replaced.
fn replacement(file: &Path) -> io::Result<(NamedTempFile, PathBuf)> {
    if file.is_dir() || file.to_string_lossy().ends_with('/') {
        return Err(ErrorKind::IsADirectory.into());
    }
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    let new = tempfile::Builder::new()
        // Others read it: node_exporter runs as another user.
        .permissions(Permissions::from_mode(0o644))
        .prefix(".kb-exporter-")
        .tempfile_in(folder.unwrap_or(Path::new(".")))?;
    Ok((new, file))
}

fn cannot_write(file: &Path) -> String {
    format!("cannot write {}", file.display())
}
