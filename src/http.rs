//! The HTTP server: paths, status page, `/health` and `/metrics`.

mod answer;
pub mod guard;
mod health_json;
pub mod host;
mod page;
pub mod passwords;
mod refusal;
pub mod route;
pub mod serve;
pub mod site;
pub mod web_config;

pub use page::Configuration;
