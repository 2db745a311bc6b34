//! The HTTP server: paths, status page, `/health` and `/metrics`.

mod accept_encoding;
mod health_json;
mod page;
mod scrape;
pub mod serve;
pub mod site;
