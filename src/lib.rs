//! Prometheus exporter for the processing state of a portal's knowledge base.

pub mod simulator;
