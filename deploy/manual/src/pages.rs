//! The manual pages of a program and its commands. The tests of the package use this file too.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use clap::Command;
use clap_mangen::Man;

/// The end of the first page: environment, signals, exit status and files.
const MORE: &[u8] = include_bytes!("more.roff");

pub fn write(program: Command, folder: &Path) -> io::Result<()> {
    let name = program.get_name().to_owned();
    let version = program.get_version().unwrap_or_default();
    let source = format!("{name} {version}");
    let mut program = program.disable_help_subcommand(true);
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
