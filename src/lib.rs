//! Prometheus exporter for the processing state of a portal's knowledge base.

pub mod aggregate;
pub mod app;
pub mod classify;
pub mod cli;
pub mod collect;
pub mod config;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod health;
pub mod http;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod portal;
pub mod schedule;
pub mod shutdown;
pub mod simulator;
pub mod snapshot;
pub mod state;
pub mod telemetry;
pub mod text;
