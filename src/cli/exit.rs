//! Exit codes.

use std::process::ExitCode;

use tracing::error;

use crate::cli::shard::ShardError;
use crate::config::ConfigError;

/// Exit code of a command that failed.
const FAILED: u8 = 1;

/// Exit code of a configuration that is wrong; clap's code for arguments as well.
const MISCONFIGURED: u8 = 2;

/// Logs why the program ends.
pub(super) fn report(cause: &anyhow::Error) -> ExitCode {
    if cause.is::<ConfigError>() || cause.is::<ShardError>() {
        error!(error = %cause, "the configuration is wrong");
        return MISCONFIGURED.into();
    }
    error!(error = format!("{cause:#}"), "kb-exporter cannot continue");
    FAILED.into()
}

/// The exit code of a command that checks something.
pub(super) fn code(is_well: bool) -> ExitCode {
    if is_well {
        ExitCode::SUCCESS
    } else {
        FAILED.into()
    }
}
