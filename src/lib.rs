//! Prometheus exporter for the processing state of a portal's knowledge base.

pub mod aggregate;
pub mod classify;
pub mod collect;
pub mod config;
pub mod memory;
pub mod model;
pub mod portal;
pub mod state;
pub mod schedule;
pub mod text;
pub mod simulator;
