//! The program as it is run: the real binary beside a portal over HTTP, seen from outside.
//!
//! Each module is a part of the story; [`support`] has the portals and the processes.

#![expect(clippy::unwrap_used, reason = "a test fails where it cannot go on")]

mod alerting;
mod alerts;
mod certificates;
mod check;
mod commands;
mod container;
mod counts;
mod dashboards;
mod deploy;
mod docs;
mod errors;
mod faults;
mod files;
mod health;
mod logs;
mod long;
mod memory;
mod metrics;
mod modules;
mod package;
mod page;
mod reindex;
mod reload;
mod schedule;
mod scripts;
mod secrets;
mod shared;
mod soak;
mod sorted;
mod sorting;
mod support;
mod systemd;
mod terminal;
mod throttle;
mod web;
mod writable;
