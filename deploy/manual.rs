//! Writes the manual pages of the commands into a folder: `cargo run --example manual -- FOLDER`. The tests of the package use this file too.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Command;
use clap_mangen::Man;

/// The end of the first page: environment, signals, exit status and files.
const MORE: &[u8] = include_bytes!("manual.roff");

fn main() -> io::Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    write(&folder.ok_or_else(|| io::Error::other("usage: manual FOLDER"))?)
}

pub fn write(folder: &Path) -> io::Result<()> {
    let mut program = kb_exporter::cli::command().disable_help_subcommand(true);
    let name = program.get_name().to_owned();
    let version = program.get_version().unwrap_or_default();
    let source = format!("{name} {version}");
    program.build();
    fs::create_dir_all(folder)?;
    write_each(&program, &source, folder)?;
    let first = folder.join(format!("{name}.1"));
    let mut first = OpenOptions::new().append(true).open(first)?;
    first.write_all(MORE)
}

fn write_each(command: &Command, source: &str, folder: &Path) -> io::Result<()> {
    for command in command.get_subcommands() {
        write_each(command, source, folder)?;
    }
    // `Man` leaves an empty date out, and the source would be in its place.
    let man = Man::new(command.clone()).date(r#""""#).source(source);
    man.generate_to(folder)?;
    Ok(())
}
