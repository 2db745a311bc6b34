//! What is served over HTTP, and how connections are taken.

mod health_json;
mod page;
pub mod serve;
pub mod site;
