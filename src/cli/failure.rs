//! Why the program fails, and its exit code.

use std::process::ExitCode;

use tracing::error;

use crate::config::ConfigError;
use crate::http::web_config::WebConfigError;

/// Exit code of a command that did not do what it should.
pub(super) const FAILED: u8 = 1;

/// Exit code of a configuration that is wrong; clap's code for arguments as well.
pub(super) const MISCONFIGURED: u8 = 2;

/// Why the program ends.
#[derive(Debug)]
pub(super) enum Failure {
    /// The configuration, or the web configuration, is wrong.
    Config(anyhow::Error),
    /// Something else went wrong.
    Other(anyhow::Error),
}

impl Failure {
    /// Logs the failure and returns the exit code.
    pub fn report(&self) -> ExitCode {
        match self {
            Self::Config(cause) => {
                error!(error = %cause, "the configuration is wrong");
                MISCONFIGURED.into()
            }
            Self::Other(cause) => {
                error!(error = format!("{cause:#}"), "kb-exporter cannot go on");
                FAILED.into()
            }
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Config(error.into())
    }
}

impl From<WebConfigError> for Failure {
    fn from(error: WebConfigError) -> Self {
        Self::Config(error.into())
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        if error.is::<ConfigError>() {
            Self::Config(error)
        } else {
            Self::Other(error)
        }
    }
}
