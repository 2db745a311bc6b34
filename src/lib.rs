//! Prometheus exporter for the processing state of a portal's knowledge base.
//!
//! A portal holds folders of files that are processed in the background. This program reads the list of files of every
//! folder that its key may use, counts files by `indexStatus` and `indexError`, and serves the counts as metrics, health and a
//! status page. Where the configuration asks for it, it reindexes failed files, under a policy ([`policy`]): `reindex-failed` under `mode:
//! enforce` is the only request that changes anything.
//!
//! # Data flow
//!
//! ```text
//! schedule ─due─▶ collect ─requests─▶ portal ─HTTP─▶ the portal
//!                    ▼ rows
//!                 aggregate, classify
//!                    ▼ counts
//!                 history ─▶ state.db
//!                    ▼
//!                 Snapshot ─▶ metrics, health, http
//!                    ▼
//!                 reindex
//!                    1. policy decides from the snapshot, the rules and the ledger
//!                    2. one more read of the folder, then policy again
//!                    3. intent ─▶ state.db
//!                    4. POST reindex-failed ─▶ the portal
//!                    5. result, later the verdict ─▶ state.db ─▶ Snapshot
//! ```
//!
//! `docs/architecture.md` has the layout of the modules, a glossary, and how exact the counts are; `docs/portal.md` has
//! what is used of the portal's interface.
//!
//! [`kb_simulator`], a package of its own, is the only stand-in for a portal that users and tests have.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod aggregate;
pub mod app;
pub mod attempts;
pub mod classify;
pub mod cli;
pub mod clock;
pub mod collect;
pub mod config;
pub mod count;
pub mod health;
pub mod history;
pub mod http;
pub mod metrics;
pub mod model;
mod pem;
pub mod policy;
pub mod portal;
pub mod reindex;
pub mod schedule;
pub mod shutdown;
pub mod snapshot;
pub mod store;
pub mod telemetry;
pub mod text;
pub mod tls;
