//! Sends HTTP requests to a portal and returns typed answers and errors.
//!
//! - [`Client`]: one portal, its connections and limits; [`Session`]: a client with a key, which makes the requests.
//! - [`Listing`], [`PageBody`] and [`Page`]: the decoded answers.
//! - [`PortalError`]: why there is no answer; [`Trouble`]: what that means for the portal.
//!
//! It knows no metrics: it reports each request to an [`Observer`].

mod ask;
mod client;
mod connection;
mod error;
mod exchange;
mod key;
mod lane;
mod listing;
mod observe;
mod requeue;
mod retry;
mod session;
#[cfg(test)]
mod testing;
mod throttle;
mod wire;

pub use ask::{PAGE_SIZE, PageRequest, Sort};
pub use client::Client;
pub use connection::BuildError;
pub use error::{PortalError, Trouble};
pub use key::{ApiKey, KeyError};
pub use lane::{Demand, Lane};
pub use listing::{ListedFolder, Listing};
pub use observe::{Endpoint, Observer, Unobserved};
pub use requeue::Requeue;
pub use retry::RetryReason;
pub use session::{AdmittedRequests, Session};
pub use throttle::Throttles;
pub use wire::{FileRow, Page, PageBody};
