//! `kb-exporter capacity`: what given numbers of folders and files cost.

mod report;

use std::num::{NonZeroU16, NonZeroU64};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;

use crate::capacity::{Capacity, Installation};
use crate::cli::output::{self, Form};
use crate::cli::{ConfigArgs, limits, table};
use crate::config::{Collect, Config, Rate};

/// The interval of a schedule that names no second time.
const INTERVAL: Duration = Duration::from_mins(1);

/// A portal, and what collects it.
#[derive(Debug, Args)]
pub(super) struct CapacityArgs {
    /// Folders of the portal.
    #[arg(long, value_name = "N")]
    folders: NonZeroU64,
    /// Files of all folders together.
    #[arg(long, value_name = "M")]
    files: u64,
    /// Share of the files that failed, such as `1%` or `0.01`. They are spread over the folders at random.
    #[arg(long, value_name = "P", default_value = "0", value_parser = share)]
    failed: f64,
    /// Requests per second that the portal is sent by all processes together [default: `collect.max_requests_per_second`].
    #[arg(long, value_name = "R", value_parser = Rate::parse)]
    rate: Option<Rate>,
    /// Processes that share the folders (`--shard.count`).
    #[arg(long, value_name = "S", default_value = "1")]
    shards: NonZeroU16,
    /// Time between two collections [default: `collect.schedule`].
    #[arg(long, value_name = "D", value_parser = humantime::parse_duration)]
    interval: Option<Duration>,
    /// Form of what is printed.
    #[arg(long, value_name = "FORM", default_value = "table")]
    output: Form,
}

/// Prints the figures. What the flags leave open is as the configuration file says, if one is named, or else as by default.
pub(super) fn run(config: &ConfigArgs, args: &CapacityArgs) -> Result<ExitCode> {
    let collect = match &config.file {
        Some(file) => Config::from_file(file)?.collect,
        None => Collect::default(),
    };
    let capacity = Capacity::of(args.installation(collect))?
        .context("without a limit of the rate, nothing can be worked out: name one with --rate")?;
    let text = match args.output {
        Form::Table => report::text(&capacity, table::terminal_width()),
        Form::Json => report::json(&capacity)?,
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

impl CapacityArgs {
    fn installation(&self, mut collect: Collect) -> Installation {
        let interval = self.interval.or_else(|| limits::interval(&collect));
        if let Some(rate) = self.rate {
            collect.max_requests_per_second = rate;
        }
        Installation {
            folders: self.folders.get(),
            files: self.files,
            failed: self.failed,
            interval: interval.unwrap_or(INTERVAL).max(Duration::from_secs(1)),
            shards: self.shards,
            collect,
        }
    }
}

/// Reads a share of something.
fn share(text: &str) -> Result<f64, String> {
    let share = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse().map(|percent: f64| percent / 100.0),
        None => text.parse(),
    };
    share
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "expected a share from 0 to 1, such as 0.01, or from 0% to 100%".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_number_or_a_percentage() {
        for (text, expected) in [
            ("0", 0.0),
            ("1", 1.0),
            ("0.25", 0.25),
            ("1%", 0.01),
            ("50 %", 0.5),
        ] {
            let share = share(text).unwrap();
            assert!((share - expected).abs() < 1e-9, "{text}: {share}");
        }
        for text in ["", "-1", "1.1", "101%", "NaN", "a few"] {
            assert!(share(text).is_err(), "{text}");
        }
    }
}
