//! What a scrape of `/metrics` costs with 10,000 folders while they are collected.
//!
//! ```text
//! cargo bench --bench exposition
//! ```
//!
//! Two portals with 5,000 folders each, with counts and classes of error as they are after many collections. All the time a new
//! snapshot of each is published every 50 ms, in which some folders were counted again; that is as often as a collector publishes.
//!
//! One client scrapes over HTTP, one scrape after the other, by turns:
//!
//! - the program's own server, in both forms;
//! - a bare socket that writes the same number of bytes, prepared beforehand, whatever it is asked;
//! - the program's own server with rendering and compressing at each scrape.
//!
//! The goal: less than 10 ms in the middle for gzip, which scrapers ask for. Plain text is inflated at each scrape; that must cost less than
//! rendering.

mod client;
mod figures;
mod portals;
mod servers;
#[expect(dead_code, reason = "other benchmarks have other figures")]
#[path = "../support/table.rs"]
mod table;

use std::env;
use std::io::{self, Write};
use std::time::Instant;

use anyhow::{Context, Result};
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use client::{Client, Form};
use figures::{Measured, Row};
use servers::Servers;

/// Folders, of all portals together.
const FOLDERS: usize = 10_000;

/// How often everything takes its turn.
const ROUNDS: usize = 20;

/// Scrapes of one turn. Rendering at each scrape has one only.
const SCRAPES: usize = 20;

fn main() -> Result<()> {
    // Cargo says `--bench` when it benches, and not when it only tries whether everything runs.
    if !env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")?;
    let stop = CancellationToken::new();
    let servers = runtime.block_on(Servers::start(&stop))?;
    let rows = [Form::Gzip, Form::Plain].map(|form| measure(&servers, form));
    stop.cancel();
    let rows = rows.into_iter().collect::<Result<Vec<_>>>()?;
    let mut output = io::stdout().lock();
    writeln!(output, "{}", figures::render(&rows))?;
    Ok(())
}

/// Scrapes in one form.
fn measure(servers: &Servers, form: Form) -> Result<Row> {
    let mut exporter = Client::connect(servers.exporter, form)?;
    exporter.check(FOLDERS)?;
    let answer = exporter.scrape()?;
    let mut bare = Client::connect(servers.bare(answer)?, form)?;
    let mut anew = Client::connect(servers.anew, form)?;
    anew.check(FOLDERS)?;
    let mut row = Row {
        name: form.coding(),
        bytes: answer.len(),
        exporter: Measured::default(),
        bare: Measured::default(),
        anew: Measured::default(),
    };
    for _ in 0..ROUNDS {
        take_turn(&mut exporter, SCRAPES, &mut row.exporter)?;
        take_turn(&mut bare, SCRAPES, &mut row.bare)?;
        take_turn(&mut anew, 1, &mut row.anew)?;
    }
    Ok(row)
}

fn take_turn(client: &mut Client, scrapes: usize, measured: &mut Measured) -> Result<()> {
    for _ in 0..scrapes {
        let begun = Instant::now();
        client.scrape()?;
        measured.0.push(begun.elapsed());
    }
    Ok(())
}
