//! The `kb-exporter` program.

fn main() {}
