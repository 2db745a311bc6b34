//! The log: always one line on standard error for each event (docs/operations.md, Logs).
//!
//! Lines are logfmt or JSON with the same keys: `time`, `level`, `target`, `msg`, then the event's fields. They are our own: the usual formats
//! let direction characters through, and escape a no-break space in a name as no reader of logfmt can read it.

mod lines;
mod panics;

use clap::ValueEnum;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

pub use panics::log_panics;

/// How a line is written (docs/configuration.md, `--log.format`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// `key=value` pairs. Values are quoted as JSON strings if necessary.
    #[default]
    Logfmt,
    /// One JSON object per line.
    Json,
}

/// Starts to log to standard error. Fails when a log was started before.
pub fn init(level: LevelFilter, format: Format) -> Result<(), TryInitError> {
    subscriber(level, format, std::io::stderr).try_init()
}

fn subscriber<W>(level: LevelFilter, format: Format, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = lines::Lines { format, writer };
    tracing_subscriber::registry().with(lines.with_filter(filter(level)))
}

/// This crate's events at the level; those of libraries, which log each step, only when something is wrong.
fn filter(own: LevelFilter) -> Targets {
    let libraries = match own {
        LevelFilter::TRACE => LevelFilter::DEBUG,
        _ => own.min(LevelFilter::WARN),
    };
    Targets::new()
        .with_default(libraries)
        .with_target(env!("CARGO_CRATE_NAME"), own)
}

#[cfg(test)]
mod tests;
