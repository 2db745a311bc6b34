//! One cycle.
pub mod progress;
pub mod walk;
