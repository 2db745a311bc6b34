//! The simulated portal held against the portal's interface (docs/portal.md) over HTTP.

mod answers;
mod order;
mod support;
mod synthetic;
