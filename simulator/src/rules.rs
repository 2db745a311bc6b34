//! The simulated portal held against the portal's interface (docs/portal.md) over HTTP, rule by rule.

mod auth;
mod contents;
mod lists;
mod orders;
mod refused;
mod served;
mod sorting;
mod support;
mod synthetic;
mod uploads;
mod writes;
