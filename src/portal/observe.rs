//! What a client reports of its requests, so that it need not know of metrics.

use std::time::Duration;

use reqwest::Method;

use crate::model::label_values;
use crate::portal::retry::RetryReason;

label_values! {
    /// The requests that a client can make: the label `endpoint`.
    pub enum Endpoint {
        /// The list of the key's folders.
        Mine = "mine",
        Folder = "folder",
        /// A page of a folder's files.
        Files = "files",
        ReindexFailed = "reindex_failed",
    }
}

impl Endpoint {
    /// How it is asked. One endpoint changes something; there is none for uploads, deletes or `reindex-all` (docs/portal.md, What it never sends).
    pub(super) const fn method(self) -> Method {
        match self {
            Self::Mine | Self::Folder | Self::Files => Method::GET,
            Self::ReindexFailed => Method::POST,
        }
    }
}

/// Is notified of each request; by default, it ignores them.
#[expect(unused_variables, reason = "the names say what is reported")]
pub trait Observer: Send + Sync {
    /// A request was sent, and answered with a status, or not.
    fn requested(&self, endpoint: Endpoint, status: Option<u16>, took: Duration) {}

    /// A request will be sent again.
    fn retried(&self, endpoint: Endpoint, reason: RetryReason) {}

    /// A request waited for the rate limit.
    fn throttled(&self, waited: Duration) {}
}

#[derive(Debug, Clone, Copy)]
pub struct Unobserved;

impl Observer for Unobserved {}
