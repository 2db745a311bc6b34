//! What a client tells about its requests, so that it need not know of metrics.

use std::time::Duration;

use crate::portal::retry::RetryReason;

/// The requests that a client can make: the label `endpoint`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// The list of the key's folders.
    Mine,
    /// A page of a folder's files.
    Files,
}

impl Endpoint {
    /// Every endpoint.
    pub const ALL: [Self; 2] = [Self::Mine, Self::Files];

    /// The value of the label `endpoint`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mine => "mine",
            Self::Files => "files",
        }
    }
}

/// How a request was answered: the label `code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// With this status.
    Status(u16),
    /// Not at all.
    Error,
}

/// Is told of each request.
pub trait Observer: Send + Sync {
    /// A request was sent and answered, or not.
    fn requested(&self, endpoint: Endpoint, code: Code, took: Duration);

    /// A request will be sent again.
    fn retried(&self, endpoint: Endpoint, reason: RetryReason);

    /// A request waited for the rate limit.
    fn throttled(&self, waited: Duration);
}

/// Listens to nothing.
#[derive(Debug, Clone, Copy)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn requested(&self, _: Endpoint, _: Code, _: Duration) {}
    fn retried(&self, _: Endpoint, _: RetryReason) {}
    fn throttled(&self, _: Duration) {}
}
