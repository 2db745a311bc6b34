//! The log: always one line on standard error for each event (docs/operations.md, Logs).
//!
//! Lines are logfmt or JSON with the same keys: `time`, `level`, `target`, `msg`, then the event's fields. They are our own: the usual formats
//! let direction characters through, and escape a no-break space in a name as no reader of logfmt can read it.

mod lines;
mod panics;

use std::sync::atomic::{AtomicBool, Ordering};

use clap::ValueEnum;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

pub use panics::log_panics;

/// How much is logged (docs/configuration.md, `--log.level`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// Errors that need action.
    Error,
    /// Failures that are handled, for example by a retry.
    Warn,
    /// Normal operation.
    Info,
    /// Details for troubleshooting.
    Debug,
    /// Everything, including `debug` events of libraries.
    Trace,
}

/// How a line is written (docs/configuration.md, `--log.format`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// `key=value` pairs. Values are quoted as JSON strings if necessary.
    #[default]
    Logfmt,
    /// One JSON object per line.
    Json,
}

/// Whether a progress bar stands on the terminal, so that a line erases what is there.
static CLEARS_LINE: AtomicBool = AtomicBool::new(false);

/// Erases the line of the terminal before each line of the log, or does not.
pub(crate) fn clear_line_first(clears: bool) {
    CLEARS_LINE.store(clears, Ordering::Relaxed);
}

/// Starts to log to standard error. Fails when a log was started before.
pub fn init(level: Level, format: Format) -> Result<(), TryInitError> {
    subscriber(level, format, std::io::stderr).try_init()
}

fn subscriber<W>(level: Level, format: Format, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = lines::Lines { format, writer };
    tracing_subscriber::registry().with(lines.with_filter(filter(level)))
}

/// This crate's events at the level; those of libraries, which log each step, only when something is wrong.
fn filter(level: Level) -> Targets {
    let (own, libraries) = match level {
        Level::Error => (LevelFilter::ERROR, LevelFilter::ERROR),
        Level::Warn => (LevelFilter::WARN, LevelFilter::WARN),
        Level::Info => (LevelFilter::INFO, LevelFilter::WARN),
        Level::Debug => (LevelFilter::DEBUG, LevelFilter::WARN),
        Level::Trace => (LevelFilter::TRACE, LevelFilter::DEBUG),
    };
    Targets::new()
        .with_default(libraries)
        .with_target(env!("CARGO_CRATE_NAME"), own)
}

#[cfg(test)]
mod tests;
