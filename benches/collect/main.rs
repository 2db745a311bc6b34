//! What a collection costs a portal and this machine, from a thousand files to a hundred million.
//!
//! ```text
//! cargo bench --bench collect
//! cargo bench --bench collect -- requests
//! ```
//!
//! Needs Linux with two cores and util-linux' `taskset`. Arguments choose parts; without any, all is measured, in about half an hour.
//!
//! - `scan`: processor time and peak memory of `kb-exporter scan`, which reads every page.
//! - `folders`: what one process needs for many folders: requests, processor time, memory, the time of a scrape.
//! - `requests`: what one collection asks, by page and sorted by status, once the portal's sorting is trusted.
//!
//! The portal is this process, on core 1, with folders that compute their files. `kb-exporter` is a process of its own on core 0: what it used
//! is what the kernel says, and what it asked is what the portal's log says.

mod exporter;
mod folders;
mod portal;
mod requests;
mod scan;
mod table;

use std::env;
use std::io::{self, Write};

use anyhow::{Context, Result, bail};

/// A part that can be measured, and how: it returns a table.
type Part = (&'static str, fn() -> Result<String>);

/// The scan comes first: a child's peak memory is never less than that of the process that started it.
const PARTS: [Part; 3] = [
    ("scan", scan::measure),
    ("folders", folders::measure),
    ("requests", requests::measure),
];

fn main() -> Result<()> {
    // Cargo says `--bench` when it benches, and not when it only tries whether everything runs.
    if !env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let chosen = env::args().skip(1);
    let chosen: Vec<_> = chosen.filter(|name| !name.starts_with('-')).collect();
    for name in &chosen {
        if !PARTS.iter().any(|(part, _)| part == name) {
            bail!(
                "{name:?} is none of {}",
                PARTS.map(|(name, _)| name).join(", ")
            );
        }
    }
    portal::stay_on_one_core()?;
    for (name, measure) in PARTS {
        if chosen.is_empty() || chosen.iter().any(|chosen| chosen == name) {
            let table = measure().context(name)?;
            writeln!(io::stdout().lock(), "{table}\n")?;
        }
    }
    Ok(())
}
