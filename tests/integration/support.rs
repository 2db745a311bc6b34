//! What tests are made of.

pub(crate) mod alertmanager;
pub(crate) mod attempts;
pub(crate) mod browser;
#[path = "../../src/http/web_config/tests/certificates.rs"]
pub(crate) mod certificates;
pub(crate) mod clock;
pub(crate) mod exporter;
pub(crate) mod history;
pub(crate) mod portal;
pub(crate) mod postgres;
pub(crate) mod process;
pub(crate) mod prometheus;
pub(crate) mod promtool;
pub(crate) mod random;
pub(crate) mod repository;
pub(crate) mod root;
pub(crate) mod rules;
pub(crate) mod schema;
pub(crate) mod server;
pub(crate) mod sqlite;
pub(crate) mod tally;
pub(crate) mod wait;
pub(crate) mod workspace;
