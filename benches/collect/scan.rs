//! `kb-exporter scan`, which reads every folder once.

use anyhow::Result;

use crate::config::Config;
use crate::exporter::Place;
use crate::portal::Portal;
use crate::run::{Cost, run};
use crate::samples::Samples;

/// Reads every folder once; returns what that took and which samples came of it.
pub fn scan(portal: &Portal, config: &Config) -> Result<(Cost, Samples)> {
    let place = Place::new(|folder| config.file(portal, folder))?;
    let arguments = ["scan", "--output", "prometheus", "--log.level", "warn"];
    let (output, cost) = run(&mut place.command(&arguments))?;
    Ok((cost, Samples(output)))
}
