//! The HTTP server: paths, status page, `/health` and `/metrics`.

mod accept_encoding;
pub mod guard;
mod health_json;
mod page;
mod passwords;
mod scrape;
pub mod serve;
pub mod site;
pub mod web_config;
