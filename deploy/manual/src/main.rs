//! Writes the manual pages of the commands into a folder.

mod pages;

use std::path::PathBuf;
use std::{env, io};

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| io::Error::other("usage: kb-manual FOLDER"))?;
    pages::write(kb_exporter::cli::command(), &folder)
}
