//! Writes the licences of all crates that are in the program into a file.

mod licences;

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let file = env::args_os().nth(1).map(PathBuf::from);
    let file = file.ok_or_else(|| io::Error::other("usage: kb-licences FILE"))?;
    fs::create_dir_all(file.parent().unwrap_or(&file))?;
    fs::write(file, licences::of_the_program()?)
}
