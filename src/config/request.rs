//! Limits of a single request (docs/configuration.md, `request`).

use std::time::Duration;

use serde::Deserialize;

use crate::config::scalar;

/// Limits of a single request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// For the whole request, its answer read to the end.
    #[serde(deserialize_with = "scalar::duration::<100, _>")]
    pub timeout: Duration,
    /// For the connection alone.
    #[serde(deserialize_with = "scalar::duration::<100, _>")]
    pub connect_timeout: Duration,
    /// How often a request that may be repeated is repeated; 0 for never.
    #[serde(deserialize_with = "scalar::whole::<0, 20, _, _>")]
    pub retries: u32,
    /// Largest answer that is read, in bytes after decompression.
    #[serde(deserialize_with = "scalar::whole::<65_536, 1_073_741_824, _, _>")]
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
