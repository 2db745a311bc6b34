//! Limits of a single request.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::form::{DurationFrom, Form as _, Whole};

/// Limits of a single request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// For one request and its whole answer; `reindex-failed` has at least five minutes
    #[serde(with = "DurationFrom::<100>")]
    pub timeout: Duration,
    /// For establishing the connection
    #[serde(with = "DurationFrom::<100>")]
    pub connect_timeout: Duration,
    /// How often a GET is repeated
    #[serde(with = "Whole::<u32, 0, 20>")]
    pub retries: u32,
    /// Largest answer that is read, in bytes after decompression
    #[serde(with = "Whole::<usize, 65_536, 1_073_741_824>")]
    pub max_body_bytes: usize,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(5),
            retries: 4,
            max_body_bytes: 16 << 20,
        }
    }
}
