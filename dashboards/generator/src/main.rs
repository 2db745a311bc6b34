//! Writes the Grafana dashboards: `cargo run -p kb-dashboards`.
//!
//! One program writes all four dashboards, so that they use the same queries, colours and words. A test compares its output with
//! the committed files.

mod board;
mod boards;
mod colours;
mod panel;
mod table;

use std::io;
use std::path::Path;

/// The folder of the committed dashboards.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn main() -> io::Result<()> {
    for board in boards::all() {
        let (name, text) = board.file();
        std::fs::write(Path::new(FOLDER).join(name), text)?;
    }
    Ok(())
}

#[test]
fn the_committed_dashboards_are_those_that_this_program_writes() {
    for board in boards::all() {
        let (name, text) = board.file();
        let committed = std::fs::read_to_string(Path::new(FOLDER).join(&name)).unwrap();
        assert!(
            committed == text,
            "{name} is old: run cargo run -p kb-dashboards"
        );
    }
}
