//! Prometheus exporter for the processing state of a portal's knowledge base.

pub mod http;
pub mod model;
pub mod schedule;
pub mod shutdown;
pub mod telemetry;
pub mod text;
