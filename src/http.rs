//! What is served over HTTP, and how connections are taken.

pub mod serve;
