//! Prometheus exporter for the processing state of a portal's knowledge base.
//!
//! A portal holds folders of files that are processed in the background. This program reads the list of files of every
//! folder that its key may use, counts files by `indexStatus` and `indexError`, and serves the counts as metrics, health and a
//! status page. Where it is told to, it reindexes failed files, under a policy ([`policy`]): `reindex-failed` under `mode:
//! enforce` is the only request that changes anything.
//!
//! # The way of the data
//!
//! ```text
//! schedule ─tick→ collect ─requests→ portal
//!                 │  │                  │ rows
//!                 │  │              aggregate ─Reading→ history::apply ─Update→ state (disk)
//!                 │  │                                        │
//!                 │  └──────── Arc<Snapshot> ←────────────────┘
//!       PortalFindings       ↑ │ watch
//!                 ↓     ReindexView │ └→ metrics, health, http (page)
//!              reindex ─────────────┘
//!                 ├─Candidate, LedgerView→ policy::decide ─Decision→ the same
//!                 ├─one read of the folder→ portal, then decide again: by what holds now
//!                 └─intent→ ledger (disk), then ─reindex-failed→ portal, then ─outcome→ ledger
//! ```
//!
//! - **Pure**: [`model`], [`text`], [`classify`], [`aggregate`], [`history`], [`policy`], [`health`], and `schedule::Due`. Values in, values out; time is an
//!   argument.
//! - **Effects**: [`portal`] asks, [`state`] and [`ledger`] keep, [`collect`] and [`reindex`] bring both together, [`http`] answers, [`app`] builds, binds,
//!   supervises and drains.
//! - **Facts and events**: what portals hold is rendered from the immutable [`snapshot`], so that a folder that left takes its series
//!   along; what this process did is counted in [`metrics::Events`]. Facts are rendered and compressed in the background, once for all
//!   scrapes; a scrape adds the events.
//! - [`kb_simulator`], a package of its own, is the only stand-in for a portal that users and tests have. It depends on nothing of this one and
//!   has wire types of its own, so that a misreading of the interface is not confirmed by its twin.
//!
//! # Layout
//!
//! | module | what it is for |
//! |---|---|
//! | [`cli`] | arguments → telemetry → app → exit code |
//! | [`config`] | the file and the environment, checked before anything is bound |
//! | [`model`], [`text`] | statuses, ids, names, moments; text from a portal made harmless |
//! | [`portal`] | HTTP client: key, retries, rate, typed answers and errors |
//! | [`schedule`] | when a collection is due |
//! | [`collect`] | one collector for each portal; a task for each folder that is read |
//! | [`aggregate`], [`classify`] | rows → counts, reasons → classes |
//! | [`history`] | two reads → entries, indexing times, ages |
//! | [`state`] | what must survive a restart: one `SQLite` file |
//! | [`policy`] | whether failed files are sent again, and what became of them |
//! | [`ledger`] | what was attempted: one `SQLite` file that is never written over |
//! | [`reindex`] | carries out what is decided: intent → request → outcome → verdict |
//! | [`snapshot`] | what is known now |
//! | [`metrics`], [`health`], [`http`] | what the outside sees |
//! | [`app`], [`telemetry`], [`shutdown`] | the process |
//!
//! # What a full scan can and cannot promise
//!
//! A folder is read page by page, and each page shows the folder at another moment. When nothing changes meanwhile, the
//! counts are exact. A scan notices totals that differ between pages, rows that it meets twice, and rows that are missing in the
//! end; then it is repeated if it is short, and called inconsistent (`kb_folder_consistent` 0) if that does not help. It cannot
//! notice a change that leaves all of those alike: a status that changes on a page already read, or a delete on a page already read
//! that an upload on a page not yet read makes up for. Each such change puts a count off by one at most, so with k
//! changes during a scan that is called consistent, no count is off by more than k.
//!
//! # What counting by boundaries can promise
//!
//! Sorted by status, equal files are adjacent, and the counts follow from the boundaries between them ([`collect::sorted`]). Everything that the
//! boundaries follow from is read twice, all first reads before all second ones. What is the same twice held at the moment between, so the
//! counts are those of one moment, whatever moved before and after it; what differs is searched again, and called inconsistent in the end.
//! The last page is always read, so a total that the rows do not fit is noticed.
//!
//! That the portal sorts at all is assumed, because the interface says so, until rows show or refute it ([`collect::sorting`],
//! `kb_portal_sorting`). Audits beside the collections read every page and look for either, for ever; they also sum up sizes. Where sorting is
//! refuted, every page is read. Large scans are made two at a time, in a time that follows from their pages and the rate, so they may outlast
//! a collection.
//!
//! # What can go wrong, and what that costs
//!
//! - A folder that cannot be read keeps its last whole counts, with their time, until they are too old; its `kb_folder_up` is 0 at once.
//! - A refusal (401, 403) of a folder is settled by asking for the list of folders: refused there too, it is the portal's
//!   trouble; else the folder left, or is forbidden.
//! - A read that takes long gives its place to the others and goes on beside them; folders that are answered slowly compared with the others
//!   have no more than their fair share of the requests in flight.
//! - A clock that is wrong costs nothing that is kept: what is known of folders that left is forgotten only while the portal's clock agrees.
//! - A state file that cannot be read or written is never replaced: counts go on, counters of entries stand still.
//! - A ledger that cannot be read or written is never replaced: nothing is reindexed, everything else goes on.
//! - A crash during an attempt costs the attempt: it is charged, its outcome is unknown, and it is not sent again before its cooldown.
//! - A panic in a task costs that read; a panic in a collector costs the collections under way.

pub mod aggregate;
pub mod app;
pub mod classify;
pub mod cli;
pub mod collect;
pub mod config;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod health;
pub mod history;
pub mod http;
pub mod ledger;
pub mod metrics;
pub mod model;
pub mod policy;
pub mod portal;
pub mod reading;
pub mod reindex;
pub mod schedule;
pub mod shutdown;
pub mod snapshot;
pub mod state;
pub mod telemetry;
pub mod text;
