//! What is served over HTTP, and how connections are taken.

mod accept_encoding;
mod health_json;
mod page;
mod scrape;
pub mod serve;
pub mod site;
