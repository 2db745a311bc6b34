//! What a collection costs a portal and this machine, from a thousand files to a hundred million.
//!
//! ```text
//! cargo bench --bench collect
//! cargo bench --bench collect -- requests 1000 1000000
//! ```
//!
//! Needs Linux with two cores and util-linux' `taskset`. Arguments choose parts, and sizes of the first; without any, all is measured, in about
//! half an hour.
//!
//! - `requests`: what one collection asks, by page and sorted by status, once the portal's sorting is trusted.
//! - `memory`: processor time and peak memory of `kb-exporter scan`, which scans every page.
//! - `folders`: what one process needs for many folders: requests, processor time, memory, the time until all are counted.
//! - `latency`: how fast it scans a portal that takes its time to answer, beside a client that does nothing else.
//! - `read_schedule`: how late a change is seen among thousands of folders under a rate limit, beside every folder in turn.
//!
//! The portal is this process, on core 1, with folders that compute their files. `kb-exporter` is a process of its own on core 0: what it used
//! is what the kernel says, and what it asked is what the portal's log says.

#[path = "../support/bare_client.rs"]
mod bare_client;
mod cases;
mod config;
#[path = "../support/exporter.rs"]
mod exporter;
mod folders;
mod latency;
mod memory;
#[path = "../support/portal.rs"]
mod portal;
mod read_schedule;
mod requests;
#[path = "../support/run.rs"]
mod run;
mod samples;
mod scan;
#[path = "../support/table.rs"]
mod table;

use std::env;
use std::io::{self, Write};

use anyhow::{Context, Result, bail};

/// What can be measured. Memory comes first: a child's peak is never less than that of the process that started it.
const PARTS: [Part; 5] = [
    Part {
        name: "memory",
        measure: |_| memory::measure(),
    },
    Part {
        name: "folders",
        measure: |_| folders::measure(),
    },
    Part {
        name: "requests",
        measure: requests::measure,
    },
    Part {
        name: "latency",
        measure: |_| latency::measure(),
    },
    Part {
        name: "read_schedule",
        measure: |_| read_schedule::measure(),
    },
];

struct Part {
    name: &'static str,
    /// Measures what concerns folders of these sizes, and returns the table.
    measure: fn(&[u64]) -> Result<String>,
}

fn main() -> Result<()> {
    // Cargo says `--bench` when it benches, and not when it only tries whether everything runs.
    if !env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let chosen = Chosen::read(env::args().skip(1))?;
    portal::stay_on_one_core()?;
    for part in PARTS.iter().filter(|part| chosen.includes(part)) {
        let table = (part.measure)(&chosen.sizes).with_context(|| part.name)?;
        writeln!(io::stdout().lock(), "{table}\n")?;
    }
    Ok(())
}

/// What the arguments choose.
struct Chosen {
    /// None: all.
    parts: Vec<String>,
    /// None: all.
    sizes: Vec<u64>,
}

impl Chosen {
    fn read(arguments: impl Iterator<Item = String>) -> Result<Self> {
        let (mut parts, mut sizes) = (Vec::new(), Vec::new());
        for argument in arguments.filter(|argument| !argument.starts_with('-')) {
            match argument.parse() {
                Ok(size) => sizes.push(size),
                Err(_) if PARTS.iter().any(|part| part.name == argument) => parts.push(argument),
                Err(_) => {
                    let names = PARTS.map(|part| part.name).join(", ");
                    bail!("{argument:?} is neither a number of files nor one of {names}");
                }
            }
        }
        Ok(Self { parts, sizes })
    }

    fn includes(&self, part: &Part) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|name| name == part.name)
    }
}
